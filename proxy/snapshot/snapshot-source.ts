import type { Pointer } from "../../snapshots/format/manifest.ts";
import { SnapshotError, type SnapshotErrorCode } from "../../snapshots/store/snapshot-error.ts";
import type { SnapshotReader } from "../../snapshots/store/snapshot-reader.ts";
import type { SequenceMemory } from "./sequence-memory.ts";

/** Where versions come from: the pointer to look at, and the way to open what it names. */
export interface PublishedVersions {
  readonly readPointer: () => Pointer;
  /** Verifies and opens the current version; refuses one below `sequenceMin`. */
  readonly open: (sequenceMin: number) => Promise<SnapshotReader>;
}

/** A version held for one request: it stays open until every holder has released it. */
export interface SnapshotLease {
  readonly reader: SnapshotReader;
  readonly release: () => void;
}

/** Why the newest version is not the one served. */
export type ReloadProblem = SnapshotErrorCode | "RELOAD_FAILED";

/** What is served, and what is wrong with what is not. */
export interface SnapshotStatus {
  readonly serving: SnapshotReader | undefined;
  readonly problem: ReloadProblem | undefined;
}

/** The version being served, kept up to date. */
export interface SnapshotSource {
  readonly acquire: () => SnapshotLease | undefined;
  readonly status: () => SnapshotStatus;
  /** Looks at the pointer once and follows it where it can; never rejects. */
  readonly poll: () => Promise<void>;
  readonly close: () => void;
}

/** What changed, for the log. `detail` names files by their place in the version only. */
export type ReloadEvent =
  | { readonly kind: "serving"; readonly version: string; readonly sequence: number }
  | { readonly kind: "refused"; readonly problem: ReloadProblem; readonly detail: string };

/** What the source needs. */
export interface SnapshotSourceParts {
  readonly versions: PublishedVersions;
  readonly memory: SequenceMemory;
  readonly nowMs: () => number;
  readonly onEvent: (event: ReloadEvent) => void;
}

/** A version that was refused is looked at again after so long, doubling: verifying a large one each second would cost more than serving. */
const RETRY_FIRST_MS = 1_000;
const RETRY_MOST_MS = 60_000;

/** Follows the pointer: a new version is verified beside the old one and takes its place with one assignment. */
export function createSnapshotSource({
  versions,
  memory,
  nowMs,
  onEvent,
}: SnapshotSourceParts): SnapshotSource {
  let serving: HeldReader | undefined;
  let refusal: { problem: ReloadProblem; pointer: string; retryAtMs: number; waitMs: number } | undefined;
  let underWay: Promise<void> | undefined;
  let isClosed = false;

  const refuse = (error: unknown, pointer: string): void => {
    const problem = error instanceof SnapshotError ? error.code : "RELOAD_FAILED";
    const isNews = refusal?.problem !== problem || refusal.pointer !== pointer;
    const waitMs = isNews ? RETRY_FIRST_MS : Math.min(RETRY_MOST_MS, (refusal?.waitMs ?? 0) * 2);
    refusal = { problem, pointer, retryAtMs: nowMs() + waitMs, waitMs };
    const detail = error instanceof SnapshotError ? error.message : "an unexpected failure";
    if (isNews) onEvent({ kind: "refused", problem, detail });
  };

  const adopt = (reader: SnapshotReader): void => {
    try {
      // Remembered first: after a crash in between, nothing older than what was served can come back.
      if (reader.sequence > memory.highest()) memory.remember(reader.sequence);
    } catch (error) {
      reader.close();
      throw error;
    }
    const old = serving;
    serving = holdReader(reader);
    refusal = undefined;
    old?.retire();
    onEvent({ kind: "serving", version: reader.version, sequence: reader.sequence });
  };

  const follow = async (): Promise<void> => {
    let pointer = "";
    try {
      const found = versions.readPointer();
      pointer = `${found.sequence} ${found.version} ${found.manifest.sha256}`;
      const served = serving?.reader;
      if (served?.version === found.version && served.sequence === found.sequence) {
        refusal = undefined;
        return;
      }
      if (refusal?.pointer === pointer && isWaiting(nowMs(), refusal)) return;
      if (found.sequence < memory.highest()) throw rolledBack(found.sequence, memory.highest());
      const reader = await versions.open(memory.highest());
      if (isClosed) reader.close();
      else adopt(reader);
    } catch (error) {
      refuse(error, pointer);
    }
  };

  return {
    acquire: () => serving?.lease(),
    status: () => ({ serving: serving?.reader, problem: refusal?.problem }),
    poll: () => {
      underWay ??= follow().finally(() => {
        underWay = undefined;
      });
      return underWay;
    },
    close: () => {
      isClosed = true;
      serving?.retire();
      serving = undefined;
    },
  };
}

/** A clock set back must not stretch the wait. */
function isWaiting(nowMs: number, refusal: { readonly retryAtMs: number; readonly waitMs: number }): boolean {
  return nowMs < refusal.retryAtMs && nowMs >= refusal.retryAtMs - refusal.waitMs;
}

function rolledBack(sequence: number, highest: number): SnapshotError {
  return new SnapshotError(
    "SNAPSHOT_ROLLED_BACK",
    `The pointer names sequence ${sequence}, but ${highest} was served before.`,
    { path: "current.json" },
  );
}

interface HeldReader {
  readonly reader: SnapshotReader;
  readonly lease: () => SnapshotLease;
  readonly retire: () => void;
}

/** Counts who holds a reader, and closes it when it is retired and nobody does. */
function holdReader(reader: SnapshotReader): HeldReader {
  let holders = 0;
  let isRetired = false;
  const closeIfDone = () => {
    if (isRetired && holders === 0) reader.close();
  };
  return {
    reader,
    lease: () => {
      holders += 1;
      let isReleased = false;
      return {
        reader,
        release: () => {
          if (isReleased) return;
          isReleased = true;
          holders -= 1;
          closeIfDone();
        },
      };
    },
    retire: () => {
      if (isRetired) return;
      isRetired = true;
      closeIfDone();
    },
  };
}
