import type { DelegationMemory, FetchMemory } from "../facts/governance-source.ts";
import { createDailyPointStore } from "./daily-points.ts";
import { guardSqlite, openDatabase } from "./database.ts";
import { createFetchWriter, type OpenSpaceFetch } from "./fetch-writer.ts";
import { readFetchRecords, readHoldings, readRejections } from "./fetches.ts";
import { migrate } from "./migrate.ts";
import { createNameCache } from "./names.ts";
import type { Warehouse } from "./warehouse.ts";
import { readDaoFacts } from "./warehouse-reader.ts";

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
  return {
    internVoter: (address) => guardSqlite(() => fetch.internVoter(address)),
    numberVoters: (voters) => guardSqlite(() => fetch.numberVoters(voters)),
    put: (record) => guardSqlite(() => fetch.put(record)),
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
    rewind: (block) => guardSqlite(() => delegation.rewind(block)),
    powersAt: (blockNumber) => guardSqlite(() => delegation.powersAt(blockNumber)),
  };
}
