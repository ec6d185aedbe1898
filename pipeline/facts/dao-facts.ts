import type { Ballot } from "./ballot.ts";
import type { DelegateList, DelegationEvent } from "./delegation.ts";
import type { Proposal } from "./proposal.ts";
import type { Space } from "./space.ts";
import type { TrackedDao } from "./tracked.ts";

/** Everything the warehouse knows about one DAO: the whole input of its scores. */
export interface DaoFacts {
  readonly dao: TrackedDao;
  readonly space: Space | undefined;
  /** By (end, id); unknown ends first. */
  readonly proposals: readonly Proposal[];
  /** By proposal id; only ballots that were fetched. */
  readonly ballots: ReadonlyMap<string, Ballot>;
  /** Entity id of the voters that belong to one, by interned voter number. */
  readonly entityIdOfVoter: ReadonlyMap<number, string>;
  /** By date, ascending. */
  readonly delegateLists: readonly DelegateList[];
  /** By (blockNumber, logIndex), without repeats. */
  readonly delegationEvents: readonly DelegationEvent[];
  /** Confirmed ENS names by lower-case address, of this DAO's delegates or of anybody. */
  readonly names: ReadonlyMap<string, string>;
  /** When every part of this DAO was last fetched whole; `undefined` where it never was. */
  readonly lastCompleteFetchMs: number | undefined;
  /** The DAO's data are an archive of closed proposals, which does not age. */
  readonly isArchive: boolean;
}
