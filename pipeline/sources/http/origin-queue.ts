import { PipelineError } from "../../facts/errors.ts";
import type { HttpEffects, HttpSettings } from "./http-settings.ts";

/** The requests to one origin: so many at a time, so far apart. */
interface OriginQueue {
  /** Runs the task when there is room and its turn has come. First come, first served. */
  run<Result>(task: () => Promise<Result>): Promise<Result>;
  /** Nobody starts for so long: the origin asked for it. */
  pause(waitMs: number): void;
}

/** What all queues share, and the rates of some origins. */
interface OriginQueuesOptions {
  readonly effects: Pick<HttpEffects, "nowMs" | "sleep">;
  readonly settings: Pick<HttpSettings, "requestsPerMinute" | "concurrencyMax">;
  readonly requestsPerMinuteOf: Readonly<Record<string, number>>;
  /** Ends all waiting. */
  readonly signal: AbortSignal;
}

/** Gives every origin one queue, and always the same. Throws BAD_OPTION for a rate that is none. */
export function createOriginQueues(options: OriginQueuesOptions): (origin: string) => OriginQueue {
  const rates = new Map(Object.entries(options.requestsPerMinuteOf));
  for (const [origin, rate] of rates) {
    if (Number.isFinite(rate) && rate > 0) continue;
    throw new PipelineError(
      "BAD_OPTION",
      `the requests per minute of ${origin} must be a number above 0, not ${rate}`,
    );
  }
  const queues = new Map<string, OriginQueue>();
  return (origin) => {
    const spacingMs = 60_000 / (rates.get(origin) ?? options.settings.requestsPerMinute);
    const queue = queues.get(origin) ?? createOriginQueue(options, spacingMs);
    queues.set(origin, queue);
    return queue;
  };
}

/** Starts are spaced evenly, without bursts: limits of hubs are windows whose edges we do not know. */
function createOriginQueue(
  { effects, settings, signal }: OriginQueuesOptions,
  spacingMs: number,
): OriginQueue {
  const room = createRoom(settings.concurrencyMax);
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
