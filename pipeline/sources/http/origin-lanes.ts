import { PipelineError } from "../../base/pipeline-error.ts";
import type { HttpEffects } from "./http-effects.ts";
import type { HttpSettings } from "./http-settings.ts";
import { createOriginLane, type OriginLane } from "./origin-lane.ts";

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
