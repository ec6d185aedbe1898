import { invariant } from "../facts/errors.ts";
import type { FetchedRecord, SpaceSink } from "../facts/governance-source.ts";
import { sourceOf } from "../facts/source-table.ts";
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
import { type PackedVotes, packedVotesOf, putVotes } from "./votes.ts";

/** A record that a fetch accepts: from a source, or prepared by another thread. */
export type WrittenRecord =
  | FetchedRecord
  | { readonly kind: "packed-votes"; readonly votes: PackedVotes; readonly isFinal: boolean }
  /** Rejections that are only counted. */
  | { readonly kind: "more-rejections"; readonly code: string; readonly count: number };

/** An open sink of one DAO; readers see nothing of it before `commit`. */
export interface OpenSpaceFetch extends SpaceSink {
  put(record: WrittenRecord): void;
  /** Stores everything and records the fetch as complete; a source that is replaced as a whole passes its `state`. */
  commit(state?: string): FetchRecord;
  /** Drops everything and records the fetch as failed; earlier data stay. */
  fail(error: NonNullable<FetchRecord["error"]>): FetchRecord;
}

/**
 * Creates the writer of one connection, which begins fetches or confirms that none is needed. A replacing fetch needs the
 * connection for itself; resumable fetches may be open at the same time, one for each DAO and source.
 */
export function createFetchWriter(database: Database) {
  const voters = createVoterNumbers(database);
  const open = new Set<string>();
  let isReplacing = false;
  return {
    begin(attempt: FetchAttempt): OpenSpaceFetch {
      const isResumable = sourceOf(attempt.sourceId).isResumable;
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
    /** Whether the last fetch is still current; if so, its time becomes that of this attempt. */
    confirm(attempt: FetchAttempt, state: string): boolean {
      invariant(open.size === 0, "a fetch is confirmed while another one is open");
      return voters.writeAtOnce(() => confirmState(database, attempt, state));
    },
  };
}

/** A checked record: votes are packed, and rejections are recorded elsewhere. */
type CheckedRecord = Exclude<WrittenRecord, { kind: "votes" | "rejection" | "more-rejections" }>;

/** One of the two ways in which a fetch writes: replacing or resumable. */
interface Writing {
  readonly memory?: SpaceSink["memory"];
  put(record: CheckedRecord): void;
  /** Writes what is pending, lets `recordOf` write the fetch record, and commits. */
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
  const writing = isResumable
    ? beginResumable(database, voters, attempt, assertOpen)
    : beginReplacing(database, voters, attempt);
  const assertWritable = () => {
    assertOpen();
    // A full disk rolls back the transaction; records put after that would be stored although the fetch is not.
    const isWhole = isResumable || database.inTransaction;
    invariant(isWhole, `the fetch of ${spaceId} was rolled back and can only fail`);
  };
  /** Voter numbers that `work` assigns are written with the long transaction, or at once if there is none. */
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
      assertWritable();
      return voters.known(address) ?? write(() => voters.numberOf(address));
    },
    numberVoters(list) {
      assertWritable();
      return write(() => voters.numbersOf(list));
    },
    put(record) {
      assertWritable();
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
        default:
          return writing.put(record);
      }
    },
    commit(state) {
      assertWritable();
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

/** Packs votes. Throws on a voter number that was never assigned, because it would later belong to somebody else. */
function packed(
  record: Extract<WrittenRecord, { kind: "votes" | "packed-votes" }>,
  highest: number,
): PackedVotes {
  const votes = record.kind === "votes" ? packedVotesOf(record.votes) : record.votes;
  const { proposalId, highestVoter } = votes;
  invariant(highestVoter <= highest, `ballot of proposal ${proposalId}: a voter was never interned`);
  return votes;
}

/** Writes the records of a fetch and counts the result. */
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
          invariant(record.through === undefined, "a replacing fetch keeps no events");
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
 * A fetch that replaces everything from its source. It writes directly into one long transaction, so memory does not grow
 * with the DAO and a killed process leaves nothing behind. Only for sources as fast as the disk, because nobody else can
 * write meanwhile.
 */
function beginReplacing(
  database: Database,
  voters: VoterNumbers,
  { spaceId, sourceId }: FetchAttempt,
): Writing {
  const begin = () => {
    // Reads the voter numbers that other processes assigned; from here on, the long transaction locks them out.
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

/** Rolls back the transaction of a replacing fetch, if one is open, and forgets its voter numbers. */
function rollBack(database: Database, voters: VoterNumbers): void {
  if (database.inTransaction) database.exec("ROLLBACK");
  voters.forget();
}

/**
 * A fetch that continues earlier ones, for sources that take hours. It holds no transaction, so that its pages can be
 * stored at once and others can write meanwhile. Records wait in memory (15 bytes a vote) until the commit, which writes
 * them and drops whatever the source neither put nor kept this time.
 */
function beginResumable(
  database: Database,
  voters: VoterNumbers,
  { spaceId, sourceId, fetchedAtMs }: FetchAttempt,
  assertOpen: () => void,
): Writing {
  const daoNumber = voters.writeAtOnce(() => openDao(database, spaceId));
  const kept = openFetchMemory(database, voters, { daoNumber, sourceId }, assertOpen);
  /** By subject: a later record of the same subject replaces the earlier one. */
  const records = new Map<string, CheckedRecord>();
  return {
    memory: kept.memory,
    put(record) {
      switch (record.kind) {
        case "space":
          return void records.set("space", record);
        case "proposal":
          return void records.set(`proposal ${record.proposal.proposalId}`, record);
        case "packed-votes":
          return void records.set(`votes ${record.votes.proposalId}`, record);
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
