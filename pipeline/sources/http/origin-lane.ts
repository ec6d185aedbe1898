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
  const room = createRoom(concurrencyMax, signal);
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

/** A room for so many; the others wait outside in order, until the signal sends them home. */
function createRoom(places: number, signal: AbortSignal) {
  const waiting: { readonly admit: () => void; readonly refuse: (reason: unknown) => void }[] = [];
  let free = places;
  signal.addEventListener("abort", () => {
    for (const one of waiting.splice(0)) one.refuse(signal.reason);
  });
  return {
    async enter(): Promise<void> {
      signal.throwIfAborted();
      if (free > 0) free -= 1;
      else await new Promise<void>((admit, refuse) => waiting.push({ admit, refuse }));
    },
    leave(): void {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next.admit();
    },
  };
}
