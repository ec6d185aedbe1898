import { PipelineError } from "../../facts/errors.ts";
import type { HttpEffects } from "./http-client.ts";
import type { HttpSettings } from "./http-settings.ts";

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

/** Rates of some origins, and of all others. */
export interface LanesOptions {
  readonly effects: HttpEffects;
  readonly settings: HttpSettings;
  readonly requestsPerMinuteOf: Readonly<Record<string, number>>;
  readonly signal: AbortSignal;
}

/** Gives every origin one lane, and always the same. Throws BAD_OPTION for a rate that is none. */
export function createOriginLanes({ effects, settings, requestsPerMinuteOf, signal }: LanesOptions) {
  const rates = new Map(Object.entries(requestsPerMinuteOf));
  for (const [origin, rate] of rates) {
    if (Number.isFinite(rate) && rate > 0) continue;
    throw new PipelineError(
      "BAD_OPTION",
      `the requests per minute of ${origin} must be a number above 0, not ${rate}`,
    );
  }
  const lanes = new Map<string, OriginLane>();
  return (origin: string): OriginLane => {
    const known = lanes.get(origin);
    if (known !== undefined) return known;
    const spacingMs = 60_000 / (rates.get(origin) ?? settings.requestsPerMinute);
    const lane = createOriginLane({
      effects,
      signal,
      concurrencyMax: settings.concurrencyMax,
      spacingMs,
    });
    lanes.set(origin, lane);
    return lane;
  };
}
