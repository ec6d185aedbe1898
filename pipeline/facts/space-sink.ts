import type { Ballot } from "./ballot.ts";
import type { DelegateList, DelegationEvent } from "./delegation.ts";
import type { Proposal } from "./proposal.ts";
import type { Space } from "./space.ts";
import type { TrackedDao } from "./tracked.ts";

/** A row of input that was not taken as it stood. Names the place and the reason, never the content. */
export interface Rejection {
  /** Path within the source (an archive's file, a query's name), never one of this machine. */
  readonly file: string;
  readonly line: number | undefined;
  readonly code: string;
  readonly message: string;
}

/** Where a source puts what it fetched for one DAO. Whoever opened the sink commits it, or drops all of it when the source throws. */
export interface SpaceSink {
  /** The number of a voter; the address in lower case. The same address always gets the same number. */
  internVoter(address: string): number;
  putSpace(space: Space): void;
  putProposal(proposal: Proposal): void;
  /** The ballot's proposal must have been put before. */
  putBallot(ballot: Ballot): void;
  putDelegateList(list: DelegateList): void;
  /** Repeats of (blockNumber, logIndex) are dropped by the sink. Answers how many were new. */
  putDelegationEvents(token: string, events: readonly DelegationEvent[]): number;
  reject(rejection: Rejection): void;
}

/** One way to get at the facts. An adapter fetches one DAO at a time; a failure of one is no failure of the next. */
export interface GovernanceSource {
  readonly sourceId: "archive" | "snapshot-hub" | "governor";
  /** Throws `PipelineError` SOURCE_FAILED when the DAO's data cannot be taken; what the sink got is then worth nothing. */
  fetchSpace(dao: TrackedDao, sink: SpaceSink): Promise<void>;
}
