import type { FaultKind, HttpFault } from "./http-fault.ts";
import type { HttpSettings } from "./http-settings.ts";

/** Either how long to wait before the next attempt, or why there is none, continuing "<origin> …". */
type RetryDecision =
  | { readonly waitMs: number; readonly giveUp?: undefined }
  | { readonly waitMs?: undefined; readonly giveUp: string };

/** Of a request that can be made smaller, as often as tells a passing fault from one of its size. */
const ATTEMPTS_BEFORE_LESS = 2;

/** Whether a smaller question might have been answered; one that came too early would not. */
export function mayBeTooMuch({ kind, isRateLimit }: HttpFault): boolean {
  return kind !== "final" && !isRateLimit;
}

/** Decides about the faults of one request, in their order. Each kind of fault has its own limit, and all together have one. */
export function createRetryPolicy(
  settings: HttpSettings,
  { canAskForLess, random }: { readonly canAskForLess: boolean; readonly random: () => number },
): (fault: HttpFault, attempt: number) => RetryDecision {
  const { attemptsMax, serverErrorAttemptsMax, retryAfterMaxMs } = settings;
  const left: Record<FaultKind, number> = {
    passing: attemptsMax,
    server: serverErrorAttemptsMax,
    garbled: 2,
    final: 1,
  };
  return (fault, attempt) => {
    const { kind, message, retryAfterMs = 0 } = fault;
    left[kind] -= 1;
    const most = canAskForLess && mayBeTooMuch(fault) ? ATTEMPTS_BEFORE_LESS : attemptsMax;
    if (left[kind] <= 0 || attempt >= most) {
      return { giveUp: attempt === 1 ? message : `${message} (given up after ${attempt} attempts)` };
    }
    if (retryAfterMs > retryAfterMaxMs) {
      const [asked, longest] = [retryAfterMs, retryAfterMaxMs].map((ms) => Math.ceil(ms / 1000));
      return { giveUp: `${message} and asks us to wait ${asked} s, longer than the ${longest} s we wait` };
    }
    return { waitMs: retryAfterMs > 0 ? retryAfterMs : backOffMs(settings, attempt, random()) };
  };
}

/** The wait after the n-th failed attempt: doubled each time, then between half and all of it, so that many do not return at once. */
export function backOffMs(
  { backOffFirstMs, backOffLongestMs }: Pick<HttpSettings, "backOffFirstMs" | "backOffLongestMs">,
  attempt: number,
  random: number,
): number {
  return Math.min(backOffLongestMs, backOffFirstMs * 2 ** (attempt - 1)) * (0.5 + random / 2);
}
