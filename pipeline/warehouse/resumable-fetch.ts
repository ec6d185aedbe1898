import { invariant } from "../base/invariant.ts";
import type { Ballot } from "../facts/ballot.ts";
import type { DelegateList, DelegationEvent } from "../facts/delegation.ts";
import type { Proposal } from "../facts/proposal.ts";
import type { Space } from "../facts/space.ts";
import { createFetchMemory } from "./fetch-memory.ts";
import { completeRecord, demandInterned, type FetchAttempt, failedRecord } from "./fetch-record.ts";
import { packedBallotOf } from "./packed-ballot.ts";
import { createRejectedRows } from "./rejected-rows.ts";
import type { Connection } from "./replacing-fetch.ts";
import type { OpenSpaceFetch } from "./warehouse.ts";

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
      isBallot: (id) => ballots.has(id) || outliving.ballots.has(id),
    });
    const fetchNumber = statements.startFetch(daoNumber);
    if (space.value !== undefined) statements.putSpace(daoNumber, sourceId, space.value);
    for (const proposal of proposals.values()) statements.putProposal(daoNumber, sourceId, proposal);
    for (const { ballot, isFinal } of ballots.values()) {
      statements.putBallot(daoNumber, packedBallotOf(ballot), isFinal);
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
    putBallot: guarded((ballot, isFinal = true) => {
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
      keepBallot: guarded(memory.keepBallot),
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
    ballots: new Map<string, { readonly ballot: Ballot; readonly isFinal: boolean }>(),
    lists: new Map<string, DelegateList>(),
    events: new Map<string, Map<string, DelegationEvent>>(),
  };
}
