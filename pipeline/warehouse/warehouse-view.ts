import Database from "better-sqlite3";
import type { DaoFacts } from "../facts/dao-facts.ts";
import type { ProposalVotes } from "../facts/proposal-votes.ts";
import type { Registry, TrackedDao } from "../facts/tracked.ts";
import { ADDRESS_WORDS, addressAt, type VoterList } from "../facts/voters.ts";
import { BUSY_TIMEOUT_MS, corrupt, guardSqlite } from "./database.ts";
import { readDelegateLists } from "./delegate-lists.ts";
import { readDelegationEvents } from "./delegation-events.ts";
import { type CompleteFetch, lastCompleteFetch, readCompleteFetches } from "./fetches.ts";
import { WAREHOUSE_APPLICATION_ID } from "./migrate.ts";
import { readProposals } from "./proposals.ts";
import { readDao, readSpace } from "./spaces.ts";
import { voterBlocks } from "./voter-blocks.ts";
import { readEntityVoters } from "./voter-numbers.ts";
import { eachVotes } from "./votes.ts";

/** What is known of one DAO but for its ballots, which may be too many to hold. */
export interface ViewedDao
  extends Pick<
    DaoFacts,
    "dao" | "space" | "proposals" | "delegateLists" | "delegationEvents" | "lastCompleteFetchMs" | "isArchive"
  > {
  /** The last complete fetch from each source that gave it whole. */
  readonly fetches: readonly CompleteFetch[];
}

/** A warehouse as it was at one moment, whatever is fetched meanwhile; for whoever reads all of it, a piece at a time. */
export interface WarehouseView {
  dao(dao: TrackedDao): ViewedDao;
  /** Its ballots one after the other, by (end, id) of their proposals; throws WAREHOUSE_CORRUPT at the first bad one. */
  ballots(spaceId: string): Generator<ProposalVotes>;
  /** Entity id of the voters that belong to one, by voter number. */
  entityIdOfVoter(registry: Registry): ReadonlyMap<number, string>;
  /** The largest voter number; numbers begin with 1. */
  votersCount(): number;
  eachVoter(visit: (address: string, voterNumber: number) => void): void;
  close(): void;
}

/** Every step under guard: SQLite finds damage while it reads. */
function* guarded<Item>(items: Iterator<Item>): Generator<Item> {
  try {
    for (;;) {
      const next = guardSqlite(() => items.next());
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    items.return?.();
  }
}

/** Opens a view of a warehouse that `openWarehouse` brought up to date before. Throws `PipelineError` WAREHOUSE_CORRUPT. */
export function openWarehouseView({ path }: { readonly path: string }): WarehouseView {
  return guardSqlite(() => {
    const database = new Database(path, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
    try {
      database.pragma("query_only = ON");
      if (database.pragma("application_id", { simple: true }) !== WAREHOUSE_APPLICATION_ID) {
        throw corrupt("it is an SQLite file, but not a warehouse");
      }
      database.exec("BEGIN");
      // The moment is that of the first thing read.
      database.prepare("SELECT count(*) FROM daos").get();
      return viewOf(database);
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

function viewOf(database: Database.Database): WarehouseView {
  const daoNumberOf = readDao(database);
  const completeFetches = readCompleteFetches(database);
  const space = readSpace(database);
  const proposals = readProposals(database);
  const ballots = eachVotes(database);
  const entityVoters = readEntityVoters(database);
  const lists = readDelegateLists(database);
  const events = readDelegationEvents(database);
  const blocks = voterBlocks(database);
  const daoOf = (dao: TrackedDao): ViewedDao => {
    const number = daoNumberOf(dao.spaceId);
    const fetches = number === undefined ? [] : completeFetches(number);
    return {
      dao,
      space: number === undefined ? undefined : space(number, dao.spaceId),
      proposals: number === undefined ? [] : proposals(number),
      delegateLists: number === undefined ? [] : lists(number, dao.spaceId),
      delegationEvents:
        number === undefined || dao.governor === undefined ? [] : events(number, dao.governor.token),
      fetches,
      ...lastCompleteFetch(fetches, dao),
    };
  };
  return {
    dao: (dao) => guardSqlite(() => daoOf(dao)),
    *ballots(spaceId) {
      const number = guardSqlite(() => daoNumberOf(spaceId));
      if (number !== undefined) yield* guarded(ballots(number));
    },
    entityIdOfVoter: ({ entities }) => guardSqlite(() => entityVoters(entities)),
    votersCount: () => guardSqlite(() => blocks.highest()),
    eachVoter: (visit) =>
      guardSqlite(() => {
        const one: VoterList = { count: 1, words: new Int32Array(ADDRESS_WORDS), isLong: new Uint8Array(1) };
        blocks.eachAfter(0, (words, at, isLong, voterNumber) => {
          one.words.set(words.subarray(at, at + one.words.length));
          one.isLong[0] = isLong ? 1 : 0;
          visit(addressAt(one, 0), voterNumber);
        });
      }),
    close: () => void database.close(),
  };
}
