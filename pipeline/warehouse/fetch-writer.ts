import type { Space } from "../facts/dao-facts.ts";
import type { DelegateList, DelegationEvent } from "../facts/delegation.ts";
import { invariant } from "../facts/errors.ts";
import type { FetchedRecord, SpaceSink } from "../facts/governance-source.ts";
import type { Proposal } from "../facts/proposal.ts";
import type { Database } from "./database.ts";
import { putDelegateList } from "./delegate-lists.ts";
import { putDelegationEvents } from "./delegation-events.ts";
import { fetchMemories } from "./fetch-memory.ts";
import {
  countFetched,
  createRejectedRows,
  dropUnkept,
  type FetchAttempt,
  type FetchCounts,
  type FetchRecord,
  recordFetch,
  sourceStates,
  startFetch,
} from "./fetches.ts";
import { checkPackedVotes, type PackedVotes, packedVotesOf } from "./pack-votes.ts";
import { putProposal } from "./proposals.ts";
import { openDao, putSpace } from "./spaces.ts";
import {
  createVoterNumbers,
  createWriteAtOnce,
  type VoterNumbers,
  type WriteAtOnce,
} from "./voter-numbers.ts";
import { putVotes } from "./votes.ts";

/** What a fetch takes: what sources hand over, and what another thread made of it. */
export type WrittenRecord =
  | FetchedRecord
  | { readonly kind: "packed-votes"; readonly votes: PackedVotes; readonly isFinal: boolean }
  /** Rejections of which only the number is kept. */
  | { readonly kind: "more-rejections"; readonly code: string; readonly count: number };

/** A sink that is open for one DAO; nothing of it is visible until `commit`. */
export interface OpenSpaceFetch extends SpaceSink {
  put(record: WrittenRecord): void;
  /** Keeps everything and records the fetch as complete; of a source that is replaced whole, also the state it was in. */
  commit(state?: string): FetchRecord;
  /** Drops everything and records the fetch as failed; what was known before stays. */
  fail(error: NonNullable<FetchRecord["error"]>): FetchRecord;
}

/** Sources that take hours for a large DAO and wait for a network; the others replace what they brought, in one go. */
const RESUMABLE_SOURCES: ReadonlySet<string> = new Set(["snapshot-hub", "governor"]);

/**
 * Begins fetches on one connection, or confirms that one is not needed. A fetch that replaces needs it alone; resumable ones may be open side by side,
 * one for each DAO and source.
 */
export function createFetchWriter(database: Database) {
  const voters = createVoterNumbers(database);
  const writeAtOnce = createWriteAtOnce(database, voters);
  const openMemory = fetchMemories(database, voters, writeAtOnce);
  const connection: Connection = {
    database,
    statements: prepareWrites(database),
    voters,
    writeAtOnce,
    openMemory,
  };
  const open = new Set<string>();
  let isReplacing = false;
  return {
    begin(attempt: FetchAttempt): OpenSpaceFetch {
      const isResumable = RESUMABLE_SOURCES.has(attempt.sourceId);
      const name = `${attempt.sourceId} ${attempt.spaceId}`;
      const isFree = isResumable ? !isReplacing && !open.has(name) : open.size === 0;
      invariant(isFree, "a fetch is begun while another one is open");
      const fetch = openFetch(connection, attempt, isResumable ? beginResumable : beginReplacing, () => {
        open.delete(name);
        isReplacing = false;
      });
      open.add(name);
      isReplacing = !isResumable;
      return fetch;
    },
    /** Whether the last fetch holds as of this attempt, which is then its time. */
    confirm(attempt: FetchAttempt, state: string): boolean {
      invariant(open.size === 0, "a fetch is confirmed while another one is open");
      return writeAtOnce(() => connection.statements.states.confirm(attempt, state));
    },
  };
}

/** A connection that fetches write through. */
interface Connection {
  readonly database: Database;
  readonly statements: ReturnType<typeof prepareWrites>;
  readonly voters: VoterNumbers;
  readonly writeAtOnce: WriteAtOnce;
  readonly openMemory: ReturnType<typeof fetchMemories>;
}

/** The statements of all fetches, prepared once. */
function prepareWrites(database: Database) {
  return {
    openDao: openDao(database),
    startFetch: startFetch(database),
    dropUnkept: dropUnkept(database),
    putSpace: putSpace(database),
    putProposal: putProposal(database),
    putVotes: putVotes(database),
    putDelegateList: putDelegateList(database),
    putDelegationEvents: putDelegationEvents(database),
    countFetched: countFetched(database),
    recordFetch: recordFetch(database),
    states: sourceStates(database),
  };
}

/** A record once it is checked: votes are packed, and rejections are no part of the facts. */
type CheckedRecord = Exclude<WrittenRecord, { kind: "votes" | "rejection" | "more-rejections" }>;

/** One of the two ways in which a fetch writes. */
interface Writing {
  /** Throws where what is put now would not be part of the fetch. */
  assertWhole(): void;
  /** Does work that is part of what is written, and may give numbers to voters. */
  readonly write: WriteAtOnce;
  readonly memory?: SpaceSink["memory"];
  put(record: CheckedRecord): void;
  /** Writes what is left to write and the record that `recordOf` makes and keeps, and commits. */
  commit(
    recordOf: (daoNumber: number, counts: FetchCounts) => FetchRecord,
    state: string | undefined,
  ): FetchRecord;
  /** Drops what was written. */
  drop(): void;
}

function openFetch(
  connection: Connection,
  attempt: FetchAttempt,
  begin: (connection: Connection, attempt: FetchAttempt, still: () => void) => Writing,
  done: () => void,
): OpenSpaceFetch {
  const { statements, voters, writeAtOnce } = connection;
  const { spaceId } = attempt;
  const rejected = createRejectedRows();
  let isOver = false;
  const assertOpen = () => invariant(!isOver, `the fetch of ${spaceId} is over`);
  const assertOwn = (of: string, what: string) =>
    invariant(of === spaceId, `a ${what} of ${of} is put into the fetch of ${spaceId}`);
  const writing = begin(connection, attempt, assertOpen);
  const still = () => {
    assertOpen();
    writing.assertWhole();
  };
  const end = () => {
    isOver = true;
    done();
  };
  const recordAs = (
    daoNumber: number,
    outcome: Pick<FetchRecord, "status" | "error"> & FetchCounts,
  ): FetchRecord => {
    const record = { ...attempt, ...outcome, rejected: rejected.countsByCode() };
    statements.recordFetch(daoNumber, record, rejected.rows);
    return record;
  };
  return {
    ...(writing.memory === undefined ? {} : { memory: writing.memory }),
    internVoter(address) {
      still();
      return voters.known(address) ?? writing.write(() => voters.numberOf(address));
    },
    numberVoters(list) {
      still();
      return writing.write(() => voters.numbersOf(list));
    },
    put(record) {
      still();
      switch (record.kind) {
        case "rejection":
          return rejected.add(record);
        case "more-rejections":
          return rejected.count(record.code, record.count);
        case "votes":
        case "packed-votes":
          return writing.put({
            kind: "packed-votes",
            votes: packed(record, voters.highest()),
            isFinal: record.isFinal,
          });
        case "space":
          assertOwn(record.space.spaceId, "space");
          return writing.put(record);
        case "delegate-list":
          assertOwn(record.list.spaceId, "delegate list");
          return writing.put(record);
        default:
          return writing.put(record);
      }
    },
    commit(state) {
      still();
      const record = writing.commit(
        (daoNumber, counts) => recordAs(daoNumber, { ...counts, status: "complete", error: undefined }),
        state,
      );
      end();
      return record;
    },
    fail(error) {
      assertOpen();
      end();
      writing.drop();
      return writeAtOnce(() =>
        recordAs(statements.openDao(spaceId), { ...NOTHING, status: "failed", error }),
      );
    },
  };
}

const NOTHING: FetchCounts = { proposals: 0, ballots: 0, votes: 0, delegateLists: 0, logs: 0 };

/** Stops on a voter's number that nobody was given: it would become somebody else's vote later. */
function packed(
  record: Extract<WrittenRecord, { kind: "votes" | "packed-votes" }>,
  highest: number,
): PackedVotes {
  const votes = record.kind === "votes" ? packedVotesOf(record.votes) : record.votes;
  const { proposalId, highestVoter } = votes;
  invariant(highestVoter <= highest, `ballot of proposal ${proposalId}: a voter was never interned`);
  if (record.kind === "packed-votes") checkPackedVotes(votes);
  return votes;
}

/**
 * A fetch that replaces all its source had brought. It writes straight into one long transaction, so that memory does
 * not grow with the DAO and a killed process leaves nothing behind. For sources that are as fast as the disk: nobody
 * else can write meanwhile.
 */
function beginReplacing(connection: Connection, { spaceId, sourceId }: FetchAttempt): Writing {
  const { database, statements, voters, writeAtOnce } = connection;
  const begin = () => {
    // What another process numbered meanwhile is read here; the long transaction keeps it out from now on.
    writeAtOnce(() => undefined);
    const daoNumber = statements.openDao(spaceId);
    statements.dropUnkept(daoNumber, sourceId);
    return { daoNumber, fetchNumber: statements.startFetch(daoNumber) };
  };
  const drop = () => {
    if (database.inTransaction) database.exec("ROLLBACK");
    voters.forget();
  };
  database.exec("BEGIN IMMEDIATE");
  let begun: ReturnType<typeof begin>;
  try {
    begun = begin();
  } catch (error) {
    drop();
    throw error;
  }
  const { daoNumber, fetchNumber } = begun;
  const listDates = new Set<string>();
  let logs = 0;
  return {
    assertWhole() {
      // A full disk rolls back by itself; what is put after that would be kept although the fetch is not.
      invariant(database.inTransaction, `the fetch of ${spaceId} was rolled back and can only fail`);
    },
    write: (work) => work(),
    put(record) {
      switch (record.kind) {
        case "space":
          return statements.putSpace(daoNumber, sourceId, record.space);
        case "proposal":
          return statements.putProposal(daoNumber, sourceId, record.proposal);
        case "packed-votes":
          return statements.putVotes(daoNumber, record.votes, record.isFinal);
        case "delegate-list":
          statements.putDelegateList(daoNumber, record.list);
          return void listDates.add(record.list.date);
        case "delegation-events":
          invariant(record.through === undefined, "a fetch that replaces keeps no events");
          logs += statements.putDelegationEvents(daoNumber, fetchNumber, record.token, record.events);
      }
    },
    commit(recordOf, state) {
      const counts = statements.countFetched(daoNumber, sourceId);
      const record = recordOf(daoNumber, { ...counts, delegateLists: listDates.size, logs });
      if (state !== undefined) statements.states.remember(daoNumber, sourceId, fetchNumber, state);
      voters.write();
      database.exec("COMMIT");
      voters.settle();
      return record;
    },
    drop,
  };
}

/**
 * A fetch that goes on from what earlier ones left, for sources that take hours: it holds no transaction, so that
 * its pages can be kept at once and others can write meanwhile. What was put waits in memory (15 bytes a vote) and
 * is written by the commit, which drops what the source had brought before and has neither put nor kept.
 */
function beginResumable(
  connection: Connection,
  { spaceId, sourceId }: FetchAttempt,
  still: () => void,
): Writing {
  const { statements, writeAtOnce, openMemory } = connection;
  const daoNumber = writeAtOnce(() => statements.openDao(spaceId));
  const kept = openMemory(daoNumber, sourceId, still);
  let space: Space | undefined;
  const proposals = new Map<string, Proposal>();
  const ballots = new Map<string, { readonly votes: PackedVotes; readonly isFinal: boolean }>();
  const lists = new Map<string, DelegateList>();
  const eventsOf = new Map<string, Map<string, DelegationEvent>>();
  return {
    assertWhole: () => undefined,
    write: writeAtOnce,
    memory: kept.memory,
    put(record) {
      switch (record.kind) {
        case "space":
          space = record.space;
          return;
        case "proposal":
          return void proposals.set(record.proposal.proposalId, record.proposal);
        case "packed-votes": {
          const { proposalId } = record.votes;
          invariant(
            proposals.has(proposalId),
            `ballot of proposal ${proposalId} was put before its proposal`,
          );
          return void ballots.set(proposalId, record);
        }
        case "delegate-list":
          return void lists.set(record.list.date, record.list);
        case "delegation-events": {
          if (record.through !== undefined) {
            return kept.memory.delegationOf(record.token).keep(record.events, record.through);
          }
          const events = eventsOf.get(record.token) ?? new Map<string, DelegationEvent>();
          eventsOf.set(record.token, events);
          for (const event of record.events) {
            const key = `${event.blockNumber}/${event.logIndex}`;
            if (!events.has(key)) events.set(key, event);
          }
        }
      }
    },
    commit: (recordOf) =>
      writeAtOnce(() => {
        statements.dropUnkept(daoNumber, sourceId, (part, id) => {
          if (part === "space") return space !== undefined;
          if (part === "proposal") return proposals.has(id) || kept.keptProposals.has(id);
          return ballots.has(id) || kept.keptVotes.has(id);
        });
        const fetchNumber = statements.startFetch(daoNumber);
        if (space !== undefined) statements.putSpace(daoNumber, sourceId, space);
        for (const proposal of proposals.values()) statements.putProposal(daoNumber, sourceId, proposal);
        for (const { votes, isFinal } of ballots.values()) statements.putVotes(daoNumber, votes, isFinal);
        for (const list of lists.values()) statements.putDelegateList(daoNumber, list);
        let logs = kept.keptEvents();
        for (const [token, events] of eventsOf) {
          logs += events.size;
          statements.putDelegationEvents(daoNumber, fetchNumber, token, [...events.values()]);
        }
        const counts = statements.countFetched(daoNumber, sourceId);
        kept.settle();
        return recordOf(daoNumber, { ...counts, delegateLists: lists.size, logs });
      }),
    drop: () => undefined,
  };
}
