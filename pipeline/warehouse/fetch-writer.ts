import { invariant } from "../facts/errors.ts";
import type { FetchedRecord, SpaceSink } from "../facts/governance-source.ts";
import type { Database } from "./database.ts";
import { putDelegateList } from "./delegate-lists.ts";
import { putDelegationEvents } from "./delegation-events.ts";
import { openFetchMemory } from "./fetch-memory.ts";
import {
  confirmState,
  countFetched,
  createRejectedRows,
  dropUnkept,
  type FetchAttempt,
  type FetchCounts,
  type FetchRecord,
  putNote,
  recordFetch,
  startFetch,
  stateNote,
} from "./fetches.ts";
import { putProposal, readHeldProposals } from "./proposals.ts";
import { openDao, putSpace } from "./spaces.ts";
import { createVoterNumbers, type VoterNumbers, type WriteAtOnce } from "./voter-numbers.ts";
import { checkPackedVotes, type PackedVotes, packedVotesOf, putVotes } from "./votes.ts";

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
  const open = new Set<string>();
  let isReplacing = false;
  return {
    begin(attempt: FetchAttempt): OpenSpaceFetch {
      const isResumable = RESUMABLE_SOURCES.has(attempt.sourceId);
      const name = `${attempt.sourceId} ${attempt.spaceId}`;
      const isFree = isResumable ? !isReplacing && !open.has(name) : open.size === 0;
      invariant(isFree, "a fetch is begun while another one is open");
      const fetch = openFetch(database, voters, attempt, isResumable, () => {
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
      return voters.writeAtOnce(() => confirmState(database, attempt, state));
    },
  };
}

/** A record once it is checked: votes are packed, and rejections are no part of the facts. */
type CheckedRecord = Exclude<WrittenRecord, { kind: "votes" | "rejection" | "more-rejections" }>;

/** One of the two ways in which a fetch writes. */
interface Writing {
  readonly memory?: SpaceSink["memory"];
  put(record: CheckedRecord): void;
  /** Writes what is left to write and the record that `recordOf` makes and keeps, and commits. */
  commit(
    recordOf: (
      daoNumber: number,
      counts: FetchCounts,
      isBallotKept?: (proposalId: string) => boolean,
    ) => FetchRecord,
    state: string | undefined,
  ): FetchRecord;
}

function openFetch(
  database: Database,
  voters: VoterNumbers,
  attempt: FetchAttempt,
  isResumable: boolean,
  done: () => void,
): OpenSpaceFetch {
  const { spaceId } = attempt;
  const rejected = createRejectedRows();
  let isOver = false;
  const assertOpen = () => invariant(!isOver, `the fetch of ${spaceId} is over`);
  const assertOwn = (of: string, what: string) =>
    invariant(of === spaceId, `a ${what} of ${of} is put into the fetch of ${spaceId}`);
  const writing = isResumable
    ? beginResumable(database, voters, attempt, assertOpen)
    : beginReplacing(database, voters, attempt);
  const still = () => {
    assertOpen();
    // A full disk rolls back by itself; what is put after that would be kept although the fetch is not.
    const isWhole = isResumable || database.inTransaction;
    invariant(isWhole, `the fetch of ${spaceId} was rolled back and can only fail`);
  };
  /** The numbers that `work` gives are written with the long transaction, or at once where there is none. */
  const write: WriteAtOnce = (work) => (isResumable ? voters.writeAtOnce(work) : work());
  const end = () => {
    isOver = true;
    done();
  };
  const recordAs = (
    daoNumber: number,
    outcome: Pick<FetchRecord, "status" | "error"> & FetchCounts,
    isBallotKept: (proposalId: string) => boolean,
  ): FetchRecord => recordFetch(database, daoNumber, { ...attempt, ...outcome }, rejected, isBallotKept);
  return {
    ...(writing.memory === undefined ? {} : { memory: writing.memory }),
    internVoter(address) {
      still();
      return voters.known(address) ?? write(() => voters.numberOf(address));
    },
    numberVoters(list) {
      still();
      return write(() => voters.numbersOf(list));
    },
    put(record) {
      still();
      switch (record.kind) {
        case "rejection":
          return rejected.add(record);
        case "more-rejections":
          return rejected.count("", record.code, record.count);
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
        (daoNumber, counts, isBallotKept = () => false) =>
          recordAs(daoNumber, { ...counts, status: "complete", error: undefined }, isBallotKept),
        state,
      );
      end();
      return record;
    },
    fail(error) {
      assertOpen();
      end();
      rollBack(database, voters);
      const nothing = { proposals: 0, ballots: 0, votes: 0, delegateLists: 0, logs: 0 };
      return voters.writeAtOnce(() => {
        const daoNumber = openDao(database, spaceId);
        const held = readHeldProposals(database, daoNumber, attempt.sourceId);
        const ballots = new Set(
          held.flatMap(({ proposal, ballot }) => (ballot ? [proposal.proposalId] : [])),
        );
        return recordAs(daoNumber, { ...nothing, status: "failed", error }, (id) => ballots.has(id));
      });
    },
  };
}

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

/** Writes the records of a fetch as they come, and counts what is there in the end. */
function createRecordWriter(database: Database, daoNumber: number, sourceId: string) {
  const fetchNumber = startFetch(database, daoNumber);
  const listDates = new Set<string>();
  let logs = 0;
  return {
    fetchNumber,
    write(record: CheckedRecord) {
      switch (record.kind) {
        case "space":
          return putSpace(database, daoNumber, sourceId, record.space);
        case "proposal":
          return putProposal(database, daoNumber, sourceId, record.proposal);
        case "packed-votes":
          return putVotes(database, daoNumber, record.votes, record.isFinal);
        case "delegate-list":
          listDates.add(record.list.date);
          return putDelegateList(database, daoNumber, record.list);
        case "delegation-events":
          invariant(record.through === undefined, "a fetch that replaces keeps no events");
          logs += putDelegationEvents(database, daoNumber, fetchNumber, record.token, record.events);
      }
    },
    counts: (): FetchCounts => ({
      ...countFetched(database, daoNumber, sourceId),
      delegateLists: listDates.size,
      logs,
    }),
  };
}

/**
 * A fetch that replaces all its source had brought. It writes straight into one long transaction, so that memory does
 * not grow with the DAO and a killed process leaves nothing behind. For sources that are as fast as the disk: nobody
 * else can write meanwhile.
 */
function beginReplacing(
  database: Database,
  voters: VoterNumbers,
  { spaceId, sourceId }: FetchAttempt,
): Writing {
  const begin = () => {
    // What another process numbered meanwhile is read here; the long transaction keeps it out from now on.
    voters.writeAtOnce(() => undefined);
    const daoNumber = openDao(database, spaceId);
    dropUnkept(database, daoNumber, sourceId);
    return { daoNumber, writer: createRecordWriter(database, daoNumber, sourceId) };
  };
  database.exec("BEGIN IMMEDIATE");
  let begun: ReturnType<typeof begin>;
  try {
    begun = begin();
  } catch (error) {
    rollBack(database, voters);
    throw error;
  }
  const { daoNumber, writer } = begun;
  return {
    put: writer.write,
    commit(recordOf, state) {
      const record = recordOf(daoNumber, writer.counts());
      if (state !== undefined) {
        putNote(database, daoNumber, sourceId, stateNote(writer.fetchNumber, state));
      }
      voters.write();
      database.exec("COMMIT");
      voters.settle();
      return record;
    },
  };
}

/** Drops what a fetch that replaces has written; nothing where it was rolled back before, or holds no transaction. */
function rollBack(database: Database, voters: VoterNumbers): void {
  if (database.inTransaction) database.exec("ROLLBACK");
  voters.forget();
}

/**
 * A fetch that goes on from what earlier ones left, for sources that take hours: it holds no transaction, so that
 * its pages can be kept at once and others can write meanwhile. What was put waits in memory (15 bytes a vote) and
 * is written by the commit, which drops what the source had brought before and has neither put nor kept.
 */
function beginResumable(
  database: Database,
  voters: VoterNumbers,
  { spaceId, sourceId, fetchedAtMs }: FetchAttempt,
  still: () => void,
): Writing {
  const daoNumber = voters.writeAtOnce(() => openDao(database, spaceId));
  const kept = openFetchMemory(database, voters, { daoNumber, sourceId }, still);
  /** By what each is of: a later one replaces an earlier. */
  const records = new Map<string, CheckedRecord>();
  return {
    memory: kept.memory,
    put(record) {
      switch (record.kind) {
        case "space":
          return void records.set("space", record);
        case "proposal":
          return void records.set(`proposal ${record.proposal.proposalId}`, record);
        case "packed-votes": {
          const { proposalId } = record.votes;
          const isPut = records.has(`proposal ${proposalId}`);
          invariant(isPut, `ballot of proposal ${proposalId} was put before its proposal`);
          return void records.set(`votes ${proposalId}`, record);
        }
        case "delegate-list":
          return void records.set(`delegate list ${record.list.date}`, record);
        case "delegation-events":
          if (record.through === undefined) return void records.set(`events ${records.size}`, record);
          return kept.memory.delegationOf(record.token).keep(record.events, record.through);
      }
    },
    commit: (recordOf) =>
      voters.writeAtOnce(() => {
        dropUnkept(database, daoNumber, sourceId, (part, id) => {
          if (part === "space") return records.has(part);
          return records.has(`${part} ${id}`) || kept.isKept(part, id);
        });
        const writer = createRecordWriter(database, daoNumber, sourceId);
        for (const record of records.values()) writer.write(record);
        const { logs, ...counts } = writer.counts();
        kept.settle(fetchedAtMs);
        const isBallotKept = (id: string) => kept.isKept("votes", id) && !records.has(`votes ${id}`);
        return recordOf(daoNumber, { ...counts, logs: logs + kept.keptEvents() }, isBallotKept);
      }),
  };
}
