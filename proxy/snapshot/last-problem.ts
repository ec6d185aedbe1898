/** Waits in milliseconds: the first after a problem, and the longest of its repetitions. */
export interface Backoff {
  readonly firstMs: number;
  readonly mostMs: number;
}

interface MarkedProblem<Code> {
  readonly problem: Code;
  readonly mark: string;
}

/** Remembers the last problem, and how long to wait before the same version is tried again: each repetition doubles it. */
export function createLastProblem<Problem extends MarkedProblem<unknown>>(
  nowMs: () => number,
  backoffOf: (problem: Problem["problem"]) => Backoff,
) {
  let last: (Problem & { readonly atMs: number; readonly waitMs: number }) | undefined;
  return {
    current: () => last,
    put: (next: Problem): boolean => {
      const isSame = last?.problem === next.problem && last?.mark === next.mark;
      const { firstMs, mostMs } = backoffOf(next.problem);
      const waitMs = isSame ? Math.min(mostMs, (last?.waitMs ?? 0) * 2) : firstMs;
      last = { ...next, atMs: nowMs(), waitMs };
      return !isSame;
    },
    clear: (): void => {
      last = undefined;
    },
    /** Whether this version failed so recently that it should not be tried again yet. */
    isWaiting: (mark: string): boolean => {
      if (last?.mark !== mark) return false;
      const waitedMs = nowMs() - last.atMs;
      // Setting the clock back must not prolong the wait.
      return waitedMs >= 0 && waitedMs < last.waitMs;
    },
  };
}
