/** Waits so long, or until the signal ends it; never rejects. */
export type Rest = (waitMs: number, signal: AbortSignal) => Promise<void>;

/** Work that is done again and again. */
export interface Turns {
  /** Begins, and comes back once `isSettled` after a turn, at the latest after `mostMs` or at the end. */
  readonly start: (isSettled: () => boolean, mostMs: number) => Promise<void>;
  /** Ends it and waits for the turn under way, at most `mostMs`. */
  readonly stop: (mostMs: number) => Promise<void>;
  /** Aborted at the end. */
  readonly signal: AbortSignal;
}

/** Runs turns one after another; each says how many milliseconds later the next begins, and never rejects. */
export function createTurns(turn: () => Promise<number>, rest: Rest): Turns {
  const ending = new AbortController();
  let running: Promise<void> | undefined;

  const run = async (afterTurn: () => void): Promise<void> => {
    while (!ending.signal.aborted) {
      const waitMs = await turn();
      afterTurn();
      await rest(waitMs, ending.signal);
    }
  };

  return {
    signal: ending.signal,
    start: async (isSettled, mostMs) => {
      const settled = new AbortController();
      running = run(() => {
        if (isSettled()) settled.abort();
      });
      if (!isSettled()) await rest(mostMs, AbortSignal.any([settled.signal, ending.signal]));
    },
    stop: async (mostMs) => {
      ending.abort();
      const over = new AbortController();
      await Promise.race([running, rest(mostMs, over.signal)]);
      over.abort();
    },
  };
}
