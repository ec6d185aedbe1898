import { createHttpClient } from "../sources/http/create-http-client.ts";
import type { HttpClient } from "../sources/http/http-client.ts";
import { sleepOnTimer } from "../sources/http/http-effects.ts";
import type { RunEffects } from "./effects.ts";
import { programVersion } from "./program-versions.ts";
import type { Settings } from "./settings.ts";

/** How fast to ask each origin; what is left out takes the door's default. */
export interface HttpPace {
  readonly requestsPerMinute?: number | undefined;
  readonly concurrencyMax?: number | undefined;
}

/** Opens the door to the network for one command, which closes it. */
export function openHttp(
  settings: Settings,
  { nowMs }: Pick<RunEffects, "nowMs">,
  pace: HttpPace,
): HttpClient {
  const { requestsPerMinute, concurrencyMax } = pace;
  return createHttpClient({
    // Chance spreads retries and decides nothing else.
    effects: { nowMs, sleep: sleepOnTimer, random: Math.random },
    version: programVersion(settings.packageDirectory),
    settings: {
      ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
      ...(concurrencyMax === undefined ? {} : { concurrencyMax }),
    },
  });
}
