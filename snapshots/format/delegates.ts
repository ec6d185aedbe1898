import { z } from "zod";
import { Count, IsoDate, Percent, Rank, SpaceId, Timestamp, WalletAddress } from "./ids.ts";
import { GRAPH_ACCOUNTS_MAX, LISTING_ROWS_PER_CUT } from "./limits.ts";
import { PublicText, shortAddress } from "./text.ts";
import { WEIGHT_TIERS } from "./value-sets.ts";

/** One line of `delegates/<space_id>/days.csv`: the date, source and totals of a dated listing. */
export const DelegateDay = z.strictObject({
  date: IsoDate,
  /** For logs, the last block whose events are included; `null` for lists. */
  block: Count.nullable(),
  as_of: Timestamp,
  source: z.enum(["list", "logs"]),
  delegates: Count,
  /** In whole tokens, rounded to the nearest double. */
  total_votes: z.number().min(0),
});
export type DelegateDay = z.infer<typeof DelegateDay>;

/** One row of a delegate listing; `rank` is the overall rank, also in a listing of one tier. */
export const DelegateItem = z
  .strictObject({
    rank: Rank.describe("Overall rank by voting power, also in a listing of one tier."),
    address: WalletAddress.describe("The delegate's wallet."),
    ens: PublicText.optional().describe("Its ENS name, if it has one."),
    display_name: PublicText.describe("Its name, or the shortened address."),
    votes_human: z.number().min(0).describe("Voting power in whole tokens."),
    votes_share_pct: Percent.describe("Share of all delegated voting power."),
    delegators_count: Count.describe("Wallets that delegate to it."),
    weight_tier: z.enum(WEIGHT_TIERS).describe("`T1` the heaviest, `T3` the lightest."),
  })
  .meta({ id: "DelegateItem", description: "One delegate." });
export type DelegateItem = z.infer<typeof DelegateItem>;

/** Voting power and delegators by tier, over all delegates, listed or not. */
export const DelegateSummary = z
  .strictObject({
    t1_voting_power_pct: Percent.describe("Share of the voting power of T1."),
    t2_voting_power_pct: Percent.describe("Share of the voting power of T2."),
    t3_voting_power_pct: Percent.describe("Share of the voting power of T3."),
    t1_avg_delegators: z.number().min(0).describe("Delegators of a T1 delegate on average."),
    t2_avg_delegators: z.number().min(0).describe("Delegators of a T2 delegate on average."),
  })
  .meta({ id: "DelegateSummary", description: "Voting power and delegators by tier, over all delegates." });
export type DelegateSummary = z.infer<typeof DelegateSummary>;

/** `delegates/<space_id>/latest.json`, or a line of `<month>.ndjson`: the first 100 delegates overall and per tier. */
export const DelegateListing = z
  .strictObject({
    dao: SpaceId.describe("The DAO's id."),
    fetched_at: Timestamp.describe(
      "When the delegations were fetched. From an archive: the time of the last delegation, or when the archive was read if its logs carry no times.",
    ),
    total_delegates: Count.describe("All delegates of this DAO, listed or not."),
    delegates: z
      .array(DelegateItem)
      .max(LISTING_ROWS_PER_CUT * (WEIGHT_TIERS.length + 1))
      .describe("The listed delegates, by rank."),
    summary: DelegateSummary.describe("Totals over all delegates, listed or not."),
  })
  .meta({ id: "DelegateListing", description: "Delegates of one DAO at one moment." });
export type DelegateListing = z.infer<typeof DelegateListing>;

/** Voting power in the token's smallest unit, with every digit: sums must be exact, and doubles round. */
const Votes = z.string().regex(/^(0|[1-9][0-9]{0,77})$/);

const power = { votes: Votes, votes_human: z.number().min(0), votes_share_pct: Percent };

/** A delegate's row of the listing, with its exact voting power. */
export const GraphDelegate = z.strictObject({ ...DelegateItem.shape, votes: Votes });
export type GraphDelegate = z.infer<typeof GraphDelegate>;

/** All delegates beyond the first 100, summed up. */
export const OtherDelegates = z.strictObject({ delegates: Count, delegators_count: Count, ...power });
export type OtherDelegates = z.infer<typeof OtherDelegates>;

/** One of the 100 strongest delegators, with its delegate's rank (`null` for a delegate beyond the first 100). */
export const NamedDelegation = z
  .strictObject({
    address: WalletAddress,
    /** The shortened address, never a name: a delegator, unlike a delegate, did not choose to be public. */
    display_name: PublicText,
    delegate_rank: Rank.nullable(),
    is_self: z.boolean(),
    ...power,
  })
  .refine(({ address, display_name: name }) => name === shortAddress(address), {
    path: ["display_name"],
    message: "is not the shortened address",
  });
export type NamedDelegation = z.infer<typeof NamedDelegation>;

/** The other delegators of one delegate, summed up; `null` stands for all delegates beyond the first 100. */
export const FoldedDelegation = z.strictObject({
  delegate_rank: Rank.nullable(),
  delegators_count: Count.min(1),
  /** `null` if the logs do not show whose power the delegate has, which is not the same as none. */
  votes: Votes.nullable(),
  votes_human: z.number().min(0).nullable(),
  votes_share_pct: Percent.nullable(),
});
export type FoldedDelegation = z.infer<typeof FoldedDelegation>;

/**
 * `graph/<space_id>.json`: who delegates to whom with what power, from the delegation logs behind the latest listing.
 * Delegation is not transitive: a delegator passes on its own votes, never those that others delegated to it.
 */
export const DelegationGraph = z.strictObject({
  space_id: SpaceId,
  /** `null` if the logs have no timestamps. */
  as_of: Timestamp.nullable(),
  fetched_at: Timestamp,
  /** The last block whose logs are included. */
  block: Count,
  decimals: Count.max(255),
  totals: z.strictObject({
    delegates: Count,
    delegators: Count,
    votes: Votes,
    /** The part of `votes` whose delegators are known. */
    traced_votes: Votes,
  }),
  /** The first 100 by rank: the rows of the listing. */
  delegates: z.array(GraphDelegate).max(GRAPH_ACCOUNTS_MAX),
  other_delegates: OtherDelegates,
  /** The 100 strongest delegators, strongest first. */
  delegations: z.array(NamedDelegation).max(GRAPH_ACCOUNTS_MAX),
  /** By rank, `null` last. If known, a delegate's power is the sum of its named and folded delegations. */
  folded_delegations: z.array(FoldedDelegation).max(GRAPH_ACCOUNTS_MAX + 2),
});
export type DelegationGraph = z.infer<typeof DelegationGraph>;

// How a version stores dated delegate listings: one file per DAO and month, one line per day, ascending. A line is
// exactly one listing as canonical JSON. Its date is in the index and in `days.csv`, in the same order.

/** The month (`YYYY-MM`) of a day; the month's file holds the day's listing. */
export function monthOf(date: string): string {
  return date.slice(0, "2026-10".length);
}

export function byMonth<Day extends { readonly date: string }>(
  days: readonly Day[],
): readonly { readonly month: string; readonly days: readonly Day[] }[] {
  const months = new Map<string, Day[]>();
  for (const day of days) {
    const month = monthOf(day.date);
    const monthDays = months.get(month);
    if (monthDays === undefined) months.set(month, [day]);
    else monthDays.push(day);
  }
  return [...months].map(([month, monthDays]) => ({ month, days: monthDays }));
}

/** Position of a line in its file, newline included. */
export type LineSpan = ReturnType<typeof lineSpans>[number];

export function lineSpans(file: Buffer) {
  const spans: { readonly offset: number; readonly bytes: number }[] = [];
  for (let offset = 0; offset < file.length; ) {
    const newline = file.indexOf(0x0a, offset);
    const end = newline < 0 ? file.length : newline + 1;
    spans.push({ offset, bytes: end - offset });
    offset = end;
  }
  return spans;
}
