import { isFailure } from "../../snapshots/base/failure.ts";
import type { Pointer } from "../../snapshots/format/manifest.ts";
import type { DenyList, FollowedDenyList } from "../../snapshots/optouts/deny-list.ts";
import type { OptOutsErrorCode } from "../../snapshots/optouts/opt-out-store.ts";
import type { RemoteErrorCode } from "../../snapshots/remote/remote-store.ts";
import { guardReader } from "../../snapshots/store/read/guard-reader.ts";
import type { TrustedKey } from "../../snapshots/store/read/manifest-signature.ts";
import { openSnapshot } from "../../snapshots/store/read/open-snapshot.ts";
import { readPointer } from "../../snapshots/store/read/read-pointer.ts";
import {
  isSnapshotFailure,
  type SnapshotErrorCode,
  type SnapshotFailure,
  snapshotFailure,
} from "../../snapshots/store/read/snapshot-error.ts";
import type { SnapshotReader } from "../../snapshots/store/read/snapshot-reader.ts";
import { inspectInThread } from "./inspect-in-thread.ts";
import { type Backoff, createLastProblem } from "./last-problem.ts";

type ReloadProblem = SnapshotErrorCode | "RELOAD_FAILED";

/** Why the local copy differs from the remote version. */
export type RemoteProblem =
  | RemoteErrorCode
  | SnapshotErrorCode
  | "REMOTE_NO_ROOM"
  | "REMOTE_NOT_FOLLOWED"
  | "REMOTE_FAILED";

/** The state of the copy of a remote, as reported by the following process. */
export interface RemoteStatus {
  /** Why the copy may differ from the remote version; undefined while it does not. */
  readonly problem: RemoteProblem | undefined;
  /** The version with the problem, if the pointer could be read. */
  readonly refusedVersion: string | undefined;
  /** When the copy was last known to equal the remote version. */
  readonly upToDateAtMs: number | undefined;
  /** Bytes of versions downloaded since that process started. */
  readonly bytesPulled: number;
}

/** The source of versions: the pointer, and how to open the version it names. */
export interface PublishedVersions {
  readonly readPointer: () => Pointer;
  /** Verifies and opens the current version; throws if it is below `sequenceMin`. */
  readonly open: (sequenceMin: number) => Promise<SnapshotReader>;
  /** The state of the copy, if versions are copied from a remote. */
  readonly remote?: () => RemoteStatus;
}

/** Which version is served, and why a newer one is not. */
export interface SnapshotStatus {
  readonly serving: SnapshotReader | undefined;
  readonly problem: ReloadProblem | undefined;
  /** The version with the problem, if the pointer could be read. */
  readonly refusedVersion?: string | undefined;
  /** The state of the copy, if versions are copied from a remote. */
  readonly remote?: RemoteStatus | undefined;
  /** Why no entity is served; undefined while the list of opt-outs is applied. */
  readonly optOutsProblem: OptOutsErrorCode | undefined;
}

export type SnapshotSource = ReturnType<typeof createSnapshotSource>;

/** A change, for the log. `detail` names files only by their paths inside the version. */
export type ReloadEvent =
  | { readonly kind: "serving"; readonly version: string; readonly sequence: number }
  | { readonly kind: "refused"; readonly problem: ReloadProblem; readonly detail: string };

export interface SnapshotSourceParts {
  readonly versions: PublishedVersions;
  readonly denyList: Pick<FollowedDenyList, "current" | "problem">;
  readonly memory: {
    readonly highest: () => number;
    readonly remember: (sequence: number) => void | Promise<void>;
  };
  readonly nowMs: () => number;
  readonly onEvent: (event: ReloadEvent) => void;
}

/** The versions in a folder, opened only if signed by one of the trusted keys (undefined: signatures are not checked). */
export function versionsIn(
  root: string,
  trustedKeys: readonly TrustedKey[] | undefined,
): Omit<PublishedVersions, "remote"> {
  return {
    readPointer: () => readPointer(root),
    open: (sequenceMin) => openSnapshot(root, { sequenceMin, trustedKeys }, inspectInThread),
  };
}

/** Follows the pointer: verifies a new version while the old one is served, then replaces it with one assignment. */
export function createSnapshotSource(parts: SnapshotSourceParts) {
  const { versions, denyList, memory, onEvent } = parts;
  const refusals = createLastProblem<RefusedPointer & { readonly problem: ReloadProblem }>(
    parts.nowMs,
    () => RETRY,
  );
  const note = (error: unknown, pointer: RefusedPointer): void => {
    const problem = isSnapshotFailure(error) ? error.code : "RELOAD_FAILED";
    // The message of any other error could contain a local path.
    const isOurs = isSnapshotFailure(error) || isFailure(error, ["RELOAD_FAILED"]);
    const detail = isOurs ? error.message : "an unexpected failure";
    if (refusals.put({ ...pointer, problem })) onEvent({ kind: "refused", problem, detail });
  };
  let serving: SnapshotReader | undefined;
  /** The version without opted-out entities, computed once per state of the list. */
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

  // A version that was intact when opened may have been cut or overwritten since. No older version replaces it:
  // callers that kept a response would see a rollback.
  const dropWhenDamaged = async (): Promise<void> => {
    const served = serving;
    const damage = await served?.damage();
    if (served === undefined || damage === undefined || served !== serving) return;
    serving = undefined;
    served.close();
    note(damage, { version: served.version, mark: "" });
  };

  const follow = async (): Promise<void> => {
    let pointer = NO_POINTER;
    try {
      await dropWhenDamaged();
      const read = versions.readPointer();
      pointer = {
        version: read.version,
        mark: `${read.sequence} ${read.version} ${read.manifest.sha256}`,
      };
      const served = serving;
      if (served?.version === read.version && served.sequence === read.sequence) {
        const refused = served.refusedListing();
        if (refused === undefined) refusals.clear();
        else note(refused, DAMAGED_LISTING);
        return;
      }
      if (refusals.isWaiting(pointer.mark)) return;
      if (read.sequence < memory.highest()) throw rolledBack(read.sequence, memory.highest());
      const reader = await versions.open(memory.highest());
      if (isClosed) reader.close();
      else await adopt(reader);
    } catch (error) {
      note(error, pointer);
    }
  };

  return {
    /** The version served, without opted-out entities. Use it at once: a newer version closes it. */
    shown: (): SnapshotReader | undefined => {
      if (serving === undefined) return undefined;
      const list = denyList.current();
      if (guarded?.of !== serving || guarded.list !== list) {
        const shown = withPublishedDelegates(guardReader(serving, list), serving);
        guarded = { of: serving, list, shown };
      }
      return guarded.shown;
    },
    isServing: () => serving !== undefined,
    status: (): SnapshotStatus => ({
      serving,
      problem: refusals.current()?.problem,
      refusedVersion: refusals.current()?.version,
      remote: versions.remote?.(),
      optOutsProblem: denyList.problem(),
    }),
    /** Reads the pointer once and loads a new version if possible; never rejects. */
    poll: (): Promise<void> => {
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

/** Remembers a version before it is served, so that no older one is served after a crash. Closes it if that fails. */
async function rememberOrClose(reader: SnapshotReader, memory: SnapshotSourceParts["memory"]): Promise<void> {
  try {
    if (reader.sequence > memory.highest()) await memory.remember(reader.sequence);
  } catch (error) {
    reader.close();
    throw error;
  }
}

function rolledBack(sequence: number, highest: number): SnapshotFailure {
  return snapshotFailure(
    "SNAPSHOT_ROLLED_BACK",
    `The pointer names sequence ${sequence}, but ${highest} was served before.`,
    { path: "current.json" },
  );
}

/**
 * Keeps delegate names as published until the next version; they are public on chain. A name that disappeared within one
 * version would tell anyone comparing two answers that its owner opted out, and when.
 */
function withPublishedDelegates(guarded: SnapshotReader, reader: SnapshotReader): SnapshotReader {
  if (guarded === reader) return reader;
  const { latestListing, datedListing } = reader;
  return { ...guarded, latestListing, datedListing };
}

interface RefusedPointer {
  readonly version: string | undefined;
  readonly mark: string;
}

const NO_POINTER: RefusedPointer = { version: undefined, mark: "" };

/** Represents the served version with a damaged listing. */
const DAMAGED_LISTING: RefusedPointer = { version: undefined, mark: "listing" };

/** A refused version is retried ever later: verifying a large one often costs more than serving. */
const RETRY: Backoff = { firstMs: 1_000, mostMs: 60_000 };
