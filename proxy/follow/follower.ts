import { FORMAT_VERSION } from "../../snapshots/format/limits.ts";
import type { Pointer } from "../../snapshots/format/manifest.ts";
import type { PullResult } from "../../snapshots/remote/pull-version.ts";
import type { RemotePointer } from "../../snapshots/remote/remote-pointer.ts";
import { RemoteError } from "../../snapshots/remote/remote-store.ts";
import { formatUnknown, POINTER_FILE } from "../../snapshots/store/read/read-pointer.ts";
import { SnapshotError } from "../../snapshots/store/read/snapshot-error.ts";
import type { RemoteProblem, RemoteStatus } from "../snapshot/snapshot-source.ts";
import { NoRoomError } from "./keep-copy.ts";

/** What happened to the copy, for the log; `detail` holds no credential and no path of this machine. */
export type FollowerEvent =
  | (Omit<Extract<PullResult, { kind: "pulled" }>, "etag"> & { readonly durationMs: number })
  | {
      readonly kind: "not followed";
      readonly problem: RemoteProblem;
      readonly detail: string;
      readonly refusedVersion: string | undefined;
    }
  | { readonly kind: "followed again" }
  /** What was pulled is older than what was seen. */
  | { readonly kind: "went back"; readonly sequence: number; readonly seen: number };

/** What the follower needs; everything that takes time or touches anything is given to it. */
export interface FollowerParts {
  /** The remote pointer, or that it has not changed since `knownEtag`; undefined where there is none. */
  readonly look: (
    knownEtag: string | undefined,
  ) => Promise<Pick<RemotePointer, "pointer" | "etag"> | "unchanged" | undefined>;
  /** Brings what the remote pointer names here, whole or not at all; an older version than was seen only if allowed. */
  readonly pull: (isOlder: boolean) => Promise<PullResult>;
  /** The pointer of the copy here. */
  readonly here: () => Pointer | undefined;
  /** Whether versions are taken without asking who signed them. */
  readonly isUnsigned: boolean;
  /** No lower sequence is ever taken. */
  readonly sequenceMin: number;
  /** The highest sequence that was ever served from this home. */
  readonly highest: () => number;
  readonly nowMs: () => number;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly onEvent: (event: FollowerEvent) => void;
}

/** Keeps the copy here what is published elsewhere. */
export interface Follower {
  /** Looks once and does what is to be done; how many milliseconds later to come again. Never rejects. */
  readonly step: () => Promise<number>;
  readonly status: () => RemoteStatus;
}

/** A pointer that has not changed costs one request without a body. */
const POLL_MS = 1_000;

/**
 * Without signatures nobody vouches for a sequence: one that was set too high by whoever could write to the remote place
 * for a while would refuse every honest version after it. So an older version is taken once nothing newer was named for so
 * long, which is far beyond any cache that shows an old pointer now and then.
 */
export const BELIEVED_AFTER_MS = 600_000;

/** Each wait is up to so much longer, so that proxies which started together do not ask together. */
const JITTER = 0.25;

/** How long to wait after a problem: the first time, and at most, as each time doubles it. */
interface Backoff {
  readonly firstMs: number;
  readonly mostMs: number;
  /** Whether the remote place is not asked at all meanwhile. */
  readonly isRest: boolean;
}

/** Asking each second would help neither side. With its jitter the rest is at most 30 s. */
const OUT_OF_REACH: Backoff = { firstMs: 1_000, mostMs: 24_000, isRest: true };

/** What is half there may be whole soon; what is forged never is, and each look costs its manifest and what failed. */
const REFUSED: Backoff = { firstMs: 1_000, mostMs: 60_000, isRest: false };

/** Everything that had come was deleted to make room: somebody has to make more. */
const NO_ROOM: Backoff = { firstMs: 60_000, mostMs: 900_000, isRest: false };

const BACKOFFS: Readonly<Partial<Record<RemoteProblem, Backoff>>> = {
  REMOTE_AWAY: OUT_OF_REACH,
  REMOTE_REFUSED: OUT_OF_REACH,
  REMOTE_NO_ROOM: NO_ROOM,
};

const backoffOf = (problem: RemoteProblem): Backoff => BACKOFFS[problem] ?? REFUSED;

/**
 * Follows a remote pointer by its ETag. What cannot be fetched, believed or understood changes nothing here but the
 * status: the copy stays what it was.
 */
export function createFollower(parts: FollowerParts): Follower {
  const { nowMs } = parts;
  const problems = createProblems(nowMs, parts.onEvent);
  let last: Pick<RemotePointer, "pointer" | "etag"> | undefined;
  let upToDateAtMs: number | undefined;
  let bytesPulled = 0;
  /** Since when the place has named nothing but versions older than was seen. */
  let olderSinceMs: number | undefined;

  const isHere = (pointer: Pointer): boolean => {
    const here = parts.here();
    return here?.version === pointer.version && here.sequence === pointer.sequence;
  };

  const accept = (): void => {
    olderSinceMs = undefined;
    upToDateAtMs = nowMs();
    problems.clear();
  };

  const isBelieved = (sequence: number): boolean => {
    // A clock set back begins anew.
    olderSinceMs = Math.min(olderSinceMs ?? nowMs(), nowMs());
    const isAllowed = parts.isUnsigned && sequence >= parts.sequenceMin;
    return isAllowed && nowMs() - olderSinceMs >= BELIEVED_AFTER_MS;
  };

  const pull = async (pointer: Pointer, seen: number): Promise<void> => {
    const beganMs = nowMs();
    const isOlder = pointer.sequence < seen;
    const result = await parts.pull(isOlder);
    if (result.kind === "pulled") {
      bytesPulled += result.bytes;
      const { etag: _, ...pulled } = result;
      parts.onEvent({ ...pulled, durationMs: nowMs() - beganMs });
      if (isOlder) parts.onEvent({ kind: "went back", sequence: pointer.sequence, seen });
      accept();
      // Nothing came where another process of the same home was faster.
    } else if (isHere(pointer)) accept();
  };

  const follow = async (pointer: Pointer): Promise<void> => {
    try {
      if (isHere(pointer)) return accept();
      if (problems.isWaiting(pointer)) return;
      // Nothing here could be served of it, and after a restart not the last good version either.
      if (pointer.format !== FORMAT_VERSION) throw formatUnknown(POINTER_FILE, pointer.format);
      const { sequence } = pointer;
      const seen = Math.max(parts.here()?.sequence ?? 0, parts.highest());
      if (sequence >= seen) olderSinceMs = undefined;
      if (sequence >= seen || isBelieved(sequence)) return await pull(pointer, seen);
      const detail = `current.json: names sequence ${sequence}, but ${seen} was seen before`;
      problems.put({ problem: "REMOTE_STALE", detail, pointer });
    } catch (error) {
      problems.note(error, pointer);
    }
  };

  const look = async (): Promise<void> => {
    const found = await parts.look(last?.etag);
    if (found !== "unchanged") last = found;
    if (last !== undefined) return follow(last.pointer);
    const detail = "current.json: is missing; nothing has been published there yet, or the address is wrong";
    problems.put({ problem: "REMOTE_MISSING", detail, pointer: undefined });
  };

  return {
    status: () => ({
      problem: problems.current()?.problem,
      refusedVersion: problems.current()?.pointer?.version,
      upToDateAtMs,
      bytesPulled,
    }),
    step: async () => {
      try {
        await look();
      } catch (error) {
        problems.note(error, undefined);
      }
      const waitMs = Math.max(POLL_MS, problems.restMs());
      return Math.round(waitMs * (1 + JITTER * parts.random()));
    },
  };
}

interface Problem {
  readonly problem: RemoteProblem;
  readonly detail: string;
  readonly pointer: Pointer | undefined;
}

/** Remembers what is wrong and when to try again; reports it once, however often it comes again. */
function createProblems(nowMs: () => number, onEvent: FollowerParts["onEvent"]) {
  let last: (Problem & { readonly atMs: number; readonly waitMs: number }) | undefined;

  const put = (found: Problem): void => {
    const { problem, detail, pointer } = found;
    const isSame = last?.problem === problem && last.pointer?.version === pointer?.version;
    const { firstMs, mostMs } = backoffOf(problem);
    const waitMs = isSame ? Math.min(mostMs, (last?.waitMs ?? 0) * 2) : firstMs;
    last = { ...found, atMs: nowMs(), waitMs };
    if (!isSame) onEvent({ kind: "not followed", problem, detail, refusedVersion: pointer?.version });
  };

  return {
    current: () => last,
    put,
    note: (error: unknown, pointer: Pointer | undefined): void => {
      // Another process of this home pulls the same version, which is soon over.
      if (error instanceof SnapshotError && error.code === "PUBLISH_LOCKED") return;
      put({ ...describe(error), pointer });
    },
    clear: (): void => {
      if (last !== undefined) onEvent({ kind: "followed again" });
      last = undefined;
    },
    /** Whether this very version failed so recently that pulling it again would be waste. */
    isWaiting: (pointer: Pointer): boolean => {
      if (last === undefined || last.pointer?.version !== pointer.version) return false;
      const waitedMs = nowMs() - last.atMs;
      // A clock set back must not stretch the wait.
      return waitedMs >= 0 && waitedMs < last.waitMs;
    },
    /** How long not to ask at all. */
    restMs: (): number => (last !== undefined && backoffOf(last.problem).isRest ? last.waitMs : 0),
  };
}

function describe(error: unknown): Pick<Problem, "problem" | "detail"> {
  const shortage = shortageIn(error);
  if (shortage !== undefined) return { problem: "REMOTE_NO_ROOM", detail: shortage.message };
  if (error instanceof RemoteError || error instanceof SnapshotError) {
    return { problem: error.code, detail: error.message };
  }
  // The text of any other error could hold a path or a secret.
  const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
  return { problem: "REMOTE_FAILED", detail: `an unexpected failure${code}` };
}

/** The store keeps what a disk refused as the cause of its own error. */
function shortageIn(error: unknown): NoRoomError | undefined {
  if (error instanceof NoRoomError) return error;
  return error instanceof Error ? shortageIn(error.cause) : undefined;
}
