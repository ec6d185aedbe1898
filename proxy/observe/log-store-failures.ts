import { describeError, type Log } from "./create-log.ts";

/** What failed: a key lookup, a charge or refund of one request, or the commit of all waiting ones. */
export type FailedStore = "keys" | "quota" | "quota commit";

interface StoreFailureRules {
  readonly nowMs: () => number;
  /** Called for each failure that is not logged on a separate line. */
  readonly onDropped: () => void;
}

/** The time between two lines of one kind: a full disk fails every request, and more lines would add nothing. */
const EVERY_MS = 1_000;

/** The time between two stack traces of one kind: a repeated trace adds nothing. */
const FRAMES_EVERY_MS = 60_000;

/** The most kinds remembered. There are few in practice; the limit only bounds the memory. */
const KINDS_MAX = 64;

interface LoggedKind {
  readonly lineAtMs: number;
  readonly framesAtMs: number;
  readonly unlogged: number;
}

/**
 * Logs store failures: one line per second and kind, with the number of failures it represents. A failed commit is one
 * failure, regardless of how many requests waited for it.
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

/** Whether an age is within a period; false for a negative age, so that setting the clock back silences nothing. */
function isWithin(ageMs: number, lastsMs: number): boolean {
  return ageMs >= 0 && ageMs < lastsMs;
}
