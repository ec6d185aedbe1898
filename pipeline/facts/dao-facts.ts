import type { DelegateList, DelegationEvent } from "./delegation.ts";
import type { Proposal } from "./proposal.ts";
import type { ProposalVotes } from "./proposal-votes.ts";
import type { TrackedDao } from "./tracked.ts";

/** What a space's own configuration says about how it votes; `undefined` where the source does not know. */
export interface Space {
  readonly spaceId: string;
  readonly name: string | undefined;
  readonly website: string | undefined;
  readonly forum: string | undefined;
  /** Only members may propose, or a proposal validation other than "any" is set. */
  readonly isProposingGated: boolean | undefined;
  /** A voting period is fixed by the space. */
  readonly hasFixedPeriod: boolean | undefined;
  /** The space's own quorum, in voting power; 0 is none. */
  readonly quorum: number | undefined;
  readonly adminsAndModeratorsCount: number | undefined;
  /** The hub marked it as abuse or spam. */
  readonly isFlagged: boolean | undefined;
  /** The hub put it to sleep: nobody can propose there. */
  readonly isHibernated: boolean | undefined;
  /** The hub knows who is behind it. */
  readonly isVerified: boolean | undefined;
}

/** Everything the warehouse knows about one DAO: the whole input of its scores. */
export interface DaoFacts {
  readonly dao: TrackedDao;
  readonly space: Space | undefined;
  /** By (end, id); unknown ends first. */
  readonly proposals: readonly Proposal[];
  /** By proposal id; only ballots that were fetched. */
  readonly ballots: ReadonlyMap<string, ProposalVotes>;
  /** Entity id of the voters that belong to one, by interned voter number. */
  readonly entityIdOfVoter: ReadonlyMap<number, string>;
  /** By date, ascending. */
  readonly delegateLists: readonly DelegateList[];
  /** By (blockNumber, logIndex), without repeats. */
  readonly delegationEvents: readonly DelegationEvent[];
  /** When fetches found these events to be all, ascending; none of an archive. */
  readonly logsConfirmedAtMs: readonly number[];
  /** Confirmed ENS names by lower-case address, of this DAO's delegates or of anybody. */
  readonly names: ReadonlyMap<string, string>;
  /** When every part of this DAO was last fetched whole; `undefined` where it never was. */
  readonly lastCompleteFetchMs: number | undefined;
  /** The DAO's data are an archive of closed proposals, which does not age. */
  readonly isArchive: boolean;
}

/** What was last found out about an address: its confirmed name, or that it has none. */
export interface CachedName {
  readonly name: string | undefined;
  readonly checkedAtMs: number;
}

/** Remembers names between runs. It knows no lifetime: whoever reads judges the age. Addresses in lower case. */
export interface NameCache {
  read(address: string): CachedName | undefined;
  write(address: string, entry: CachedName): void;
}
