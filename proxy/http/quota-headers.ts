/** Where an account stands in its day, as its caller may know it. */
export interface QuotaStanding {
  readonly limit: number;
  readonly remaining: number;
  /** 00:00 UTC after the day of admission. */
  readonly resetAtMs: number;
  readonly secondsToReset: number;
}

const DAY_SECONDS = 86_400;

/** The quota headers: the IETF draft's two, and the three that older clients read. */
export function quotaHeaders(standing: QuotaStanding): Record<string, string> {
  return {
    "ratelimit-policy": `"daily";q=${standing.limit};w=${DAY_SECONDS}`,
    ratelimit: `"daily";r=${standing.remaining};t=${standing.secondsToReset}`,
    "x-ratelimit-limit": String(standing.limit),
    "x-ratelimit-remaining": String(standing.remaining),
    "x-ratelimit-reset": String(standing.resetAtMs / 1000),
  };
}
