import { describeError, type Log } from "./create-log.ts";

/** Who ran into it: a look at a key, a charge or refund of one request, or the commit of all that wait in a turn. */
export type FailedStore = "keys" | "quota" | "quota commit";

/** What telling of failed stores needs. */
export interface StoreFailureRules {
  readonly nowMs: () => number;
  /** Called for each failure that got no line of its own. */
  readonly onDropped: () => void;
}

/** A full disk fails every request: one line a second of each kind says as much as all of them. */
const EVERY_MS = 1_000;

/** Where in the code it was says nothing new the second time. */
const FRAMES_EVERY_MS = 60_000;

/** A handful of codes at a few places; should that ever break, the memory of them does not grow without end. */
const KINDS_MAX = 64;

interface LoggedKind {
  readonly lineAtMs: number;
  readonly framesAtMs: number;
  readonly unlogged: number;
}

/**
 * Tells of stores that failed: one line a second of each kind, with how many failures it stands for. A commit that fails
 * is one failure, and not one more for each request that waited for it.
 */
export function logStoreFailures(
  log: Log,
  { nowMs, onDropped }: StoreFailureRules,
): (where: FailedStore, error: unknown) => void {
  const kinds = new Map<string, LoggedKind>();
  const seen = new WeakSet<object>();
  return (where, error) => {
    if (typeof error === "object" && error !== null) {
      if (seen.has(error)) return;
      seen.add(error);
    }
    const { frames, ...words } = describeError(error);
    const kind = JSON.stringify([where, words]);
    const last = kinds.get(kind);
    const atMs = nowMs();
    if (last !== undefined && isWithin(atMs - last.lineAtMs, EVERY_MS)) {
      kinds.set(kind, { ...last, unlogged: last.unlogged + 1 });
      return onDropped();
    }
    const hasFrames = last === undefined || !isWithin(atMs - last.framesAtMs, FRAMES_EVERY_MS);
    if (kinds.size >= KINDS_MAX) kinds.clear();
    kinds.set(kind, { lineAtMs: atMs, framesAtMs: hasFrames ? atMs : last.framesAtMs, unlogged: 0 });
    const failures = 1 + (last?.unlogged ?? 0);
    log.error(
      {
        where,
        ...words,
        failures: failures === 1 ? undefined : failures,
        frames: hasFrames ? frames : undefined,
      },
      "store failed",
    );
  };
}

/** A clock set back must not silence anything. */
function isWithin(ageMs: number, lastsMs: number): boolean {
  return ageMs >= 0 && ageMs < lastsMs;
}
