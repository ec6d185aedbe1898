import type { Pointer } from "../../snapshots/format/manifest.ts";
import { RemoteError, type RemoteErrorCode } from "../../snapshots/remote/remote-store.ts";
import { SnapshotError, type SnapshotErrorCode } from "../../snapshots/store/read/snapshot-error.ts";

/** Why what is published elsewhere is not what is here. */
export type RemoteProblem = RemoteErrorCode | SnapshotErrorCode | "REMOTE_NO_ROOM" | "REMOTE_FAILED";

/** A change in what is wrong, for the log; `detail` holds no credential and no path of this machine. */
export type RemoteProblemEvent =
  | {
      readonly kind: "not followed";
      readonly problem: RemoteProblem;
      readonly detail: string;
      readonly refusedVersion: string | undefined;
    }
  | { readonly kind: "followed again" };

/** There is too little room on the disk for a version, which stays where it is then. */
export class NoRoomError extends Error {
  override readonly name = "NoRoomError";
}

/** What is wrong now, and when to try again. */
export interface RemoteProblems {
  readonly current: () => RemoteProblem | undefined;
  readonly refusedVersion: () => string | undefined;
  readonly note: (error: unknown, pointer: Pointer | undefined) => void;
  readonly noteMissing: () => void;
  readonly noteOlder: (pointer: Pointer, lowest: number) => void;
  readonly clear: () => void;
  /** Whether this very version failed so recently that pulling it again would be waste. */
  readonly isWaiting: (pointer: Pointer) => boolean;
  /** How long not to ask at all. */
  readonly restMs: () => number;
}

/** How long a problem is left alone: the first time, and at most, as each time doubles it. */
interface Patience {
  readonly firstMs: number;
  readonly mostMs: number;
  /** Whether the remote place is not asked at all meanwhile. */
  readonly isRest: boolean;
}

/** Nobody is there, or nobody lets us in: asking each second would help neither side. With its jitter the rest is at most 30 s. */
const OUT_OF_REACH: Patience = { firstMs: 1_000, mostMs: 24_000, isRest: true };

/** What is only half there may be whole soon; what is forged never is, and each look costs but its manifest and what failed. */
const REFUSED: Patience = { firstMs: 1_000, mostMs: 60_000, isRest: false };

/** All that had come was given up to make room: somebody has to make more. */
const NO_ROOM: Patience = { firstMs: 60_000, mostMs: 900_000, isRest: false };

const PATIENCE: Readonly<Partial<Record<RemoteProblem, Patience>>> = {
  REMOTE_AWAY: OUT_OF_REACH,
  REMOTE_REFUSED: OUT_OF_REACH,
  REMOTE_NO_ROOM: NO_ROOM,
};

function patienceWith(problem: RemoteProblem): Patience {
  return PATIENCE[problem] ?? REFUSED;
}

/** Another process of this home pulls the same version: that is no problem, and is soon over. */
function isPulledByAnother(error: unknown): boolean {
  return error instanceof SnapshotError && error.code === "PUBLISH_LOCKED";
}

function problemOf(error: unknown): RemoteProblem {
  if (error instanceof RemoteError || error instanceof SnapshotError) return error.code;
  return error instanceof NoRoomError ? "REMOTE_NO_ROOM" : "REMOTE_FAILED";
}

/** The text of any error that is not ours could hold a path or a secret. */
function detailOf(error: unknown): string {
  const isOurs =
    error instanceof RemoteError || error instanceof SnapshotError || error instanceof NoRoomError;
  if (isOurs) return error.message;
  const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
  return `an unexpected failure${code}`;
}

interface Fault {
  readonly problem: RemoteProblem;
  readonly detail: string;
  readonly pointer: Pointer | undefined;
}

/** Remembers what is wrong; tells of it once, however often it comes again. */
export function createRemoteProblems(
  nowMs: () => number,
  onEvent: (event: RemoteProblemEvent) => void,
): RemoteProblems {
  let last: (Fault & { readonly atMs: number; readonly waitMs: number }) | undefined;

  const put = ({ problem, detail, pointer }: Fault): void => {
    const isSame = last?.problem === problem && last.pointer?.version === pointer?.version;
    const { firstMs, mostMs } = patienceWith(problem);
    const waitMs = isSame ? Math.min(mostMs, (last?.waitMs ?? 0) * 2) : firstMs;
    last = { problem, detail, pointer, atMs: nowMs(), waitMs };
    if (!isSame) onEvent({ kind: "not followed", problem, detail, refusedVersion: pointer?.version });
  };

  return {
    current: () => last?.problem,
    refusedVersion: () => last?.pointer?.version,
    note: (error, pointer) => {
      if (isPulledByAnother(error)) return;
      put({ problem: problemOf(error), detail: detailOf(error), pointer });
    },
    noteMissing: () =>
      put({
        problem: "REMOTE_MISSING",
        detail: "current.json: is not there; nothing was published there yet, or the address is another",
        pointer: undefined,
      }),
    noteOlder: (pointer, lowest) =>
      put({
        problem: "REMOTE_STALE",
        detail: `current.json: names sequence ${pointer.sequence}, but ${lowest} was seen before`,
        pointer,
      }),
    clear: () => {
      if (last !== undefined) onEvent({ kind: "followed again" });
      last = undefined;
    },
    isWaiting: (pointer) => {
      if (last === undefined || last.pointer?.version !== pointer.version) return false;
      const waitedMs = nowMs() - last.atMs;
      // A clock set back must not stretch the wait.
      return waitedMs >= 0 && waitedMs < last.waitMs;
    },
    restMs: () => (last !== undefined && patienceWith(last.problem).isRest ? last.waitMs : 0),
  };
}
