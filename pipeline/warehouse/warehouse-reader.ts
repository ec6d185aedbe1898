import { readdirSync } from "node:fs";
import DatabaseOfOpenWarehouseReader, { type Database } from "better-sqlite3";
import type { DaoFacts } from "../facts/dao-facts.ts";
import { invariant } from "../facts/errors.ts";
import type { Registry, TrackedDao } from "../facts/tracked.ts";
import { pointColumns } from "./daily-points.ts";
import { BUSY_TIMEOUT_MS, corrupt, guardSqlite } from "./database.ts";
import { readDelegateLists } from "./delegate-lists.ts";
import { readDelegationEvents } from "./delegation-events.ts";
import { lastCompleteFetch, readCompleteFetches } from "./fetches.ts";
import { WAREHOUSE_APPLICATION_ID } from "./migrate.ts";
import { readNames } from "./names.ts";
import { readProposals } from "./proposals.ts";
import { readDao, readSpace } from "./spaces.ts";
import { readEntityVoters } from "./voter-numbers.ts";
import { readVotes } from "./votes.ts";
import type { DailyPointStore, Warehouse } from "./warehouse.ts";

/** Everything known about one DAO as of one commit; empty facts where it was never fetched. */
export function readDaoFacts(database: Database): (dao: TrackedDao, registry: Registry) => DaoFacts {
  const queries = {
    dao: readDao(database),
    completeFetches: readCompleteFetches(database),
    space: readSpace(database),
    proposals: readProposals(database),
    ballots: readVotes(database),
    entityVoters: readEntityVoters(database),
    delegateLists: readDelegateLists(database),
    delegationEvents: readDelegationEvents(database),
    names: readNames(database),
  };
  const read = (dao: TrackedDao, registry: Registry): DaoFacts => {
    const daoNumber = queries.dao(dao.spaceId);
    const entityIdOfVoter = queries.entityVoters(registry.entities);
    const names = queries.names();
    if (daoNumber === undefined) return { ...NEVER_FETCHED, dao, entityIdOfVoter, names };
    return {
      dao,
      space: queries.space(daoNumber, dao.spaceId),
      proposals: queries.proposals(daoNumber),
      ballots: queries.ballots(daoNumber),
      entityIdOfVoter,
      delegateLists: queries.delegateLists(daoNumber, dao.spaceId),
      delegationEvents:
        dao.governor === undefined ? [] : queries.delegationEvents(daoNumber, dao.governor.token),
      names,
      ...lastCompleteFetch(queries.completeFetches(daoNumber), dao),
    };
  };
  // One transaction: another process may commit between two of the queries.
  return database.transaction(read);
}

const NEVER_FETCHED = {
  space: undefined,
  proposals: [],
  ballots: new Map(),
  delegateLists: [],
  delegationEvents: [],
  lastCompleteFetchMs: undefined,
  isArchive: false,
};

/** The part of a warehouse that scoring a DAO needs, so that other threads than the one that writes can score. */
export interface WarehouseReader {
  readonly daoFacts: Warehouse["daoFacts"];
  readonly dailyPoints: Pick<DailyPointStore, "read">;
  close(): void;
}

/**
 * Opens a warehouse that `openWarehouse` made or brought up to date before, on one connection that never writes.
 * Throws `PipelineError` WAREHOUSE_CORRUPT.
 */
export function openWarehouseReader(input: {
  readonly path: string;
  readonly migrationsDirectory: string;
}): WarehouseReader {
  return guardSqlite(() => {
    const database = new DatabaseOfOpenWarehouseReader(input.path, {
      fileMustExist: true,
      timeout: BUSY_TIMEOUT_MS,
    });
    try {
      database.pragma("query_only = ON");
      if (database.pragma("application_id", { simple: true }) !== WAREHOUSE_APPLICATION_ID) {
        throw corrupt("it is an SQLite file, but not a warehouse");
      }
      const newest = readdirSync(input.migrationsDirectory).filter((name) => name.endsWith(".sql")).length;
      const version = database.pragma("user_version", { simple: true });
      invariant(
        version === newest,
        `a reader is opened on version ${version} of the warehouse, not ${newest}`,
      );
      const daoFacts = readDaoFacts(database);
      const points = pointColumns(database);
      return {
        daoFacts: (dao, registry) => guardSqlite(() => daoFacts(dao, registry)),
        dailyPoints: { read: (spaceId, methodKey) => guardSqlite(() => points.read(spaceId, methodKey)) },
        close: () => void database.close(),
      };
    } catch (error) {
      database.close();
      throw error;
    }
  });
}
