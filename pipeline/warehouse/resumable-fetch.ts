import type { Space } from "../facts/dao-facts.ts";
import type { DelegateList, DelegationEvent } from "../facts/delegation.ts";
import { invariant } from "../facts/errors.ts";
import type { FetchMemory } from "../facts/governance-source.ts";
import type { Proposal } from "../facts/proposal.ts";
import type { ProposalVotes } from "../facts/proposal-votes.ts";
import { createDelegationMemory, type OpenDelegationMemory } from "./delegation-memory.ts";
import {
  completeRecord,
  createRejectedRows,
  demandInterned,
  type FetchAttempt,
  failedRecord,
} from "./fetch-record.ts";
import { packedVotesOf } from "./pack-votes.ts";
import type { Connection, WriteStatements } from "./replacing-fetch.ts";
import type { WriteAtOnce } from "./voter-numbers.ts";
import type { OpenSpaceFetch } from "./warehouse.ts";

/** A fetch's memory, and what its commit needs to know of it. */
export interface OpenFetchMemory extends FetchMemory {
  /** Ids of what was kept. */
  outliving(): { readonly proposals: ReadonlySet<string>; readonly ballots: ReadonlySet<string> };
  /** How many delegation events this fetch kept. */
  keptEvents(): number;
  /** Called within the commit's transaction: writes the note, shows the kept events and drops the pages. */
  settle(): void;
}

/** Opens the memory of one DAO and source; nothing of it is read before it is asked for. */
export function createFetchMemory(given: {
  readonly statements: WriteStatements;
  readonly writeAtOnce: WriteAtOnce;
  readonly daoNumber: number;
  readonly sourceId: string;
}): OpenFetchMemory {
  const { statements, writeAtOnce, daoNumber, sourceId } = given;
  const pages = statements.fetchPages(daoNumber, sourceId);
  const keptProposals = new Set<string>();
  const keptVotes = new Set<string>();
  const delegations = new Map<string, OpenDelegationMemory>();
  let held: ReturnType<FetchMemory["heldProposals"]> | undefined;
  let heldIds: ReadonlySet<string> = new Set();
  let newNote: string | undefined;

  const heldProposals = () => {
    if (held === undefined) {
      held = statements.readHeldProposals(daoNumber, sourceId);
      heldIds = new Set(held.map(({ proposal }) => proposal.proposalId));
    }
    return held;
  };
  const demandHeld = (proposalId: string) => {
    heldProposals();
    invariant(heldIds.has(proposalId), `proposal ${proposalId} is kept and was never held`);
  };
  return {
    heldProposals,
    keepProposal(proposalId) {
      demandHeld(proposalId);
      keptProposals.add(proposalId);
      keptVotes.add(proposalId);
    },
    keepVotes(proposalId) {
      demandHeld(proposalId);
      keptVotes.add(proposalId);
    },
    note: () => newNote ?? statements.fetchNote.read(daoNumber, sourceId),
    putNote(note) {
      newNote = note;
    },
    checkpoint({ series, page, payload, voters }) {
      writeAtOnce(() => {
        pages.put(series, page, payload);
        for (const voter of voters) statements.voters.numberOf(voter);
      });
    },
    resumedPage: pages.read,
    forgetPages: (series) => writeAtOnce(() => pages.forget(series)),
    delegationOf(token) {
      let delegation = delegations.get(token);
      if (delegation === undefined) {
        const tokenNumber = writeAtOnce(() => statements.openToken(daoNumber, sourceId, token));
        delegation = createDelegationMemory(statements.keptToken(tokenNumber), writeAtOnce);
        delegations.set(token, delegation);
      }
      return delegation;
    },
    outliving: () => ({ proposals: keptProposals, ballots: keptVotes }),
    keptEvents: () => [...delegations.values()].reduce((sum, one) => sum + one.keptCount(), 0),
    settle() {
      for (const delegation of delegations.values()) delegation.settle();
      if (newNote !== undefined) statements.fetchNote.put(daoNumber, sourceId, newNote);
      pages.forgetAll();
    },
  };
}

/**
 * A fetch that goes on from what earlier ones left, for sources that take hours: it holds no transaction, so that
 * its pages can be kept at once and others can write meanwhile. What was put waits in memory (21 bytes a vote) and
 * is written by the commit, which drops what the source had brought before and has neither put nor kept.
 */
export function openResumableFetch(
  { statements, writeAtOnce }: Connection,
  attempt: FetchAttempt,
  done: () => void,
): OpenSpaceFetch {
  const { spaceId, sourceId } = attempt;
  const daoNumber = writeAtOnce(() => statements.openDao(spaceId));
  const rejected = createRejectedRows();
  const memory = createFetchMemory({ statements, writeAtOnce, daoNumber, sourceId });
  const waiting = createWaiting();
  let isOver = false;
  const still = () => invariant(!isOver, `the fetch of ${spaceId} is over`);
  const guarded = <Arguments extends readonly unknown[], Result>(work: (...given: Arguments) => Result) => {
    return (...given: Arguments): Result => {
      still();
      return work(...given);
    };
  };
  const end = () => {
    isOver = true;
    done();
  };

  /** Everything that waits, in one transaction; the pages go, because what they led to is there. */
  const write = () => {
    const { space, proposals, ballots, lists, events } = waiting;
    const outliving = memory.outliving();
    statements.dropUnkept(daoNumber, sourceId, {
      hasSpace: space.value !== undefined,
      isProposal: (id) => proposals.has(id) || outliving.proposals.has(id),
      isVotes: (id) => ballots.has(id) || outliving.ballots.has(id),
    });
    const fetchNumber = statements.startFetch(daoNumber);
    if (space.value !== undefined) statements.putSpace(daoNumber, sourceId, space.value);
    for (const proposal of proposals.values()) statements.putProposal(daoNumber, sourceId, proposal);
    for (const { ballot, isFinal } of ballots.values()) {
      statements.putVotes(daoNumber, packedVotesOf(ballot), isFinal);
    }
    for (const list of lists.values()) statements.putDelegateList(daoNumber, list);
    for (const [token, logs] of events) {
      statements.putDelegationEvents(daoNumber, fetchNumber, token, [...logs.values()]);
    }
    const counts = statements.countFetched(daoNumber, sourceId);
    const logs = [...events.values()].reduce((sum, map) => sum + map.size, memory.keptEvents());
    const record = completeRecord(attempt, { ...counts, delegateLists: lists.size, logs }, rejected);
    memory.settle();
    statements.recordFetch(daoNumber, record, rejected.rows());
    return record;
  };

  return {
    internVoter: guarded(
      (address) => statements.voters.known(address) ?? writeAtOnce(() => statements.voters.numberOf(address)),
    ),
    numberVoters: guarded((voters) => writeAtOnce(() => statements.voters.numbersOf(voters))),
    putSpace: guarded((space) => {
      invariant(space.spaceId === spaceId, `space ${space.spaceId} is put into the fetch of ${spaceId}`);
      waiting.space.value = space;
    }),
    putProposal: guarded((proposal) => void waiting.proposals.set(proposal.proposalId, proposal)),
    putVotes: guarded((ballot, isFinal = true) => {
      const { proposalId } = ballot;
      invariant(
        waiting.proposals.has(proposalId),
        `ballot of proposal ${proposalId} was put before its proposal`,
      );
      demandInterned(ballot, statements.voters.highest());
      waiting.ballots.set(proposalId, { ballot, isFinal });
    }),
    putDelegateList: guarded((list) => {
      invariant(list.spaceId === spaceId, `a list of ${list.spaceId} is put into the fetch of ${spaceId}`);
      waiting.lists.set(list.date, list);
    }),
    putDelegationEvents: guarded((token, events) => {
      const known = waiting.events.get(token) ?? new Map<string, DelegationEvent>();
      waiting.events.set(token, known);
      const before = known.size;
      for (const event of events) {
        const place = `${event.blockNumber}/${event.logIndex}`;
        if (!known.has(place)) known.set(place, event);
      }
      return known.size - before;
    }),
    reject: guarded((rejection) => rejected.add(rejection)),
    memory: {
      heldProposals: guarded(memory.heldProposals),
      keepProposal: guarded(memory.keepProposal),
      keepVotes: guarded(memory.keepVotes),
      note: guarded(memory.note),
      putNote: guarded(memory.putNote),
      checkpoint: guarded(memory.checkpoint),
      resumedPage: guarded(memory.resumedPage),
      forgetPages: guarded(memory.forgetPages),
      delegationOf: guarded((token) => {
        const delegation = memory.delegationOf(token);
        return {
          heldThrough: guarded(delegation.heldThrough),
          keep: guarded(delegation.keep),
          rewind: guarded(delegation.rewind),
          powersAt: guarded(delegation.powersAt),
        };
      }),
    },
    commit: guarded(() => {
      const record = writeAtOnce(write);
      end();
      return record;
    }),
    fail: guarded((error) => {
      end();
      const record = failedRecord(attempt, error, rejected);
      writeAtOnce(() => statements.recordFetch(daoNumber, record, rejected.rows()));
      return record;
    }),
  };
}

function createWaiting() {
  return {
    space: { value: undefined as Space | undefined },
    proposals: new Map<string, Proposal>(),
    ballots: new Map<string, { readonly ballot: ProposalVotes; readonly isFinal: boolean }>(),
    lists: new Map<string, DelegateList>(),
    events: new Map<string, Map<string, DelegationEvent>>(),
  };
}
