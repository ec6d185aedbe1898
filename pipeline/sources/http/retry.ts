import type { FaultKind, HttpFailure } from "./http-fault.ts";
import type { HttpSettings } from "./http-settings.ts";

/** How long to wait before the next attempt, or why there is none, continuing "<origin> …". */
type RetryDecision =
  | { readonly waitMs: number; readonly giveUp?: undefined }
  | { readonly waitMs?: undefined; readonly giveUp: string };

/** Attempts for a request that can be made smaller: enough to tell a temporary fault from one of its size. */
const ATTEMPTS_BEFORE_LESS = 2;

/** Judges the faults of one request, in order. Each kind of fault has a limit, and so have all together. */
export function createRetryPolicy(
  settings: HttpSettings,
  {
    canAskForLess,
    attemptsMax: attemptsMaxNow,
    random,
  }: {
    /** Known once the request was sent. */
    readonly canAskForLess: () => boolean;
    /** Asked for after each fault, as it depends on other requests. */
    readonly attemptsMax: () => number;
    readonly random: () => number;
  },
): (fault: HttpFailure, attempt: number) => RetryDecision {
  const { attemptsMax, serverErrorAttemptsMax, retryAfterMaxMs } = settings;
  const left: Record<FaultKind, number> = {
    passing: attemptsMax,
    server: serverErrorAttemptsMax,
    garbled: 2,
    final: 1,
  };
  return ({ message, data }, attempt) => {
    const { kind, mayBeTooMuch, retryAfterMs = 0 } = data;
    left[kind] -= 1;
    const most = canAskForLess() && mayBeTooMuch ? ATTEMPTS_BEFORE_LESS : attemptsMaxNow();
    if (left[kind] <= 0 || attempt >= most) {
      return { giveUp: attempt === 1 ? message : `${message} (given up after ${attempt} attempts)` };
    }
    if (retryAfterMs > retryAfterMaxMs) {
      const [asked, longest] = [retryAfterMs, retryAfterMaxMs].map((ms) => Math.ceil(ms / 1000));
      return {
        giveUp: `${message} and requested a wait of ${asked} s, longer than our limit of ${longest} s`,
      };
    }
    return { waitMs: retryAfterMs > 0 ? retryAfterMs : backOffMs(settings, attempt, random()) };
  };
}

/**
 * Tracks whether an origin answers, which decides how patient the next request to it is. An outage is waited for as long as its settings allow, but by the requests that
 * meet it and not by each one after them: once a request was given up and no other was answered meanwhile, the origin
 * is away, and every request is sent once until one is answered. An origin that never answered may have a wrong
 * address, and is tried less often than one that did.
 */
export function createOriginHealth(settings: Pick<HttpSettings, "attemptsMax" | "attemptsUntilReachedMax">) {
  let answers = 0;
  let wasReached = false;
  let isAway = false;
  return {
    /** The attempts that a request may make. */
    attemptsMax(): number {
      if (isAway) return 1;
      const { attemptsMax, attemptsUntilReachedMax } = settings;
      return wasReached ? attemptsMax : Math.min(attemptsMax, attemptsUntilReachedMax);
    },
    /** It answered as the source expects, if only that it is out of order. */
    reached(): void {
      wasReached = true;
    },
    answered(): void {
      answers += 1;
      isAway = false;
    },
    /** Begins a request; call the result when its passing faults were too many. */
    begin(): () => void {
      const before = answers;
      return () => {
        if (answers === before) isAway = true;
      };
    },
  };
}

/** The wait after the n-th failure: doubles each time, scaled to 50–100 % so that clients do not all return at once. */
function backOffMs(
  { backOffFirstMs, backOffLongestMs }: Pick<HttpSettings, "backOffFirstMs" | "backOffLongestMs">,
  attempt: number,
  random: number,
): number {
  return Math.min(backOffLongestMs, backOffFirstMs * 2 ** (attempt - 1)) * (0.5 + random / 2);
}
