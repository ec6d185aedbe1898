import type { Database } from "better-sqlite3";
import { invariant } from "../base/invariant.ts";
import type { Ballot } from "../facts/ballot.ts";
import { countFetched } from "./queries/count-fetched.ts";
import { openDao } from "./queries/open-dao.ts";
import { putBallot } from "./queries/put-ballot.ts";
import { putDelegateList } from "./queries/put-delegate-list.ts";
import { putDelegationEvents } from "./queries/put-delegation-events.ts";
import { putProposal } from "./queries/put-proposal.ts";
import { putSpace } from "./queries/put-space.ts";
import { recordFetch } from "./queries/record-fetch.ts";
import { startFetch } from "./queries/start-fetch.ts";
import { createRejectedRows, type RejectedRows } from "./rejected-rows.ts";
import { createVoterNumbers } from "./voter-numbers.ts";
import type { FetchRecord, OpenSpaceFetch, Warehouse } from "./warehouse.ts";

type Attempt = Parameters<Warehouse["beginSpaceFetch"]>[0];
type FetchError = NonNullable<FetchRecord["error"]>;

/**
 * Fetches that write straight into one long transaction, so that memory does not grow with the DAO and a killed
 * process leaves nothing behind. `database` belongs to the fetch alone while one is open.
 */
export function createFetchWriter(database: Database): Warehouse["beginSpaceFetch"] {
  const prepared = prepare(database);
  let isOpen = false;
  let seenDataVersion: unknown;

  return (attempt) => {
    invariant(!isOpen, "a fetch is begun while another one is open");
    database.exec("BEGIN IMMEDIATE");
    const dataVersion = database.pragma("data_version", { simple: true });
    if (dataVersion !== seenDataVersion) prepared.voters.forget();
    seenDataVersion = dataVersion;
    try {
      const fetch = openFetch(database, prepared, attempt, () => {
        isOpen = false;
      });
      isOpen = true;
      return fetch;
    } catch (error) {
      database.exec("ROLLBACK");
      throw error;
    }
  };
}

type Prepared = ReturnType<typeof prepare>;

function prepare(database: Database) {
  return {
    voters: createVoterNumbers(database),
    openDao: openDao(database),
    startFetch: startFetch(database),
    putSpace: putSpace(database),
    putProposal: putProposal(database),
    putBallot: putBallot(database),
    putDelegateList: putDelegateList(database),
    putDelegationEvents: putDelegationEvents(database),
    countFetched: countFetched(database),
    recordFetch: recordFetch(database),
  };
}

function openFetch(
  database: Database,
  prepared: Prepared,
  attempt: Attempt,
  done: () => void,
): OpenSpaceFetch {
  const { spaceId, sourceId } = attempt;
  const daoNumber = prepared.openDao(spaceId);
  const fetchNumber = prepared.startFetch(daoNumber, sourceId);
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
      return prepared.voters.numberOf(address);
    },
    putSpace(space) {
      still();
      invariant(space.spaceId === spaceId, `space ${space.spaceId} is put into the fetch of ${spaceId}`);
      prepared.putSpace(daoNumber, sourceId, space);
    },
    putProposal(proposal) {
      still();
      prepared.putProposal(daoNumber, sourceId, proposal);
    },
    putBallot(ballot) {
      still();
      demandInterned(ballot, prepared.voters.highest());
      prepared.putBallot(daoNumber, ballot);
    },
    putDelegateList(list) {
      still();
      invariant(list.spaceId === spaceId, `a list of ${list.spaceId} is put into the fetch of ${spaceId}`);
      prepared.putDelegateList(daoNumber, list);
      listDates.add(list.date);
    },
    putDelegationEvents(token, events) {
      still();
      const brought = prepared.putDelegationEvents(daoNumber, fetchNumber, token, events);
      logs += brought;
      return brought;
    },
    reject(rejection) {
      still();
      rejected.add(rejection);
    },
    commit() {
      still();
      const counts = prepared.countFetched(daoNumber, sourceId);
      const record = recordOf(attempt, { ...counts, delegateLists: listDates.size, logs }, rejected);
      prepared.recordFetch(daoNumber, record, rejected.rows());
      database.exec("COMMIT");
      isOver = true;
      done();
      return record;
    },
    fail(error) {
      invariant(!isOver, `the fetch of ${spaceId} is over`);
      isOver = true;
      done();
      return recordFailure(database, prepared, recordOf(attempt, NOTHING, rejected, error), rejected);
    },
  };
}

/** Rolls back first, then records: the failed attempt is known, and nothing else of it. */
function recordFailure(
  database: Database,
  prepared: Prepared,
  record: FetchRecord,
  rejected: RejectedRows,
): FetchRecord {
  if (database.inTransaction) database.exec("ROLLBACK");
  prepared.voters.forget();
  const write = database.transaction(() => {
    prepared.recordFetch(prepared.openDao(record.spaceId), record, rejected.rows());
  });
  write.immediate();
  return record;
}

const NOTHING = { proposals: 0, ballots: 0, votes: 0, delegateLists: 0, logs: 0 };

function recordOf(
  attempt: Attempt,
  counts: typeof NOTHING,
  rejected: RejectedRows,
  error?: FetchError,
): FetchRecord {
  const status = error === undefined ? "complete" : "failed";
  return { ...attempt, ...counts, status, error, rejected: rejected.countsByCode() };
}

/** A number that nobody was given would become somebody else's vote later. */
function demandInterned(ballot: Ballot, highest: number): void {
  const last = ballot.voterIds.at(-1);
  const first = ballot.voterIds.at(0);
  const areKnown = last === undefined || first === undefined || (first >= 1 && last <= highest);
  invariant(areKnown, `ballot of proposal ${ballot.proposalId}: a voter was never interned`);
}
