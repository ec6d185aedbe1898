import type { DaoFacts } from "../facts/dao-facts.ts";
import { invariant } from "../facts/errors.ts";
import type { ProposalVotes } from "../facts/proposal-votes.ts";
import type { Registry, TrackedDao } from "../facts/tracked.ts";
import { ADDRESS_WORDS, addressAt, type VoterList } from "../facts/voters.ts";
import { readPoints } from "./daily-points.ts";
import { type Database, openForReading } from "./database.ts";
import { readDelegateLists } from "./delegate-lists.ts";
import { readConfirmations, readDelegationEvents } from "./delegation-events.ts";
import { type CompleteFetch, lastCompleteFetch, readCompleteFetches } from "./fetches.ts";
import { migrationFiles, versionOf } from "./migrate.ts";
import { readNames } from "./names.ts";
import { readProposals } from "./proposals.ts";
import { readDao, readSpace } from "./spaces.ts";
import { eachVoterAfter, highestVoter } from "./voter-blocks.ts";
import { readEntityVoters } from "./voter-numbers.ts";
import { readVotes } from "./votes.ts";

/** What is known of one DAO but for its ballots, which may be too many to hold. */
export interface ViewedDao extends Omit<DaoFacts, "ballots" | "entityIdOfVoter" | "names"> {
  /** The last complete fetch from each source that gave it whole. */
  readonly fetches: readonly CompleteFetch[];
}

function readViewedDao(database: Database, dao: TrackedDao, daoNumber: number | undefined): ViewedDao {
  const { spaceId, governor } = dao;
  const isKnown = daoNumber !== undefined;
  const fetches = isKnown ? readCompleteFetches(database, daoNumber) : [];
  return {
    dao,
    space: isKnown ? readSpace(database, daoNumber, spaceId) : undefined,
    proposals: isKnown ? readProposals(database, daoNumber) : [],
    delegateLists: isKnown ? readDelegateLists(database, daoNumber, spaceId) : [],
    delegationEvents:
      isKnown && governor !== undefined ? readDelegationEvents(database, daoNumber, governor.token) : [],
    confirmations:
      isKnown && governor !== undefined ? readConfirmations(database, daoNumber, governor.token) : [],
    fetches,
    ...lastCompleteFetch(fetches, dao),
  };
}

/**
 * Everything known about one DAO as of one commit; empty facts where it was never fetched. Throws `PipelineError`
 * WAREHOUSE_CORRUPT where a ballot does not match its count or checksum.
 */
export function readDaoFacts(database: Database): (dao: TrackedDao, registry: Registry) => DaoFacts {
  const entityVoters = readEntityVoters(database);
  const names = readNames(database);
  const read = (dao: TrackedDao, registry: Registry): DaoFacts => {
    const daoNumber = readDao(database, dao.spaceId);
    const { fetches: _fetches, ...facts } = readViewedDao(database, dao, daoNumber);
    const ballots = daoNumber === undefined ? [] : readVotes(database, daoNumber);
    return {
      ...facts,
      ballots: new Map(Array.from(ballots, (ballot) => [ballot.proposalId, ballot])),
      entityIdOfVoter: entityVoters(registry.entities),
      names: names(),
    };
  };
  // One transaction: another process may commit between two of the queries.
  return (dao, registry) => database.transaction("deferred", () => read(dao, registry));
}

/**
 * Opens the part of a warehouse that scoring a DAO needs, so that other threads than the one that writes can score.
 * `openWarehouse` made it or brought it up to date before; the one connection never writes.
 * Throws `PipelineError` WAREHOUSE_CORRUPT.
 */
export function openWarehouseReader(input: { readonly path: string; readonly migrationsDirectory: string }) {
  return openForReading(input.path, (database) => {
    const newest = migrationFiles(input.migrationsDirectory).length;
    const version = versionOf(database);
    invariant(version === newest, `a reader is opened on version ${version} of the warehouse, not ${newest}`);
    const read = (spaceId: string, methodKey: string) => readPoints(database, spaceId, methodKey);
    return { daoFacts: readDaoFacts(database), dailyPoints: { read }, close: database.close };
  });
}

/** A warehouse as it was at one moment, whatever is fetched meanwhile; for whoever reads all of it, a piece at a time. */
export type WarehouseView = ReturnType<typeof openWarehouseView>;

/** Opens a view of a warehouse that `openWarehouse` brought up to date before. Throws `PipelineError` WAREHOUSE_CORRUPT. */
export function openWarehouseView({ path }: { readonly path: string }) {
  return openForReading(path, (database) => {
    database.exec("BEGIN");
    // The moment is that of the first thing read.
    database.get("SELECT count(*) FROM daos");
    const entityVoters = readEntityVoters(database);
    return {
      dao: (dao: TrackedDao) => readViewedDao(database, dao, readDao(database, dao.spaceId)),
      /** Its ballots one after the other, by (end, id) of their proposals; throws WAREHOUSE_CORRUPT at the first bad one. */
      *ballots(spaceId: string): Generator<ProposalVotes> {
        const daoNumber = readDao(database, spaceId);
        if (daoNumber !== undefined) yield* readVotes(database, daoNumber);
      },
      /** Entity id of the voters that belong to one, by voter number. */
      entityIdOfVoter: ({ entities }: Registry) => entityVoters(entities),
      /** The largest voter number; numbers begin with 1. */
      votersCount: () => highestVoter(database),
      eachVoter(visit: (address: string, voterNumber: number) => void) {
        const one: VoterList = { count: 1, words: new Int32Array(ADDRESS_WORDS), isLong: new Uint8Array(1) };
        eachVoterAfter(database, 0, (words, at, isLong, voterNumber) => {
          one.words.set(words.subarray(at, at + one.words.length));
          one.isLong[0] = isLong ? 1 : 0;
          visit(addressAt(one, 0), voterNumber);
        });
      },
      close: database.close,
    };
  });
}
