import type { Space } from "./dao-facts.ts";
import type { DelegateList, DelegationEvent } from "./delegation.ts";
import type { Proposal } from "./proposal.ts";
import type { ProposalVotes } from "./proposal-votes.ts";
import type { TrackedDao } from "./tracked.ts";
import type { VoterList } from "./voters.ts";

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

/** A page of what a source is reading, as it gave it. */
export interface CheckpointPage {
  /** What the page is a part of: the id of the proposal whose votes these are, or a name for a contract's logs. */
  readonly series: string;
  /** From 0, without gaps. */
  readonly page: number;
  /** Text that the source writes and alone can read. */
  readonly payload: string;
  /** Lower-case addresses that will be asked for a number; numbered with the page, in one go. */
  readonly voters: readonly string[];
}

/** A block of a chain, told from another of the same number by its hash (lower case). */
export interface IndexedBlock {
  readonly number: number;
  readonly hash: string;
}

/**
 * What is held of the delegation events of one token: those that a source hands over with the block up to which it has
 * all are kept at once, because below a finalized block they hold whatever becomes of the fetch. Readers see them up to the
 * block of the last commit.
 */
export interface DelegationMemory {
  /** Blocks up to which every event is held, newest first. */
  heldThrough(): readonly IndexedBlock[];
  /** The chain took back what came after `block` (everything, where there is none): it is dropped at once. */
  rewind(block: IndexedBlock | undefined): void;
  /** By delegate, what the last `votes-changed` at or before a block left them with; also what is not committed yet. */
  powersAt(blockNumber: number): ReadonlyMap<string, bigint>;
}

/** What earlier fetches of the same DAO from the same source left behind, whole or interrupted. */
export interface FetchMemory {
  /** By id. Of these only what is put or kept outlives the commit. */
  heldProposals(): readonly HeldProposal[];
  /** The held proposal stays as it is, with its ballot. */
  keepProposal(proposalId: string): void;
  /** The held ballot stays, whatever is put of its proposal. */
  keepVotes(proposalId: string): void;
  /** What the source wrote down for itself at its last commit. */
  note(): string | undefined;
  putNote(note: string): void;
  /** Kept at once, whatever becomes of the fetch, and until the DAO's next commit. */
  checkpoint(page: CheckpointPage): void;
  /** The payload of a page that an interrupted fetch kept. */
  resumedPage(series: string, page: number): string | undefined;
  forgetPages(series: string): void;
  /** Lower-case address. */
  delegationOf(token: string): DelegationMemory;
}

/** One thing that a source hands over. */
export type FetchedRecord =
  | { readonly kind: "space"; readonly space: Space }
  | { readonly kind: "proposal"; readonly proposal: Proposal }
  /** Their proposal must have been put before. Not final: votes are missing, and they are asked for again. */
  | { readonly kind: "votes"; readonly votes: ProposalVotes; readonly isFinal: boolean }
  | { readonly kind: "delegate-list"; readonly list: DelegateList }
  /**
   * Repeats of (blockNumber, logIndex) are dropped by the sink. With `through`, every event of the token up to that block
   * has been put, and a sink with a memory keeps them at once.
   */
  | {
      readonly kind: "delegation-events";
      readonly token: string;
      readonly events: readonly DelegationEvent[];
      readonly through?: IndexedBlock;
    }
  | ({ readonly kind: "rejection" } & Rejection);

/** Where a source puts what it fetched for one DAO. Whoever opened the sink commits it, or drops all of it when the source throws. */
export interface SpaceSink {
  put(record: FetchedRecord): void;
  /** The number of a voter; the address in lower case. The same address always gets the same number. */
  internVoter(address: string): number;
  /** The numbers of many voters at once, by place in the list; a promise where they are given in another thread. */
  numberVoters(voters: VoterList): Uint32Array | Promise<Uint32Array>;
  /** Missing where every fetch replaces all that came before. */
  readonly memory?: FetchMemory;
}

/** One way to get at the facts. An adapter fetches one DAO at a time; a failure of one is no failure of the next. */
export interface GovernanceSource {
  readonly sourceId: SourceId;
  /** Throws `PipelineError` SOURCE_FAILED when the DAO's data cannot be taken; what the sink got is then worth nothing. */
  fetchSpace(dao: TrackedDao, sink: SpaceSink): Promise<void>;
  /** What changes whenever a fetch would bring anything else; `undefined` where that cannot be told without reading. */
  stateOf?(dao: TrackedDao, nowMs: number): string | undefined;
}

/** The sources `fetch --source` knows. */
export const SOURCE_IDS = ["archive", "snapshot-hub", "governor"] as const;
export type SourceId = (typeof SOURCE_IDS)[number];

/** The address of Snapshot's own hub. */
export const PUBLIC_HUB_URL = "https://hub.snapshot.org/graphql";
