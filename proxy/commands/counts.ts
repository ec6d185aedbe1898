/** Days that are shown, where they are kept for so long. */
export const USAGE_DAYS = 30;

/** What a counter holds of one account, by its own clock. */
export interface Usage {
  readonly nowMs: number;
  /** Latest first. */
  readonly days: readonly { readonly day: string; readonly used: number }[];
  /** The last day of which this account gets nothing, and why. */
  readonly closed: { readonly through: string; readonly since?: string } | undefined;
}

/** Where an operator's commands find the counts. */
export interface Counts {
  readonly usage: (account: string) => Promise<Usage>;
  /** Sets today's count, by the clock of where it is counted. */
  readonly set: (account: string, used: number) => Promise<{ readonly day: string; readonly before: number }>;
}
