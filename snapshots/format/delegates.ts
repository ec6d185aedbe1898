import { z } from "zod";
import { Count, IsoDate, Percent, Rank, SpaceId, Timestamp, WalletAddress } from "./ids.ts";
import { GRAPH_ACCOUNTS_MAX, LISTING_ROWS_PER_CUT } from "./limits.ts";
import { PublicText, shortAddress } from "./text.ts";
import { WEIGHT_TIERS } from "./value-sets.ts";

/** One line of `delegates/<space_id>/days.csv`: a dated listing, what it was made from, and its totals. */
export const DelegateDay = z.strictObject({
  date: IsoDate,
  /** Of logs: the last block whose events are in. Lists have none. */
  block: Count.nullable(),
  as_of: Timestamp,
  source: z.enum(["list", "logs"]),
  delegates: Count,
  /** In whole tokens, the nearest double. */
  total_votes: z.number().min(0),
});
export type DelegateDay = z.infer<typeof DelegateDay>;

/** One row of a delegate listing; `rank` is global, also under a tier. */
export const DelegateItem = z
  .strictObject({
    rank: Rank.describe("Overall rank by voting power, also under a tier."),
    address: WalletAddress.describe("The delegate's wallet."),
    ens: PublicText.optional().describe("Its name, where it has one."),
    display_name: PublicText.describe("Its name, or the shortened address."),
    votes_human: z.number().min(0).describe("Voting power in whole tokens."),
    votes_share_pct: Percent.describe("Share of all delegated voting power."),
    delegators_count: Count.describe("Wallets that delegate to it."),
    weight_tier: z.enum(WEIGHT_TIERS).describe("`T1` the heaviest, `T3` the lightest."),
  })
  .meta({ id: "DelegateItem", description: "One delegate." });
export type DelegateItem = z.infer<typeof DelegateItem>;

/** Power and delegators per tier, over all delegates and not only the listed ones. */
export const DelegateSummary = z
  .strictObject({
    t1_voting_power_pct: Percent.describe("Share of the voting power of T1."),
    t2_voting_power_pct: Percent.describe("Share of the voting power of T2."),
    t3_voting_power_pct: Percent.describe("Share of the voting power of T3."),
    t1_avg_delegators: z.number().min(0).describe("Delegators of a T1 delegate on average."),
    t2_avg_delegators: z.number().min(0).describe("Delegators of a T2 delegate on average."),
  })
  .meta({ id: "DelegateSummary", description: "Power and delegators by weight tier, over all delegates." });
export type DelegateSummary = z.infer<typeof DelegateSummary>;

/** `delegates/<space_id>/latest.json`, and a line of `<month>.ndjson`: the first 100 by rank and of each tier. */
export const DelegateListing = z
  .strictObject({
    dao: SpaceId.describe("The DAO's id."),
    fetched_at: Timestamp.describe("When the delegations were fetched."),
    total_delegates: Count.describe("All delegates of this DAO, listed or not."),
    delegates: z
      .array(DelegateItem)
      .max(LISTING_ROWS_PER_CUT * (WEIGHT_TIERS.length + 1))
      .describe("The listed ones, by rank."),
    summary: DelegateSummary.describe("Totals over all delegates, listed or not."),
  })
  .meta({ id: "DelegateListing", description: "Delegates of one DAO at one moment." });
export type DelegateListing = z.infer<typeof DelegateListing>;

/** Voting power in the smallest unit of the token, every digit: what doubles would round away must still add up. */
const Votes = z.string().regex(/^(0|[1-9][0-9]{0,77})$/);

const power = { votes: Votes, votes_human: z.number().min(0), votes_share_pct: Percent };

/** A delegate as the listing has it, with its power to the last digit. */
export const GraphDelegate = z.strictObject({ ...DelegateItem.shape, votes: Votes });
export type GraphDelegate = z.infer<typeof GraphDelegate>;

/** All delegates beyond the first 100, as one. */
export const OtherDelegates = z.strictObject({ delegates: Count, delegators_count: Count, ...power });
export type OtherDelegates = z.infer<typeof OtherDelegates>;

/** One of the 100 strongest delegators and whom it points at: by rank, or `null` for one beyond the first 100. */
export const NamedDelegation = z
  .strictObject({
    address: WalletAddress,
    /** The shortened address, never a name: a delegator did not step forward as a delegate does. */
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

/** Every other delegator of one delegate, or of all beyond the first 100 (`null`), together. */
export const FoldedDelegation = z.strictObject({
  delegate_rank: Rank.nullable(),
  delegators_count: Count.min(1),
  /** `null` where the logs do not tell whose power the delegate holds, which is not the same as none. */
  votes: Votes.nullable(),
  votes_human: z.number().min(0).nullable(),
  votes_share_pct: Percent.nullable(),
});
export type FoldedDelegation = z.infer<typeof FoldedDelegation>;

/**
 * `graph/<space_id>.json`: who delegates to whom with what power, from the delegation logs behind the latest listing.
 * Delegation is one step: who delegates hands on the votes it holds, never those that others delegated to it.
 */
export const DelegationGraph = z.strictObject({
  space_id: SpaceId,
  /** `null` where the logs have no times. */
  as_of: Timestamp.nullable(),
  fetched_at: Timestamp,
  /** The last one whose logs are in it. */
  block: Count,
  decimals: Count.max(255),
  totals: z.strictObject({
    delegates: Count,
    delegators: Count,
    votes: Votes,
    /** The part of `votes` of which it is known who delegated it. */
    traced_votes: Votes,
  }),
  /** The first 100 by rank: the rows of the listing. */
  delegates: z.array(GraphDelegate).max(GRAPH_ACCOUNTS_MAX),
  other_delegates: OtherDelegates,
  /** The 100 strongest delegators, strongest first. */
  delegations: z.array(NamedDelegation).max(GRAPH_ACCOUNTS_MAX),
  /** By rank, `null` last; a delegate's power is the sum of its delegations, named and folded, where that is known. */
  folded_delegations: z.array(FoldedDelegation).max(GRAPH_ACCOUNTS_MAX + 2),
});
export type DelegationGraph = z.infer<typeof DelegationGraph>;
