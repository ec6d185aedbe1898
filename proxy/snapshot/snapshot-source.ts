import type { Pointer } from "../../snapshots/format/manifest.ts";
import type { DenyList, FollowedDenyList } from "../../snapshots/optouts/deny-list.ts";
import type { OptOutsErrorCode } from "../../snapshots/optouts/opt-out-book.ts";
import type { RemoteErrorCode } from "../../snapshots/remote/remote-store.ts";
import { guardReader } from "../../snapshots/store/read/guard-reader.ts";
import type { TrustedKey } from "../../snapshots/store/read/manifest-signature.ts";
import { openSnapshot } from "../../snapshots/store/read/open-snapshot.ts";
import { readPointer } from "../../snapshots/store/read/read-pointer.ts";
import { SnapshotError, type SnapshotErrorCode } from "../../snapshots/store/read/snapshot-error.ts";
import type { SnapshotReader } from "../../snapshots/store/read/snapshot-reader.ts";
import { inspectInThread } from "./inspect-in-thread.ts";
import { type SequenceMemory, SequenceMemoryError } from "./sequence-memory.ts";

/** Why the newest version is not the one served. */
export type ReloadProblem = SnapshotErrorCode | "RELOAD_FAILED";

/** Why what is published elsewhere is not what is here. */
export type RemoteProblem = RemoteErrorCode | SnapshotErrorCode | "REMOTE_NO_ROOM" | "REMOTE_FAILED";

/** The state of the copy of what is published elsewhere, as the process that follows it reports. */
export interface RemoteStatus {
  /** Why the copy here may not be what is published there; undefined while it is. */
  readonly problem: RemoteProblem | undefined;
  /** The version that the problem is with, where the pointer could be read. */
  readonly refusedVersion: string | undefined;
  /** When the copy here was last known to be what is published there. */
  readonly upToDateAtMs: number | undefined;
  /** Since the start of that process: what came over the network for versions. */
  readonly bytesPulled: number;
}

/** Where versions come from: the pointer to look at, and the way to open what it names. */
export interface PublishedVersions {
  readonly readPointer: () => Pointer;
  /** Verifies and opens the current version; refuses one below `sequenceMin`. */
  readonly open: (sequenceMin: number) => Promise<SnapshotReader>;
  /** The state of the copy, where these are copied from elsewhere. */
  readonly remote?: () => RemoteStatus;
}

/** What is served, and why a newer version is not. */
export interface SnapshotStatus {
  readonly serving: SnapshotReader | undefined;
  readonly problem: ReloadProblem | undefined;
  /** The version that the problem is with, where the pointer could be read. */
  readonly refusedVersion?: string | undefined;
  /** The state of the copy, where versions are copied from elsewhere. */
  readonly remote?: RemoteStatus | undefined;
  /** Why no entity is served; undefined while the list of opt-outs is obeyed. */
  readonly optOutsProblem: OptOutsErrorCode | undefined;
}

/** The version being served, kept up to date. */
export interface SnapshotSource {
  /** The version served, as the list of opt-outs allows it to be seen. Use it at once: a newer one closes it. */
  readonly shown: () => SnapshotReader | undefined;
  readonly isServing: () => boolean;
  readonly status: () => SnapshotStatus;
  /** Reads the pointer once and follows it where it can; never rejects. */
  readonly poll: () => Promise<void>;
  readonly close: () => void;
}

/** What changed, for the log. `detail` names files only by their paths in the version. */
export type ReloadEvent =
  | { readonly kind: "serving"; readonly version: string; readonly sequence: number }
  | { readonly kind: "refused"; readonly problem: ReloadProblem; readonly detail: string };

/** What the source needs. */
export interface SnapshotSourceParts {
  readonly versions: PublishedVersions;
  readonly denyList: Pick<FollowedDenyList, "current" | "problem">;
  readonly memory: {
    readonly highest: SequenceMemory["highest"];
    /** On disk when it is done. */
    readonly remember: (sequence: number) => void | Promise<void>;
  };
  readonly nowMs: () => number;
  readonly onEvent: (event: ReloadEvent) => void;
}

/** The versions in a folder, opened only where one of the trusted keys has signed them (undefined: nobody is asked). */
export function versionsIn(
  root: string,
  trustedKeys: readonly TrustedKey[] | undefined,
): Omit<PublishedVersions, "remote"> {
  return {
    readPointer: () => readPointer(root),
    open: (sequenceMin) => openSnapshot(root, { sequenceMin, trustedKeys }, inspectInThread),
  };
}

/** Follows the pointer: a new version is verified beside the old one and takes its place with one assignment. */
export function createSnapshotSource(parts: SnapshotSourceParts): SnapshotSource {
  const { versions, denyList, memory, onEvent } = parts;
  const refusals = createRefusals(parts.nowMs, onEvent);
  let serving: SnapshotReader | undefined;
  /** What the list makes of a version is worked out once for each state of the list. */
  let guarded:
    | { readonly of: SnapshotReader; readonly list: DenyList; readonly shown: SnapshotReader }
    | undefined;
  let underWay: Promise<void> | undefined;
  let isClosed = false;

  const adopt = async (reader: SnapshotReader): Promise<void> => {
    await rememberOrClose(reader, memory);
    if (isClosed) {
      reader.close();
      return;
    }
    const old = serving;
    serving = reader;
    refusals.clear();
    old?.close();
    onEvent({ kind: "serving", version: reader.version, sequence: reader.sequence });
  };

  // What was whole when it was opened may be cut or overwritten since. Nothing older takes its place: to whoever
  // kept an answer that would be a rollback.
  const dropWhenDamaged = async (): Promise<void> => {
    const served = serving;
    const damage = await served?.damage();
    if (served === undefined || damage === undefined || served !== serving) return;
    serving = undefined;
    served.close();
    refusals.note(damage, { version: served.version, mark: "" });
  };

  const follow = async (): Promise<void> => {
    let pointer = NO_POINTER;
    try {
      await dropWhenDamaged();
      const found = versions.readPointer();
      pointer = {
        version: found.version,
        mark: `${found.sequence} ${found.version} ${found.manifest.sha256}`,
      };
      const served = serving;
      if (served?.version === found.version && served.sequence === found.sequence) {
        const refused = served.refusedListing();
        if (refused === undefined) refusals.clear();
        else refusals.note(refused, DAMAGED_LISTING);
        return;
      }
      if (refusals.isWaiting(pointer.mark)) return;
      if (found.sequence < memory.highest()) throw rolledBack(found.sequence, memory.highest());
      const reader = await versions.open(memory.highest());
      if (isClosed) reader.close();
      else await adopt(reader);
    } catch (error) {
      refusals.note(error, pointer);
    }
  };

  return {
    shown: () => {
      if (serving === undefined) return undefined;
      const list = denyList.current();
      if (guarded?.of !== serving || guarded.list !== list) {
        const shown = withPublishedDelegates(guardReader(serving, list), serving);
        guarded = { of: serving, list, shown };
      }
      return guarded.shown;
    },
    isServing: () => serving !== undefined,
    status: () => ({
      serving,
      problem: refusals.current()?.problem,
      refusedVersion: refusals.current()?.pointer.version,
      remote: versions.remote?.(),
      optOutsProblem: denyList.problem(),
    }),
    poll: () => {
      underWay ??= follow().finally(() => {
        underWay = undefined;
      });
      return underWay;
    },
    close: () => {
      isClosed = true;
      serving?.close();
      serving = undefined;
    },
  };
}

/** Remembered before it is served: after a crash in between, nothing older than what was served can come back. */
async function rememberOrClose(reader: SnapshotReader, memory: SnapshotSourceParts["memory"]): Promise<void> {
  try {
    if (reader.sequence > memory.highest()) await memory.remember(reader.sequence);
  } catch (error) {
    reader.close();
    throw error;
  }
}

function rolledBack(sequence: number, highest: number): SnapshotError {
  return new SnapshotError(
    "SNAPSHOT_ROLLED_BACK",
    `The pointer names sequence ${sequence}, but ${highest} was served before.`,
    { path: "current.json" },
  );
}

/**
 * Names of delegates are public data of the chain, and stay as they were published until the next version: one that went
 * away in the same version would tell everybody who compares two answers that its owner opted out, and when.
 */
function withPublishedDelegates(guarded: SnapshotReader, reader: SnapshotReader): SnapshotReader {
  if (guarded === reader) return reader;
  const { latestListing, datedListing } = reader;
  return { ...guarded, latestListing, datedListing };
}

/** What was refused: the version, and a mark that distinguishes this pointer from every other. */
interface RefusedPointer {
  readonly version: string | undefined;
  readonly mark: string;
}

const NO_POINTER: RefusedPointer = { version: undefined, mark: "" };

/** Stands for the version that is served, without a part of it. */
const DAMAGED_LISTING: RefusedPointer = { version: undefined, mark: "listing" };

/** A refused version is looked at again after so long, doubling: verifying a large one each second would cost more than serving. */
const RETRY_FIRST_MS = 1_000;
const RETRY_MOST_MS = 60_000;

/** Remembers the last refusal; reports it once, however often it comes again. */
function createRefusals(nowMs: () => number, onEvent: SnapshotSourceParts["onEvent"]) {
  let last: { problem: ReloadProblem; pointer: RefusedPointer; atMs: number; waitMs: number } | undefined;
  return {
    current: () => last,
    note: (error: unknown, pointer: RefusedPointer): void => {
      const problem = error instanceof SnapshotError ? error.code : "RELOAD_FAILED";
      const isSame = last?.problem === problem && last.pointer.mark === pointer.mark;
      const waitMs = isSame ? Math.min(RETRY_MOST_MS, (last?.waitMs ?? 0) * 2) : RETRY_FIRST_MS;
      last = { problem, pointer, atMs: nowMs(), waitMs };
      // The text of any other error could hold a path of this machine.
      const isOurs = error instanceof SnapshotError || error instanceof SequenceMemoryError;
      const detail = isOurs ? error.message : "an unexpected failure";
      if (!isSame) onEvent({ kind: "refused", problem, detail });
    },
    clear: (): void => {
      last = undefined;
    },
    /** Whether this very pointer was refused so recently that looking again would be waste. */
    isWaiting: (mark: string): boolean => {
      if (last?.pointer.mark !== mark) return false;
      const waitedMs = nowMs() - last.atMs;
      // A clock set back must not stretch the wait.
      return waitedMs >= 0 && waitedMs < last.waitMs;
    },
  };
}
