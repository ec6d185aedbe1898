import { readdirSync } from "node:fs";
import type { DaoFacts } from "../facts/dao-facts.ts";
import { invariant } from "../facts/errors.ts";
import type { ProposalVotes } from "../facts/proposal-votes.ts";
import type { Registry, TrackedDao } from "../facts/tracked.ts";
import { ADDRESS_WORDS, addressAt, type VoterList } from "../facts/voters.ts";
import { pointColumns } from "./daily-points.ts";
import { type Database, openForReading } from "./database.ts";
import { readDelegateLists } from "./delegate-lists.ts";
import { readDelegationEvents } from "./delegation-events.ts";
import { type CompleteFetch, lastCompleteFetch, readCompleteFetches } from "./fetches.ts";
import { readNames } from "./names.ts";
import { readProposals } from "./proposals.ts";
import { readDao, readSpace } from "./spaces.ts";
import { voterBlocks } from "./voter-blocks.ts";
import { readEntityVoters } from "./voter-numbers.ts";
import { eachVotes, readVotes } from "./votes.ts";

/** What is known of one DAO but for its ballots, which may be too many to hold. */
export interface ViewedDao extends Omit<DaoFacts, "ballots" | "entityIdOfVoter" | "names"> {
  /** The last complete fetch from each source that gave it whole. */
  readonly fetches: readonly CompleteFetch[];
}

function readViewedDao(database: Database): (dao: TrackedDao, daoNumber: number | undefined) => ViewedDao {
  const completeFetches = readCompleteFetches(database);
  const space = readSpace(database);
  const proposals = readProposals(database);
  const lists = readDelegateLists(database);
  const events = readDelegationEvents(database);
  return (dao, daoNumber) => {
    const { spaceId, governor } = dao;
    const isKnown = daoNumber !== undefined;
    const fetches = isKnown ? completeFetches(daoNumber) : [];
    return {
      dao,
      space: isKnown ? space(daoNumber, spaceId) : undefined,
      proposals: isKnown ? proposals(daoNumber) : [],
      delegateLists: isKnown ? lists(daoNumber, spaceId) : [],
      delegationEvents: isKnown && governor !== undefined ? events(daoNumber, governor.token) : [],
      fetches,
      ...lastCompleteFetch(fetches, dao),
    };
  };
}

/**
 * Everything known about one DAO as of one commit; empty facts where it was never fetched. Throws `PipelineError`
 * WAREHOUSE_CORRUPT where a ballot does not match its count or checksum.
 */
export function readDaoFacts(database: Database): (dao: TrackedDao, registry: Registry) => DaoFacts {
  const daoNumberOf = readDao(database);
  const viewed = readViewedDao(database);
  const ballots = readVotes(database);
  const entityVoters = readEntityVoters(database);
  const names = readNames(database);
  const read = (dao: TrackedDao, registry: Registry): DaoFacts => {
    const daoNumber = daoNumberOf(dao.spaceId);
    const { fetches: _fetches, ...facts } = viewed(dao, daoNumber);
    return {
      ...facts,
      ballots: daoNumber === undefined ? new Map() : ballots(daoNumber),
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
    const newest = readdirSync(input.migrationsDirectory).filter((name) => name.endsWith(".sql")).length;
    const version = database.pragma("user_version", { simple: true });
    invariant(version === newest, `a reader is opened on version ${version} of the warehouse, not ${newest}`);
    const { read } = pointColumns(database);
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
    database.prepare("SELECT count(*) FROM daos").get();
    const daoNumberOf = readDao(database);
    const viewed = readViewedDao(database);
    const ballots = eachVotes(database);
    const entityVoters = readEntityVoters(database);
    const blocks = voterBlocks(database);
    return {
      dao: (dao: TrackedDao) => viewed(dao, daoNumberOf(dao.spaceId)),
      /** Its ballots one after the other, by (end, id) of their proposals; throws WAREHOUSE_CORRUPT at the first bad one. */
      *ballots(spaceId: string): Generator<ProposalVotes> {
        const daoNumber = daoNumberOf(spaceId);
        if (daoNumber !== undefined) yield* ballots(daoNumber);
      },
      /** Entity id of the voters that belong to one, by voter number. */
      entityIdOfVoter: ({ entities }: Registry) => entityVoters(entities),
      /** The largest voter number; numbers begin with 1. */
      votersCount: blocks.highest,
      eachVoter(visit: (address: string, voterNumber: number) => void) {
        const one: VoterList = { count: 1, words: new Int32Array(ADDRESS_WORDS), isLong: new Uint8Array(1) };
        blocks.eachAfter(0, (words, at, isLong, voterNumber) => {
          one.words.set(words.subarray(at, at + one.words.length));
          one.isLong[0] = isLong ? 1 : 0;
          visit(addressAt(one, 0), voterNumber);
        });
      },
      close: database.close,
    };
  });
}
