import type { Database } from "better-sqlite3";
import { invariant } from "../facts/errors.ts";
import type { DelegationMemory, FetchMemory } from "../facts/governance-source.ts";
import { createDailyPointStore } from "./daily-points.ts";
import { guardSqlite, openDatabase } from "./database.ts";
import type { FetchAttempt } from "./fetch-record.ts";
import { readFetchRecords, readHoldings, readRejections } from "./fetches.ts";
import { migrate } from "./migrate.ts";
import { createNameCache } from "./names.ts";
import {
  type Connection as ConnectionOfFetchWriter,
  openReplacingFetch,
  prepareWrites,
} from "./replacing-fetch.ts";
import { openResumableFetch } from "./resumable-fetch.ts";
import { createWriteAtOnce } from "./voter-numbers.ts";
import type { OpenSpaceFetch, Warehouse } from "./warehouse.ts";
import { readDaoFacts } from "./warehouse-reader.ts";

/** Sources that take hours for a large DAO and wait for a network; the others replace what they brought, in one go. */
const RESUMABLE_SOURCES: ReadonlySet<string> = new Set(["snapshot-hub", "governor"]);

/** Begins fetches, or confirms that one is not needed. */
export interface FetchWriter {
  readonly begin: Warehouse["beginSpaceFetch"];
  /** Whether the last fetch holds as of this attempt, which is then its time. */
  confirm(attempt: FetchAttempt, state: string): boolean;
}

/**
 * Begins fetches on one connection. A fetch that replaces needs it alone; resumable ones may be open side by side,
 * one for each DAO and source.
 */
export function createFetchWriter(database: Database): FetchWriter {
  const statements = prepareWrites(database);
  const connection: ConnectionOfFetchWriter = {
    database,
    statements,
    writeAtOnce: createWriteAtOnce(database, statements.voters),
  };
  const open = new Set<string>();
  let isReplacing = false;

  const begin: FetchWriter["begin"] = (attempt) => {
    const isResumable = RESUMABLE_SOURCES.has(attempt.sourceId);
    const name = `${attempt.sourceId} ${attempt.spaceId}`;
    const isFree = isResumable ? !isReplacing && !open.has(name) : open.size === 0;
    invariant(isFree, "a fetch is begun while another one is open");
    const openFetch = isResumable ? openResumableFetch : beginReplacing;
    const fetch = openFetch(connection, attempt, () => {
      open.delete(name);
      isReplacing = false;
    });
    open.add(name);
    isReplacing = !isResumable;
    return fetch;
  };
  return {
    begin,
    confirm({ spaceId, sourceId, fetchedAtMs }, state) {
      invariant(open.size === 0, "a fetch is confirmed while another one is open");
      return connection.writeAtOnce(() =>
        statements.keepFetched.confirm(spaceId, sourceId, state, fetchedAtMs),
      );
    },
  };
}

const beginReplacing: typeof openReplacingFetch = (connection, attempt, done) => {
  const { database } = connection;
  // What another process numbered meanwhile is read here; the long transaction that follows keeps it out.
  database.exec("BEGIN IMMEDIATE");
  try {
    connection.writeAtOnce(() => undefined);
    return openReplacingFetch(connection, attempt, done);
  } catch (error) {
    if (database.inTransaction) database.exec("ROLLBACK");
    throw error;
  }
};

/**
 * Opens the warehouse, makes it when there is none, and brings an older one up to date. Throws WAREHOUSE_TOO_NEW or
 * WAREHOUSE_CORRUPT for a file this program must not touch.
 *
 * Two connections to one file: a fetch may hold the writing one for as long as its source takes, and whoever reads
 * meanwhile sees, on the other, what was committed last.
 */
export function openWarehouse(input: {
  readonly path: string;
  readonly migrationsDirectory: string;
}): Warehouse {
  return guardSqlite(() => {
    const writer = openDatabase(input.path);
    try {
      migrate(writer, input.migrationsDirectory);
      const reader = openDatabase(input.path);
      reader.pragma("query_only = ON");
      return warehouseOf(writer, reader);
    } catch (error) {
      writer.close();
      throw error;
    }
  });
}

type Connection = ReturnType<typeof openDatabase>;

function warehouseOf(writer: Connection, reader: Connection): Warehouse {
  const { begin, confirm } = createFetchWriter(writer);
  const daoFacts = readDaoFacts(reader);
  const fetchRecords = readFetchRecords(reader);
  const holdings = readHoldings(reader);
  const rejections = readRejections(reader);
  const names = createNameCache(reader, writer);
  const points = createDailyPointStore(reader, writer);
  return {
    beginSpaceFetch: (attempt) => guardFetch(guardSqlite(() => begin(attempt))),
    confirmFetch: ({ state, ...attempt }) =>
      guardSqlite(() => {
        if (!confirm(attempt, state)) return undefined;
        return fetchRecords.one(attempt.spaceId, attempt.sourceId);
      }),
    daoFacts: (dao, registry) => guardSqlite(() => daoFacts(dao, registry)),
    fetchRecords: () => guardSqlite(fetchRecords.all),
    holdings: () => guardSqlite(holdings),
    rejections: () => guardSqlite(rejections),
    names: {
      read: (address) => guardSqlite(() => names.read(address)),
      write: (address, entry) => guardSqlite(() => names.write(address, entry)),
    },
    dailyPoints: {
      read: (spaceId, methodKey) => guardSqlite(() => points.read(spaceId, methodKey)),
      hasOtherMethod: (spaceId, methodKey) => guardSqlite(() => points.hasOtherMethod(spaceId, methodKey)),
      forget: (spaceId, from, to) => guardSqlite(() => points.forget(spaceId, from, to)),
      keep: (methodKey, kept) => guardSqlite(() => points.keep(methodKey, kept)),
    },
    close() {
      // Closing rolls back an open fetch. The writer goes last: the last one out empties the journal into the file.
      reader.close();
      writer.close();
    },
  };
}

function guardFetch(fetch: OpenSpaceFetch): OpenSpaceFetch {
  const { putPackedVotes } = fetch;
  return {
    internVoter: (address) => guardSqlite(() => fetch.internVoter(address)),
    numberVoters: (voters) => guardSqlite(() => fetch.numberVoters(voters)),
    putSpace: (space) => guardSqlite(() => fetch.putSpace(space)),
    putProposal: (proposal) => guardSqlite(() => fetch.putProposal(proposal)),
    putVotes: (ballot, isFinal) => guardSqlite(() => fetch.putVotes(ballot, isFinal)),
    ...(putPackedVotes === undefined
      ? {}
      : { putPackedVotes: (ballot, isFinal) => guardSqlite(() => putPackedVotes(ballot, isFinal)) }),
    putDelegateList: (list) => guardSqlite(() => fetch.putDelegateList(list)),
    putDelegationEvents: (token, events) => guardSqlite(() => fetch.putDelegationEvents(token, events)),
    reject: (rejection) => fetch.reject(rejection),
    ...(fetch.memory === undefined ? {} : { memory: guardMemory(fetch.memory) }),
    commit: (state) => guardSqlite(() => fetch.commit(state)),
    fail: (error) => guardSqlite(() => fetch.fail(error)),
  };
}

function guardMemory(memory: FetchMemory): FetchMemory {
  return {
    heldProposals: () => guardSqlite(memory.heldProposals),
    keepProposal: (proposalId) => guardSqlite(() => memory.keepProposal(proposalId)),
    keepVotes: (proposalId) => guardSqlite(() => memory.keepVotes(proposalId)),
    note: () => guardSqlite(memory.note),
    putNote: (note) => memory.putNote(note),
    checkpoint: (page) => guardSqlite(() => memory.checkpoint(page)),
    resumedPage: (series, page) => guardSqlite(() => memory.resumedPage(series, page)),
    forgetPages: (series) => guardSqlite(() => memory.forgetPages(series)),
    delegationOf: (token) => guardDelegation(guardSqlite(() => memory.delegationOf(token))),
  };
}

function guardDelegation(delegation: DelegationMemory): DelegationMemory {
  return {
    heldThrough: () => guardSqlite(delegation.heldThrough),
    keep: (events, block) => guardSqlite(() => delegation.keep(events, block)),
    rewind: (block) => guardSqlite(() => delegation.rewind(block)),
    powersAt: (blockNumber) => guardSqlite(() => delegation.powersAt(blockNumber)),
  };
}
