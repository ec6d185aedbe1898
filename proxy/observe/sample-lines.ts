/** How many lines are written in full, and what becomes of the rest. */
export interface SamplingRules {
  readonly nowMs: () => number;
  /** So many lines a second of each kind are written; a kind is every answer below 400, or one status above. */
  readonly linesPerSecondMax: number;
  /** Beyond that, one line in so many. */
  readonly oneIn: number;
}

/** Decides on one line: 0 is not written, 1 is written, and a higher number is written and stands for so many. */
export type LineSampler = (status: number) => number;

/**
 * Thins out lines when many come at once. Failures of ours (5xx) are always written. Each kind of refusal has lines
 * of its own, so that neither good answers nor a flood of wrong keys can push another kind out of the log.
 */
export function sampleLines({ nowMs, linesPerSecondMax, oneIn }: SamplingRules): LineSampler {
  let second = Number.NaN;
  const seen = new Map<number, number>();
  return (status) => {
    if (status >= 500) return 1;
    const now = Math.floor(nowMs() / 1000);
    if (now !== second) {
      second = now;
      seen.clear();
    }
    const kind = status < 400 ? 0 : status;
    const count = (seen.get(kind) ?? 0) + 1;
    seen.set(kind, count);
    if (count <= linesPerSecondMax) return 1;
    return (count - linesPerSecondMax) % oneIn === 0 ? oneIn : 0;
  };
}
