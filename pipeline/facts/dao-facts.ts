import type { Proposal } from "./proposal.ts";
import type { ProposalVotes } from "./proposal-votes.ts";
import type { TrackedDao } from "./tracked.ts";

/** A space's configuration of its voting; `undefined` where the source does not know. */
export interface Space {
  readonly name: string | undefined;
  readonly website: string | undefined;
  readonly forum: string | undefined;
  /** Only members may propose, or a proposal validation other than "any" is set. */
  readonly isProposingGated: boolean | undefined;
  readonly hasFixedPeriod: boolean | undefined;
  /** The space's quorum in voting power; 0 means none. */
  readonly quorum: number | undefined;
  readonly adminsAndModeratorsCount: number | undefined;
  /** The hub marked it as abuse or spam. */
  readonly isFlagged: boolean | undefined;
  /** The hub has hibernated the space: nobody can propose there. */
  readonly isHibernated: boolean | undefined;
  readonly isVerified: boolean | undefined;
}

export interface ListedDelegate {
  /** Lower-case address. */
  readonly address: string;
  /** In the smallest unit of the list's `decimals`. */
  readonly votes: bigint;
  readonly delegatorsCount: number;
  /** Present only if forward resolution confirmed it. */
  readonly ens: string | undefined;
}

/** The delegates of one DAO on one day, as a source listed them. */
export interface DelegateList {
  readonly spaceId: string;
  /** UTC day, `YYYY-MM-DD`. */
  readonly date: string;
  readonly asOfMs: number;
  /** A list that is cut at some rank yields no totals, shares or tiers. */
  readonly isComplete: boolean;
  readonly decimals: number;
  readonly fetchedAtMs: number;
  readonly delegates: readonly ListedDelegate[];
}

/** One delegation log, decoded. Addresses in lower case; keyed by (blockNumber, logIndex). */
export type DelegationEvent = {
  readonly blockNumber: number;
  readonly logIndex: number;
  /** `undefined` if the source has no block times. */
  readonly blockTimeMs: number | undefined;
} & (
  | {
      readonly kind: "delegate-changed";
      readonly delegator: string;
      readonly from: string;
      readonly to: string;
    }
  | {
      readonly kind: "votes-changed";
      readonly delegate: string;
      readonly before: bigint;
      readonly after: bigint;
    }
  /** `amount` is 1 for an ERC-721 token. */
  | { readonly kind: "transfer"; readonly from: string; readonly to: string; readonly amount: bigint }
);

/** Everything the warehouse knows about one DAO: the whole input of its scores. */
export interface DaoFacts {
  readonly dao: TrackedDao;
  readonly space: Space | undefined;
  /** By (end, id); unknown ends first. */
  readonly proposals: readonly Proposal[];
  /** By proposal id; proposals whose votes were not fetched have none. */
  readonly ballots: ReadonlyMap<string, ProposalVotes>;
  /** The entity id of each voter that belongs to an entity, by voter number. */
  readonly entityIdOfVoter: ReadonlyMap<number, string>;
  /** By date, ascending. */
  readonly delegateLists: readonly DelegateList[];
  /** By (blockNumber, logIndex), without repeats. */
  readonly delegationEvents: readonly DelegationEvent[];
  /** Fetches that confirmed these events, ascending, each with the moment up to which they are complete; empty for an archive. */
  readonly confirmations: readonly { readonly atMs: number; readonly throughMs: number }[];
  /** Confirmed ENS names by lower-case address; may contain others than this DAO's delegates. */
  readonly names: ReadonlyMap<string, string>;
  /** When every part of this DAO had last been fetched completely; `undefined` if never. */
  readonly lastCompleteFetchMs: number | undefined;
  /** The data come from an archive of closed proposals, which does not go stale. */
  readonly isArchive: boolean;
}
