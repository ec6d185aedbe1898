import type { DelegationEvent } from "../../../../pipeline/facts/delegation.ts";
import type {
  DelegationMemory,
  FetchedRecord,
  FetchMemory,
  IndexedBlock,
  SpaceSink,
} from "../../../../pipeline/facts/governance-source.ts";
import type { Proposal } from "../../../../pipeline/facts/proposal.ts";
import type { ProposalVotes } from "../../../../pipeline/facts/proposal-votes.ts";
import { type MemorySink, memorySink } from "../memory-sink.ts";

/** What the fetches of one DAO left, whole and interrupted, as plain as can be. */
export interface FetchLedger {
  /** A fetch: its sink, and its end. Without a commit only what was kept at once stays. */
  open(): { readonly sink: SpaceSink; readonly seen: MemorySink; commit(): void };
  /** By creation order of their ids. */
  proposals(): readonly Proposal[];
  ballots(): readonly ProposalVotes[];
  /** All that is held, committed or not. */
  events(): readonly DelegationEvent[];
  heldThrough(): readonly IndexedBlock[];
  pages(): ReadonlyMap<string, string>;
  /** Somebody else drops every ballot. */
  loseVotes(): void;
}

interface Stored {
  readonly proposals: Map<string, Proposal>;
  readonly ballots: Map<string, { readonly ballot: ProposalVotes; readonly isFinal: boolean }>;
  note: string | undefined;
  readonly pages: Map<string, string>;
  events: DelegationEvent[];
  held: IndexedBlock[];
}

const HELD_MAX = 32;

/** Starts empty; `voters` may be shared, so that two ledgers number them alike. */
export function createFetchLedger(voters = new Map<string, number>()): FetchLedger {
  const stored: Stored = {
    proposals: new Map(),
    ballots: new Map(),
    note: undefined,
    pages: new Map(),
    events: [],
    held: [],
  };
  const byId = <Item>(items: ReadonlyMap<string, Item>) =>
    [...items].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
  return {
    open: () => openFetch(stored, voters),
    proposals: () => byId(stored.proposals),
    ballots: () => byId(stored.ballots).map(({ ballot }) => ballot),
    events: () => stored.events,
    heldThrough: () => stored.held,
    pages: () => stored.pages,
    loseVotes: () => stored.ballots.clear(),
  };
}

function openFetch(stored: Stored, voters: Map<string, number>) {
  const seen = memorySink(voters);
  const ballots = new Map<string, { ballot: ProposalVotes; isFinal: boolean }>();
  const keptProposals = new Set<string>();
  const keptVotes = new Set<string>();
  let note = stored.note;
  const demandHeld = (id: string) => {
    if (!stored.proposals.has(id)) throw new Error(`${id} is kept and was never held`);
  };
  const memory: FetchMemory = {
    heldProposals: () =>
      [...stored.proposals].map(([id, proposal]) => {
        const held = stored.ballots.get(id);
        return { proposal, ballot: held && { votes: held.ballot.count, isFinal: held.isFinal } };
      }),
    keepProposal(id) {
      demandHeld(id);
      keptProposals.add(id);
      keptVotes.add(id);
    },
    keepVotes(id) {
      demandHeld(id);
      keptVotes.add(id);
    },
    note: () => stored.note,
    putNote: (next) => {
      note = next;
    },
    checkpoint({ series, page, payload, voters: addresses }) {
      stored.pages.set(`${series}#${page}`, payload);
      for (const address of addresses) seen.internVoter(address);
    },
    resumedPage: (series, page) => stored.pages.get(`${series}#${page}`),
    forgetPages(series) {
      for (const key of stored.pages.keys()) if (key.startsWith(`${series}#`)) stored.pages.delete(key);
    },
    delegationOf: () => delegationOf(stored),
  };
  return {
    seen,
    sink: {
      ...seen,
      put(record: FetchedRecord) {
        if (record.kind === "delegation-events" && record.through !== undefined) {
          return keepEvents(stored, record.events, record.through);
        }
        if (record.kind === "votes") {
          const { votes, isFinal } = record;
          if (!seen.proposals.some(({ proposalId }) => proposalId === votes.proposalId))
            throw new Error("a ballot before its proposal");
          ballots.set(votes.proposalId, { ballot: votes, isFinal });
        }
        return seen.put(record);
      },
      memory,
    },
    commit() {
      const put = new Map(seen.proposals.map((proposal) => [proposal.proposalId, proposal]));
      for (const id of stored.proposals.keys()) {
        if (!put.has(id) && !keptProposals.has(id)) stored.proposals.delete(id);
      }
      for (const id of stored.ballots.keys()) {
        if (!ballots.has(id) && !keptVotes.has(id)) stored.ballots.delete(id);
      }
      for (const [id, proposal] of put) stored.proposals.set(id, proposal);
      for (const [id, ballot] of ballots) stored.ballots.set(id, ballot);
      stored.note = note;
      stored.pages.clear();
    },
  };
}

function keepEvents(stored: Stored, events: readonly DelegationEvent[], block: IndexedBlock): void {
  const newest = stored.held[0];
  if (newest !== undefined && block.number <= newest.number) throw new Error("kept out of order");
  const known = new Set(stored.events.map(({ blockNumber, logIndex }) => `${blockNumber}/${logIndex}`));
  const fresh = events.filter(({ blockNumber, logIndex }) => !known.has(`${blockNumber}/${logIndex}`));
  if (fresh.some(({ blockNumber }) => blockNumber > block.number)) throw new Error("an event too new");
  stored.events = [...stored.events, ...fresh];
  stored.held = [block, ...stored.held].slice(0, HELD_MAX);
}

function delegationOf(stored: Stored): DelegationMemory {
  return {
    heldThrough: () => stored.held,
    rewind(block) {
      const through = block?.number ?? -1;
      stored.events = stored.events.filter(({ blockNumber }) => blockNumber <= through);
      stored.held = stored.held.filter(({ number }) => number <= through);
    },
    powersAt(blockNumber) {
      const powers = new Map<string, bigint>();
      for (const event of stored.events) {
        if (event.kind === "votes-changed" && event.blockNumber <= blockNumber)
          powers.set(event.delegate, event.after);
      }
      return powers;
    },
  };
}
