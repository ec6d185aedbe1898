import type { HttpSettings } from "./http-settings.ts";

/** What is known of an origin from all requests to it: it decides how patient the next one is. */
export type OriginHealth = ReturnType<typeof createOriginHealth>;

/**
 * Tracks whether an origin answers. An outage is waited for as long as its settings allow, but by the requests that
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
    /** A request was answered. */
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
