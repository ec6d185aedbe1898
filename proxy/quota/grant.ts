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

/** Units that are asked for together: of one account and day, within one limit. */
export interface UnitsAsked extends QuotaRequest {
  readonly units: number;
}

/** Units of one account and day that are given back together. */
export interface UnitsReturned extends Omit<QuotaRequest, "limit"> {
  readonly units: number;
}

/** What came of units that were asked for together. */
export interface UnitsGranted {
  /** The count before; infinite for a day that is closed, of which nothing is known to be left. */
  readonly used: number;
  readonly granted: number;
  readonly countedAtMs?: number;
}

/** How many of these units are left within the limit; none where more is used already, as after a downgrade. */
export function unitsWithin({ units, limit }: Pick<UnitsAsked, "units" | "limit">, used: number): number {
  return Math.max(0, Math.min(units, limit - used));
}

/** The answer to the request at `index` of those that asked together: the first come are served first. */
export function answerAt(
  index: number,
  limit: number,
  { used, granted, countedAtMs }: UnitsGranted,
): QuotaAnswer {
  const isGranted = index < granted;
  const remaining = Math.max(0, limit - used - (isGranted ? index + 1 : granted));
  return countedAtMs === undefined ? { isGranted, remaining } : { isGranted, remaining, countedAtMs };
}
