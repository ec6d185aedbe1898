import { SnapshotError, type SnapshotErrorCode } from "../../snapshots/store/read/snapshot-error.ts";
import { SequenceMemoryError } from "./sequence-memory.ts";

/** Why the newest version is not the one served. */
export type ReloadProblem = SnapshotErrorCode | "RELOAD_FAILED";

/** A refusal, for the log. `detail` names files by their place in the version only. */
export interface RefusalEvent {
  readonly kind: "refused";
  readonly problem: ReloadProblem;
  readonly detail: string;
}

/** What was refused: the version, and whatever tells this pointer from every other. */
export interface RefusedPointer {
  readonly version: string | undefined;
  readonly mark: string;
}

/** Stands for a pointer that cannot be read. */
export const NO_POINTER: RefusedPointer = { version: undefined, mark: "" };

/** What was refused last, and when it may be looked at again. */
export interface ReloadRefusals {
  readonly problem: () => ReloadProblem | undefined;
  readonly version: () => string | undefined;
  readonly note: (error: unknown, pointer: RefusedPointer) => void;
  readonly clear: () => void;
  /** Whether this very pointer was refused so recently that looking again would be waste. */
  readonly isWaiting: (mark: string) => boolean;
}

/** A version that was refused is looked at again after so long, doubling: verifying a large one each second would cost more than serving. */
const RETRY_FIRST_MS = 1_000;
const RETRY_MOST_MS = 60_000;

/** Remembers one refusal; tells of it once, however often it comes again. */
export function createReloadRefusals(
  nowMs: () => number,
  onEvent: (event: RefusalEvent) => void,
): ReloadRefusals {
  let last: { problem: ReloadProblem; pointer: RefusedPointer; atMs: number; waitMs: number } | undefined;
  return {
    problem: () => last?.problem,
    version: () => last?.pointer.version,
    note: (error, pointer) => {
      const problem = error instanceof SnapshotError ? error.code : "RELOAD_FAILED";
      const isSame = last?.problem === problem && last.pointer.mark === pointer.mark;
      const waitMs = isSame ? Math.min(RETRY_MOST_MS, (last?.waitMs ?? 0) * 2) : RETRY_FIRST_MS;
      last = { problem, pointer, atMs: nowMs(), waitMs };
      // The text of any other error could hold a path of this machine.
      const isOurs = error instanceof SnapshotError || error instanceof SequenceMemoryError;
      const detail = isOurs ? error.message : "an unexpected failure";
      if (!isSame) onEvent({ kind: "refused", problem, detail });
    },
    clear: () => {
      last = undefined;
    },
    isWaiting: (mark) => {
      if (last?.pointer.mark !== mark) return false;
      const waitedMs = nowMs() - last.atMs;
      // A clock set back must not stretch the wait.
      return waitedMs >= 0 && waitedMs < last.waitMs;
    },
  };
}
