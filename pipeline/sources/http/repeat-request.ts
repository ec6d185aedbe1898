import type { HttpEffects } from "./http-client.ts";
import { type FaultKind, HttpFault } from "./http-fault.ts";
import { backOffMs, backOffOf, type HttpSettings } from "./http-settings.ts";
import type { OriginLane } from "./origin-lanes.ts";

/** How much one request is still given; counts what it is asked about. */
export interface Patience {
  /** Why this fault of this attempt ends the request, continuing "<origin> …"; `undefined` when it is tried again. */
  refusalOf(fault: HttpFault, attempt: number): string | undefined;
}

/** Of a request that can be made smaller, as often as tells a passing fault from one of its size. */
const ATTEMPTS_BEFORE_LESS = 2;

/** Whether a smaller question might have been answered; one that came too early would not. */
export function mayBeTooMuch({ kind, isRateLimit }: HttpFault): boolean {
  return kind !== "final" && !isRateLimit;
}

/** Full patience for one request. Each kind of fault has its own limit, and all together have one. */
export function createPatience(settings: HttpSettings, canAskForLess = false): Patience {
  const { attemptsMax, serverErrorAttemptsMax, retryAfterMaxMs } = settings;
  const limits: Readonly<Record<FaultKind, number>> = {
    passing: attemptsMax,
    server: serverErrorAttemptsMax,
    garbled: 2,
    final: 1,
  };
  const seen: Record<FaultKind, number> = { passing: 0, server: 0, garbled: 0, final: 0 };

  return {
    refusalOf(fault, attempt) {
      const { kind, message, retryAfterMs = 0 } = fault;
      seen[kind] += 1;
      const attemptsLeft =
        (canAskForLess && mayBeTooMuch(fault) ? ATTEMPTS_BEFORE_LESS : attemptsMax) - attempt;
      if (seen[kind] >= limits[kind] || attemptsLeft <= 0) {
        return attempt === 1 ? message : `${message} (given up after ${attempt} attempts)`;
      }
      if (retryAfterMs <= retryAfterMaxMs) return undefined;
      const [wishSeconds, mostSeconds] = [retryAfterMs, retryAfterMaxMs].map((ms) => Math.ceil(ms / 1000));
      return `${message} and asks us to wait ${wishSeconds} s, longer than the ${mostSeconds} s we wait`;
    },
  };
}

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
