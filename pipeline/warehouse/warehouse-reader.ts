import type { DaoFacts } from "../facts/dao-facts.ts";
import type { ProposalVotes } from "../facts/proposal-votes.ts";
import type { Registry, TrackedDao } from "../facts/tracked.ts";
import { addressText } from "../facts/voters.ts";
import { readPoints } from "./daily-points.ts";
import { corrupt, type Database, openForReading } from "./database.ts";
import { readDelegateLists } from "./delegate-lists.ts";
import { readConfirmations, readDelegationEvents } from "./delegation-events.ts";
import { type CompleteFetch, lastCompleteFetch, readCompleteFetches, readFetchRecords } from "./fetches.ts";
import { readNames } from "./names.ts";
import { readProposals } from "./proposals.ts";
import { WAREHOUSE_VERSION } from "./schema.ts";
import { readDao, readSpace } from "./spaces.ts";
import { eachVoterAfter, highestVoter } from "./voter-blocks.ts";
import { readEntityVoters } from "./voter-numbers.ts";
import { readVotes } from "./votes.ts";

/** Everything known about one DAO except its ballots, which may not fit into memory. */
export interface ViewedDao extends Omit<DaoFacts, "ballots" | "entityIdOfVoter" | "names"> {
  readonly fetches: readonly CompleteFetch[];
}

/** The number of a DAO that was never fetched: no row has it. */
const UNKNOWN_DAO = 0;

function readViewedDao(database: Database, dao: TrackedDao): ViewedDao {
  const { spaceId, governor } = dao;
  const daoNumber = readDao(database, spaceId) ?? UNKNOWN_DAO;
  const fetches = readCompleteFetches(database, daoNumber);
  return {
    dao,
    space: readSpace(database, daoNumber),
    proposals: readProposals(database, daoNumber),
    delegateLists: readDelegateLists(database, daoNumber, spaceId),
    delegationEvents: governor === undefined ? [] : readDelegationEvents(database, daoNumber, governor.token),
    confirmations: governor === undefined ? [] : readConfirmations(database, daoNumber, governor.token),
    fetches,
    ...lastCompleteFetch(fetches, dao),
  };
}

/**
 * Returns a function that reads everything known about one DAO as of one commit; empty facts if it was never fetched.
 * Throws `WAREHOUSE_CORRUPT` if a ballot does not match its count or checksum.
 */
export function readDaoFacts(database: Database): (dao: TrackedDao, registry: Registry) => DaoFacts {
  const entityVoters = readEntityVoters(database);
  const names = readNames(database);
  return (dao, { entities }) =>
    // One transaction, because another process may commit between two queries.
    database.transaction("deferred", () => {
      const { fetches: _fetches, ...facts } = readViewedDao(database, dao);
      const ballots = readVotes(database, dao.spaceId);
      return {
        ...facts,
        ballots: new Map(Array.from(ballots, (ballot) => [ballot.proposalId, ballot])),
        entityIdOfVoter: entityVoters(entities),
        names: names(),
      };
    });
}

/**
 * Opens the part of a warehouse that scoring needs, on a read-only connection, so that other threads can score. The
 * warehouse must have been created by `openWarehouse`. Throws `WAREHOUSE_CORRUPT`.
 */
export function openWarehouseReader(path: string) {
  const database = openForReading(path);
  const read = (spaceId: string, methodKey: string) => readPoints(database, spaceId, methodKey);
  return { daoFacts: readDaoFacts(database), dailyPoints: { read }, close: database.close };
}

/** A warehouse as of one moment, unaffected by later fetches; for reading all of it piece by piece. */
export type WarehouseView = ReturnType<typeof openWarehouseView>;

/** Opens a view of a warehouse that `openWarehouse` has created before. Throws `WAREHOUSE_CORRUPT`. */
export function openWarehouseView(path: string) {
  const database = openForReading(path);
  database.exec("BEGIN");
  // SQLite fixes the moment at the first read.
  database.get("SELECT count(*) FROM daos");
  const entityVoters = readEntityVoters(database);
  return {
    dao: (dao: TrackedDao) => readViewedDao(database, dao),
    /** Yields its ballots by (end, id) of their proposals; throws WAREHOUSE_CORRUPT at the first damaged one. */
    ballots: (spaceId: string): Generator<ProposalVotes> => readVotes(database, spaceId),
    /** The entity id of each voter that belongs to an entity, by voter number. */
    entityIdOfVoter: ({ entities }: Registry) => entityVoters(entities),
    /** The number of voters, which is the largest voter number. */
    votersCount: () => highestVoter(database),
    eachVoter(visit: (address: string, voterNumber: number) => void) {
      eachVoterAfter(database, 0, (words, offset, isLong, voterNumber) => {
        visit(addressText(words, offset, isLong), voterNumber);
      });
    },
    close: database.close,
  };
}

/**
 * Checks the whole file for damage and returns its fetch records, without creating or writing it. Throws
 * WAREHOUSE_CORRUPT, WAREHOUSE_BUSY, WAREHOUSE_TOO_NEW or WAREHOUSE_TOO_OLD.
 */
export function inspectWarehouse(path: string) {
  const database = openForReading(path);
  try {
    if (database.pragma("quick_check(1)", { simple: true }) !== "ok") {
      throw corrupt("its pages are inconsistent");
    }
    return { version: WAREHOUSE_VERSION, records: readFetchRecords(database) };
  } finally {
    database.close();
  }
}

export type WarehouseInspection = ReturnType<typeof inspectWarehouse>;
