import type { HttpEffects, HttpSettings } from "./http-settings.ts";

/**
 * Opens the queue of one origin, which limits concurrency and rate of its requests; aborting the signal ends all waiting.
 * Requests start at even intervals, without bursts, as the edges of the hubs' rate windows are unknown.
 */
export function createOriginQueue({
  nowMs,
  sleep,
  settings,
  signal,
}: Pick<HttpEffects, "nowMs" | "sleep"> & {
  readonly settings: Pick<HttpSettings, "requestsPerMinute" | "concurrencyMax">;
  readonly signal: AbortSignal;
}) {
  const spacingMs = 60_000 / settings.requestsPerMinute;
  const slots = createSlots(settings.concurrencyMax);
  let nextStartAtMs = Number.NEGATIVE_INFINITY;
  let longestWaitMs = spacingMs;
  let lastTurn: Promise<void> = Promise.resolve();

  async function waitForTurn(): Promise<void> {
    let sleptUntilMs: number | undefined;
    for (;;) {
      signal.throwIfAborted();
      const untilMs = nextStartAtMs;
      const waitMs = untilMs - nowMs();
      // A timer may fire slightly early; a pause during the sleep changes `untilMs`.
      if (waitMs <= 0 || untilMs === sleptUntilMs) break;
      // If the clock was set back, do not wait for that difference.
      await sleep(Math.min(waitMs, longestWaitMs), signal);
      sleptUntilMs = untilMs;
    }
    nextStartAtMs = nowMs() + spacingMs;
    longestWaitMs = spacingMs;
  }

  return {
    /** Runs the task when a slot is free and its turn has come, in the order of the calls. */
    async run<Result>(task: () => Promise<Result>): Promise<Result> {
      await slots.enter();
      try {
        const turn = lastTurn.then(waitForTurn);
        lastTurn = turn.catch(() => {});
        await turn;
        return await task();
      } finally {
        slots.leave();
      }
    },
    /** Starts no task for this long, as the origin requested. */
    pause(waitMs: number): void {
      nextStartAtMs = Math.max(nextStartAtMs, nowMs() + waitMs);
      longestWaitMs = Math.max(longestWaitMs, waitMs);
    },
  };
}

/** A semaphore that admits waiters in order. After an abort all tasks inside end, which empties it. */
function createSlots(size: number) {
  const waiting: (() => void)[] = [];
  let free = size;
  return {
    async enter(): Promise<void> {
      if (free > 0) free -= 1;
      else await new Promise<void>((admit) => waiting.push(admit));
    },
    leave(): void {
      const admit = waiting.shift();
      if (admit === undefined) free += 1;
      else admit();
    },
  };
}

/**
 * Tracks whether an origin answers, which decides how patient the next request to it is. An outage is waited for as long as
 * its settings allow, but by the requests that meet it and not by each one after them: once a request was given up and no
 * other was answered meanwhile, the origin is away, and every request is sent once until one is answered. An origin that
 * never answered may have a wrong address, and is tried less often than one that did.
 */
export function createOriginHealth(settings: Pick<HttpSettings, "attemptsMax" | "attemptsUntilReachedMax">) {
  let answers = 0;
  let wasReached = false;
  let isAway = false;
  return {
    attemptsMax(): number {
      if (isAway) return 1;
      const { attemptsMax, attemptsUntilReachedMax } = settings;
      return wasReached ? attemptsMax : Math.min(attemptsMax, attemptsUntilReachedMax);
    },
    /** It answered as the source expects, if only that it is out of order. */
    reached(): void {
      wasReached = true;
    },
    answered(): void {
      answers += 1;
      isAway = false;
    },
    /** Begins a request; call the result when its passing faults were too many. */
    begin(): () => void {
      const before = answers;
      return () => {
        if (answers === before) isAway = true;
      };
    },
  };
}
