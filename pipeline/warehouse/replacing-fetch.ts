import type { Database } from "better-sqlite3";
import { invariant } from "../facts/errors.ts";
import { putDelegateList } from "./delegate-lists.ts";
import { openToken, putDelegationEvents } from "./delegation-events.ts";
import { keptToken } from "./delegation-memory.ts";
import {
  completeRecord,
  createRejectedRows,
  demandInterned,
  type FetchAttempt,
  failedRecord,
} from "./fetch-record.ts";
import { countFetched, recordFetch, startFetch } from "./fetches.ts";
import { checkPackedVotes, packedVotesOf } from "./pack-votes.ts";
import { putProposal, readHeldProposals } from "./proposals.ts";
import { dropFetched, dropUnkept, fetchNote, fetchPages, keepFetched } from "./resume.ts";
import { openDao, putSpace } from "./spaces.ts";
import { createVoterNumbers, type WriteAtOnce } from "./voter-numbers.ts";
import { putVotes } from "./votes.ts";
import type { OpenSpaceFetch } from "./warehouse.ts";

/** Everything a fetch says to the database, prepared once. */
export type WriteStatements = ReturnType<typeof prepareWrites>;

/** Prepares the statements of all fetches on one connection. */
export function prepareWrites(database: Database) {
  return {
    voters: createVoterNumbers(database),
    openDao: openDao(database),
    startFetch: startFetch(database),
    dropFetched: dropFetched(database),
    dropUnkept: dropUnkept(database),
    putSpace: putSpace(database),
    putProposal: putProposal(database),
    putVotes: putVotes(database),
    putDelegateList: putDelegateList(database),
    putDelegationEvents: putDelegationEvents(database),
    openToken: openToken(database),
    keptToken: keptToken(database),
    readHeldProposals: readHeldProposals(database),
    fetchPages: fetchPages(database),
    fetchNote: fetchNote(database),
    countFetched: countFetched(database),
    recordFetch: recordFetch(database),
    keepFetched: keepFetched(database),
  };
}

/**
 * A fetch that replaces all its source had brought. It writes straight into one long transaction, which is open
 * already, so that memory does not grow with the DAO and a killed process leaves nothing behind. For sources that
 * are as fast as the disk: nobody else can write meanwhile.
 */
export function openReplacingFetch(
  { database, statements, writeAtOnce }: Connection,
  attempt: FetchAttempt,
  done: () => void,
): OpenSpaceFetch {
  const { spaceId, sourceId } = attempt;
  const daoNumber = statements.openDao(spaceId);
  statements.dropFetched(daoNumber, sourceId);
  const fetchNumber = statements.startFetch(daoNumber);
  const rejected = createRejectedRows();
  const listDates = new Set<string>();
  let logs = 0;
  let isOver = false;
  const still = () => {
    invariant(!isOver, `the fetch of ${spaceId} is over`);
    // A full disk rolls back by itself; what is put after that would be kept although the fetch is not.
    invariant(database.inTransaction, `the fetch of ${spaceId} was rolled back and can only fail`);
  };

  return {
    internVoter(address) {
      still();
      return statements.voters.numberOf(address);
    },
    numberVoters(voters) {
      still();
      return statements.voters.numbersOf(voters);
    },
    putSpace(space) {
      still();
      invariant(space.spaceId === spaceId, `space ${space.spaceId} is put into the fetch of ${spaceId}`);
      statements.putSpace(daoNumber, sourceId, space);
    },
    putProposal(proposal) {
      still();
      statements.putProposal(daoNumber, sourceId, proposal);
    },
    putVotes(ballot, isFinal = true) {
      still();
      demandInterned(ballot, statements.voters.highest());
      statements.putVotes(daoNumber, packedVotesOf(ballot), isFinal);
    },
    putPackedVotes(ballot, isFinal = true) {
      still();
      const { proposalId, highestVoter } = ballot;
      const areKnown = highestVoter <= statements.voters.highest();
      invariant(areKnown, `ballot of proposal ${proposalId}: a voter was never interned`);
      checkPackedVotes(ballot);
      statements.putVotes(daoNumber, ballot, isFinal);
    },
    putDelegateList(list) {
      still();
      invariant(list.spaceId === spaceId, `a list of ${list.spaceId} is put into the fetch of ${spaceId}`);
      statements.putDelegateList(daoNumber, list);
      listDates.add(list.date);
    },
    putDelegationEvents(token, events) {
      still();
      const brought = statements.putDelegationEvents(daoNumber, fetchNumber, token, events);
      logs += brought;
      return brought;
    },
    reject(rejection) {
      still();
      rejected.add(rejection);
    },
    commit(state) {
      still();
      const counts = statements.countFetched(daoNumber, sourceId);
      const record = completeRecord(attempt, { ...counts, delegateLists: listDates.size, logs }, rejected);
      statements.recordFetch(daoNumber, record, rejected.rows());
      if (state !== undefined) statements.keepFetched.remember(daoNumber, sourceId, fetchNumber, state);
      statements.voters.write();
      database.exec("COMMIT");
      statements.voters.settle();
      isOver = true;
      done();
      return record;
    },
    fail(error) {
      invariant(!isOver, `the fetch of ${spaceId} is over`);
      isOver = true;
      done();
      // Rolls back first, then records: the failed attempt is known, and nothing else of it.
      if (database.inTransaction) database.exec("ROLLBACK");
      statements.voters.forget();
      const record = failedRecord(attempt, error, rejected);
      writeAtOnce(() => statements.recordFetch(statements.openDao(spaceId), record, rejected.rows()));
      return record;
    },
  };
}

/** A connection that fetches write through. */
export interface Connection {
  readonly database: Database;
  readonly statements: WriteStatements;
  readonly writeAtOnce: WriteAtOnce;
}
