/** One request that asks for one unit of an account's day. */
export interface QuotaRequest {
  readonly account: string;
  /** UTC day of admission, `YYYY-MM-DD`, by the clock of who asks. */
  readonly day: string;
  /** The limit in force at this moment. */
  readonly limit: number;
}

/** Whether the unit was granted, and what is left of the day afterwards. */
export interface QuotaAnswer {
  readonly isGranted: boolean;
  readonly remaining: number;
  /** By the clock of the store, where it has one of its own: of its day is the count. Else it is of the day that was asked for. */
  readonly countedAtMs?: number;
}

/**
 * The daily counter. It answers after the unit is on disk, and never grants one above the limit; where it
 * cannot be sure it rejects, and the request is not served.
 */
export interface DailyQuota {
  readonly charge: (request: QuotaRequest) => Promise<QuotaAnswer>;
  /** Gives one unit back, for an answer that was our own failure; never below 0. */
  readonly refund: (request: Omit<QuotaRequest, "limit">) => Promise<void>;
}
