import { backOffMs } from "./back-off.ts";
import type { HttpEffects } from "./http-effects.ts";
import { HttpFault } from "./http-fault.ts";
import { backOffOf, type HttpSettings } from "./http-settings.ts";
import type { OriginLane } from "./origin-lane.ts";
import { createPatience, mayBeTooMuch } from "./patience.ts";

/** What repeating needs to know, and whom it tells. */
export interface Repeating {
  readonly lane: OriginLane;
  readonly settings: HttpSettings;
  readonly effects: HttpEffects;
  readonly signal: AbortSignal;
  readonly canAskForLess: boolean;
  readonly onFault: (fault: HttpFault) => void;
  readonly onRetry: () => void;
}

/**
 * Attempts in the lane until one brings a result. Throws `HttpFault` once patience ends, and anything else at once.
 * Our own loop: undici's retry leaves POST out, and knows nothing of answers that are not JSON.
 */
export async function repeatRequest<Result>(
  attemptOnce: () => Promise<Result>,
  { lane, settings, effects, signal, canAskForLess, onFault, onRetry }: Repeating,
): Promise<Result> {
  const patience = createPatience(settings, canAskForLess);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await lane.run(attemptOnce);
    } catch (error) {
      if (!(error instanceof HttpFault)) throw error;
      onFault(error);
      const refusal = patience.refusalOf(error, attempt);
      if (refusal !== undefined) {
        const isTooMuch = error.isTooMuch || (canAskForLess && mayBeTooMuch(error));
        throw new HttpFault("final", refusal, { isTooMuch });
      }
      const wishMs = error.retryAfterMs ?? 0;
      const waitMs = wishMs > 0 ? wishMs : backOffMs(backOffOf(settings), attempt, effects.random());
      // What an origin asks of one request holds for all of them: the lane waits, and whoever is in it.
      if (error.isRateLimit || wishMs > 0) lane.pause(waitMs);
      else await effects.sleep(waitMs, signal);
      onRetry();
    }
  }
}
