import type { HttpEffects, HttpSettings } from "./http-settings.ts";

/** The requests to one origin: so many at a time, so far apart. */
export type OriginQueue = ReturnType<typeof createOriginQueue>;

/**
 * Opens the queue of one origin; an end of the signal ends all waiting. Starts are spaced evenly, without bursts: limits
 * of hubs are windows whose edges we do not know.
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
  const room = createRoom(settings.concurrencyMax);
  let nextStartAtMs = Number.NEGATIVE_INFINITY;
  let longestWaitMs = spacingMs;
  let lastTurn: Promise<void> = Promise.resolve();

  async function waitForTurn(): Promise<void> {
    let sleptUntilMs: number | undefined;
    for (;;) {
      signal.throwIfAborted();
      const untilMs = nextStartAtMs;
      const waitMs = untilMs - nowMs();
      // A timer may fire a little early; a pause during the sleep moved `untilMs`.
      if (waitMs <= 0 || untilMs === sleptUntilMs) break;
      // A clock that was set back must not stop us for as long as it was set back.
      await sleep(Math.min(waitMs, longestWaitMs), signal);
      sleptUntilMs = untilMs;
    }
    nextStartAtMs = nowMs() + spacingMs;
    longestWaitMs = spacingMs;
  }

  return {
    /** Runs the task when there is room and its turn has come. First come, first served. */
    async run<Result>(task: () => Promise<Result>): Promise<Result> {
      await room.enter();
      try {
        const turn = lastTurn.then(waitForTurn);
        lastTurn = turn.catch(() => {});
        await turn;
        return await task();
      } finally {
        room.leave();
      }
    },
    /** Nobody starts for so long: the origin asked for it. */
    pause(waitMs: number): void {
      nextStartAtMs = Math.max(nextStartAtMs, nowMs() + waitMs);
      longestWaitMs = Math.max(longestWaitMs, waitMs);
    },
  };
}

/** A room for so many; the others wait outside, in order. An end of the signal empties it, since all work inside ends. */
function createRoom(size: number) {
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
