import type { HttpEffects } from "./http-effects.ts";

/** The way to one origin: so many at a time, so far apart. */
export interface OriginLane {
  /** Runs the task when there is room and its turn has come. First come, first served. */
  run<Result>(task: () => Promise<Result>): Promise<Result>;
  /** Nobody starts for so long: the origin asked for it. */
  pause(waitMs: number): void;
}

/** Rate and concurrency of a lane; `signal` ends all waiting in it. */
export interface LaneOptions {
  readonly effects: Pick<HttpEffects, "nowMs" | "sleep">;
  readonly signal: AbortSignal;
  readonly concurrencyMax: number;
  /** From one start to the next. */
  readonly spacingMs: number;
}

/** Opens a lane. Starts are spaced evenly, without bursts: limits of hubs are windows whose edges we do not know. */
export function createOriginLane({ effects, signal, concurrencyMax, spacingMs }: LaneOptions): OriginLane {
  const room = createRoom(concurrencyMax);
  let nextStartAtMs = Number.NEGATIVE_INFINITY;
  let longestWaitMs = spacingMs;
  let lastTurn: Promise<void> = Promise.resolve();

  async function waitForTurn(): Promise<void> {
    let sleptUntilMs: number | undefined;
    for (;;) {
      signal.throwIfAborted();
      const untilMs = nextStartAtMs;
      const waitMs = untilMs - effects.nowMs();
      // A timer may fire a little early; a pause during the sleep moved `untilMs`.
      if (waitMs <= 0 || untilMs === sleptUntilMs) break;
      // A clock that was set back must not stop us for as long as it was set back.
      await effects.sleep(Math.min(waitMs, longestWaitMs), signal);
      sleptUntilMs = untilMs;
    }
    nextStartAtMs = effects.nowMs() + spacingMs;
    longestWaitMs = spacingMs;
  }

  return {
    async run(task) {
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
    pause(waitMs) {
      nextStartAtMs = Math.max(nextStartAtMs, effects.nowMs() + waitMs);
      longestWaitMs = Math.max(longestWaitMs, waitMs);
    },
  };
}

/** A room for so many; the others wait outside, in order. An end of the signal empties it, since all work inside ends. */
function createRoom(places: number) {
  const waiting: (() => void)[] = [];
  let free = places;
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
