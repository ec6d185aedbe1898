import type { DelegateList, DelegationEvent, Space } from "./dao-facts.ts";
import type { Proposal } from "./proposal.ts";
import type { ProposalVotes } from "./proposal-votes.ts";
import type { SourceId } from "./source-table.ts";
import type { TrackedDao } from "./tracked.ts";
import type { VoterList } from "./voters.ts";

/** An input row that was not accepted as it was. Names its location and the reason, never its content. */
export interface Rejection {
  /** Path within the source (a file of an archive, the name of a query), never a path of this machine. */
  readonly file: string;
  readonly line: number | undefined;
  readonly code: string;
  readonly message: string;
}

/** A proposal that an earlier fetch from the same source stored, and how many of its votes are stored. */
export interface HeldProposal {
  readonly proposal: Proposal;
  /** `isFinal`: it was fetched completely and no vote can be added. */
  readonly ballot: { readonly votes: number; readonly isFinal: boolean } | undefined;
}

/** A space whose last fetch from a source was complete, as it is stored. */
export interface HeldSpace {
  readonly fetchedAtMs: number;
  readonly space: Space | undefined;
  /** The note that the source stored with it. */
  readonly note: string | undefined;
  /** Read when called. */
  proposals(): readonly HeldProposal[];
}

export function votesOf(held: HeldSpace | undefined): number {
  return held?.proposals().reduce((sum, { ballot }) => sum + (ballot?.votes ?? 0), 0) ?? 0;
}

/** One page of an upstream's response, as received. */
interface CheckpointPage {
  /** What the page is part of: the id of the proposal whose votes it contains, or a name for a contract's logs. */
  readonly series: string;
  /** From 0. */
  readonly page: number;
  /** Text that only the source itself interprets. */
  readonly payload: string;
  /** Lower-case addresses that will need a voter number; they are numbered in the same transaction as the page. */
  readonly voters: readonly string[];
}

/** A block of a chain; its hash (lower case) distinguishes it from other blocks with the same number. */
export interface IndexedBlock {
  readonly number: number;
  readonly hash: string;
  /** Absent if the block was read by an earlier fetch. */
  readonly timeMs?: number;
}

/**
 * The stored delegation events of one token. Events that a source puts together with the block up to which they are
 * complete are stored at once: below a finalized block they stay true even if the fetch fails. Readers see them up to
 * the block of the last commit.
 */
export interface DelegationMemory {
  /** Blocks up to which every event is stored, newest first. */
  heldThrough(): readonly IndexedBlock[];
  /** Drops everything after `block` at once, because the chain reorganised; without a block, drops everything. */
  rewind(block: IndexedBlock | undefined): void;
  /** Power of each delegate after the last `votes-changed` at or before a block; includes uncommitted events. */
  powersAt(blockNumber: number): ReadonlyMap<string, bigint>;
}

/** What earlier fetches of the same DAO from the same source stored, complete or interrupted. */
export interface FetchMemory {
  /** Sorted by id. The commit drops those that this fetch neither put nor kept. */
  heldProposals(): readonly HeldProposal[];
  /** Keeps the stored proposal as it is, with its ballot. */
  keepProposal(proposalId: string): void;
  /** Keeps the stored ballot, even if its proposal is put again. */
  keepVotes(proposalId: string): void;
  /** The note that the source stored with its last commit. */
  note(): string | undefined;
  putNote(note: string): void;
  /** Stores a page at once, until the DAO's next commit, even if the fetch fails. */
  checkpoint(page: CheckpointPage): void;
  /** The payload of a page that an interrupted fetch stored. */
  resumedPage(series: string, page: number): string | undefined;
  forgetPages(series: string): void;
  /** Lower-case address. */
  delegationOf(token: string): DelegationMemory;
}

export type FetchedRecord =
  | { readonly kind: "space"; readonly space: Space }
  | { readonly kind: "proposal"; readonly proposal: Proposal }
  /** The proposal must have been put before. Not final: votes are missing and will be fetched again. */
  | { readonly kind: "votes"; readonly votes: ProposalVotes; readonly isFinal: boolean }
  | { readonly kind: "delegate-list"; readonly list: DelegateList }
  /**
   * The sink drops repeats of (blockNumber, logIndex). With `through`, every event of the token up to that block has
   * been put, and a sink with a memory stores them at once.
   */
  | {
      readonly kind: "delegation-events";
      readonly token: string;
      readonly events: readonly DelegationEvent[];
      readonly through?: IndexedBlock;
    }
  | ({ readonly kind: "rejection" } & Rejection);

/** Receives what a source fetches for one DAO. Its owner commits it, or drops everything if the source throws. */
export interface SpaceSink {
  put(record: FetchedRecord): void;
  /** The number of a voter by lower-case address. The same address always gets the same number. */
  internVoter(address: string): number;
  /** The numbers of many voters, by index in the list; a promise if another thread assigns them. */
  numberVoters(voters: VoterList): Uint32Array | Promise<Uint32Array>;
  /** Absent if every fetch replaces everything that came before. */
  readonly memory?: FetchMemory;
}

/** A source of facts. It fetches one DAO at a time; a failure for one DAO does not affect the next. */
export interface GovernanceSource {
  readonly sourceId: SourceId;
  /** Throws `SOURCE_FAILED` if the DAO's data cannot be used; the sink's content is then invalid. */
  fetchSpace(dao: TrackedDao, sink: SpaceSink): Promise<void>;
  /** A text that changes whenever a fetch would bring something else; `undefined` if only reading can tell. */
  stateOf?(dao: TrackedDao, nowMs: number): string | undefined;
}
