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

/** A proposal that an earlier fetch from the same source left, and how much is held of its votes. */
export interface HeldProposal {
  readonly proposal: Proposal;
  /** `isFinal`: it came whole and nothing can be added to it. */
  readonly ballot: { readonly votes: number; readonly isFinal: boolean } | undefined;
}

/** A page of one proposal's votes as its source gave it. */
export interface CheckpointPage {
  readonly proposalId: string;
  /** From 0, without gaps. */
  readonly page: number;
  /** Text that the source writes and alone can read. */
  readonly payload: string;
  /** Lower-case addresses that will be asked for a number; numbered with the page, in one go. */
  readonly voters: readonly string[];
}

/** What earlier fetches of the same DAO from the same source left behind, whole or interrupted. */
export interface FetchMemory {
  /** By id. Of these only what is put or kept outlives the commit. */
  heldProposals(): readonly HeldProposal[];
  /** The held proposal stays as it is, with its ballot. */
  keepProposal(proposalId: string): void;
  /** The held ballot stays, whatever is put of its proposal. */
  keepBallot(proposalId: string): void;
  /** What the source wrote down for itself at its last commit. */
  note(): string | undefined;
  putNote(note: string): void;
  /** Kept at once, whatever becomes of the fetch, and until the DAO's next commit. */
  checkpoint(page: CheckpointPage): void;
  /** The payload of a page that an interrupted fetch kept. */
  resumedPage(proposalId: string, page: number): string | undefined;
  forgetPages(proposalId: string): void;
}

/** Where a source puts what it fetched for one DAO. Whoever opened the sink commits it, or drops all of it when the source throws. */
export interface SpaceSink {
  /** The number of a voter; the address in lower case. The same address always gets the same number. */
  internVoter(address: string): number;
  putSpace(space: Space): void;
  putProposal(proposal: Proposal): void;
  /** The ballot's proposal must have been put before. Not final: votes of it are missing, and it is asked for again. */
  putBallot(ballot: Ballot, isFinal?: boolean): void;
  putDelegateList(list: DelegateList): void;
  /** Repeats of (blockNumber, logIndex) are dropped by the sink. Answers how many were new. */
  putDelegationEvents(token: string, events: readonly DelegationEvent[]): number;
  reject(rejection: Rejection): void;
  /** Missing where every fetch replaces all that came before. */
  readonly memory?: FetchMemory;
}

/** One way to get at the facts. An adapter fetches one DAO at a time; a failure of one is no failure of the next. */
export interface GovernanceSource {
  readonly sourceId: "archive" | "snapshot-hub" | "governor";
  /** Throws `PipelineError` SOURCE_FAILED when the DAO's data cannot be taken; what the sink got is then worth nothing. */
  fetchSpace(dao: TrackedDao, sink: SpaceSink): Promise<void>;
}
