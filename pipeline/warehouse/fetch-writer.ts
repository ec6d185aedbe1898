import { invariant } from "../facts/errors.ts";
import type { FetchedRecord, SpaceSink } from "../facts/governance-source.ts";
import { sourceOf } from "../facts/source-table.ts";
import type { Database } from "./database.ts";
import { putDelegateList } from "./delegate-lists.ts";
import { putDelegationEvents } from "./delegation-events.ts";
import { openFetchMemory } from "./fetch-memory.ts";
import { type FetchAttempt, type FetchCounts, type FetchRecord, readFetchRecords } from "./fetches.ts";
import { putProposal } from "./proposals.ts";
import { createRejectedRows } from "./rejections.ts";
import { createVoterNumbers, type VoterNumbers } from "./voter-numbers.ts";
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
      const { isResumable } = sourceOf(attempt.sourceId);
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
    /**
     * Sets the time of the last complete fetch to this attempt if the source is still in the same state and nobody has
     * fetched the DAO since; otherwise returns `undefined`, and the source must be read.
     */
    confirm(attempt: FetchAttempt & { readonly state: string }): FetchRecord | undefined {
      const { spaceId, sourceId, fetchedAtMs, state } = attempt;
      invariant(open.size === 0, "a fetch is confirmed while another one is open");
      return voters.writeAtOnce(() => {
        const known = database.get<{ daoNumber: number; note: string; fetchNumber: number }>(
          `SELECT dao_number, note, fetch_number FROM daos JOIN fetch_notes USING (dao_number)
           WHERE space_id = ? AND source_id = ?`,
          spaceId,
          sourceId,
        );
        if (known === undefined || known.note !== stateNote(known.fetchNumber, state)) return undefined;
        const renew = (table: string, condition = "") =>
          database.run(
            `UPDATE ${table} SET fetched_at_ms = ? WHERE dao_number = ? AND source_id = ?${condition}`,
            fetchedAtMs,
            known.daoNumber,
            sourceId,
          );
        // After a failed attempt, nothing is known about what a fetch would read now.
        if (renew("fetch_attempts", " AND status = 'complete'") !== 1) return undefined;
        renew("complete_fetches");
        return readFetchRecords(database, attempt)[0];
      });
    },
  };
}

/** The note for a source that is replaced as a whole: the number of the fetch and the state of the source. */
function stateNote(fetchNumber: number, state: string): string {
  return `${fetchNumber} ${state}`;
}

/** A checked record: votes are packed, and rejections are recorded elsewhere. */
type CheckedRecord = Exclude<WrittenRecord, { kind: "votes" | "rejection" | "more-rejections" }>;

/** One of the two ways in which a fetch writes: replacing or resumable. */
interface Writing {
  readonly daoNumber: number;
  readonly memory?: SpaceSink["memory"];
  put(record: CheckedRecord): void;
  /** Called within the commit's transaction: writes what is pending. */
  finish(): { readonly fetchNumber: number; readonly counts: FetchCounts };
  isBallotKept(proposalId: string): boolean;
}

const NOTHING: FetchCounts = { proposals: 0, ballots: 0, votes: 0, delegateLists: 0, logs: 0 };

function openFetch(
  database: Database,
  voters: VoterNumbers,
  attempt: FetchAttempt,
  isResumable: boolean,
  done: () => void,
): OpenSpaceFetch {
  const { spaceId, sourceId, fetchedAtMs } = attempt;
  const rejected = createRejectedRows();
  let isOver = false;
  const assertOpen = () => invariant(!isOver, `the fetch of ${spaceId} is over`);
  const assertWritable = () => {
    assertOpen();
    // A full disk rolls back the transaction; records put after that would be stored although the fetch is not.
    const isWhole = isResumable || database.inTransaction;
    invariant(isWhole, `the fetch of ${spaceId} was rolled back and can only fail`);
  };
  const writing = isResumable
    ? beginResumable(database, voters, attempt, assertOpen)
    : beginReplacing(database, voters, attempt);
  const end = () => {
    isOver = true;
    done();
  };
  /** Writes a fetch record over the previous one from the same source. */
  const record = (
    error: FetchRecord["error"],
    { proposals, ballots, votes, delegateLists, logs }: FetchCounts,
    isBallotKept: (proposalId: string) => boolean,
  ): FetchRecord => {
    const daoNumber = database.numberOf("daos", { spaceId });
    const isComplete = error === undefined;
    database.put("fetch_attempts", {
      daoNumber,
      sourceId,
      status: isComplete ? "complete" : "failed",
      fetchedAtMs,
      errorCode: error?.code,
      errorMessage: error?.message,
      proposalsCount: proposals,
      ballotsCount: ballots,
      votesCount: votes,
      delegateListsCount: delegateLists,
      logsCount: logs,
    });
    if (isComplete) database.put("complete_fetches", { daoNumber, sourceId, fetchedAtMs });
    rejected.write(database, daoNumber, { sourceId, isComplete }, isBallotKept);
    const [written] = readFetchRecords(database, attempt);
    invariant(written !== undefined, "the record of a fetch is there");
    return written;
  };
  return {
    ...(writing.memory === undefined ? {} : { memory: writing.memory }),
    internVoter(address) {
      assertWritable();
      return voters.known(address) ?? voters.writeAtOnce(() => voters.numberOf(address));
    },
    numberVoters(list) {
      assertWritable();
      return voters.writeAtOnce(() => voters.numbersOf(list));
    },
    put(record) {
      assertWritable();
      switch (record.kind) {
        case "rejection":
          return rejected.add(record);
        case "more-rejections":
          return rejected.count("", record.code, record.count);
        case "votes":
        case "packed-votes": {
          const votes = record.kind === "votes" ? packedVotesOf(record.votes) : record.votes;
          // A number that was never assigned would later belong to somebody else.
          const isNumbered = votes.highestVoter <= voters.highest();
          invariant(isNumbered, `ballot of proposal ${votes.proposalId}: a voter was never interned`);
          return writing.put({ kind: "packed-votes", votes, isFinal: record.isFinal });
        }
        default:
          return writing.put(record);
      }
    },
    commit(state) {
      assertWritable();
      const written = voters.writeAtOnce(() => {
        const { fetchNumber, counts } = writing.finish();
        if (state !== undefined) {
          const note = stateNote(fetchNumber, state);
          database.put("fetch_notes", { daoNumber: writing.daoNumber, sourceId, note });
        }
        return record(undefined, counts, writing.isBallotKept);
      });
      if (!isResumable) voters.commit();
      end();
      return written;
    },
    fail(error) {
      assertOpen();
      end();
      voters.rollBack();
      const select = `SELECT 1 FROM ballots JOIN proposals USING (proposal_number) JOIN daos USING (dao_number)
        WHERE space_id = ? AND source_id = ? AND proposal_id = ?`;
      const isHeld = (id: string) => database.get(select, spaceId, sourceId, id) !== undefined;
      return voters.writeAtOnce(() => record(error, NOTHING, isHeld));
    },
  };
}

/** Writes the records of a fetch and counts the result. */
function createRecordWriter(database: Database, daoNumber: number, sourceId: string) {
  const fetchNumber = startFetch(database, daoNumber);
  const listDates = new Set<string>();
  let logs = 0;
  return {
    write(record: CheckedRecord) {
      switch (record.kind) {
        case "space":
          return database.put("spaces", { daoNumber, sourceId, ...record.space });
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
    /** The number of the fetch, and what is stored now: rows, because a record put twice is stored once. */
    finish() {
      const stored = database.get<Pick<FetchCounts, "proposals" | "ballots" | "votes">>(
        `SELECT count(*) AS proposals, count(ballots.proposal_number) AS ballots,
                coalesce(sum(ballots.votes_count), 0) AS votes
         FROM proposals LEFT JOIN ballots USING (proposal_number)
         WHERE dao_number = ? AND source_id = ?`,
        daoNumber,
        sourceId,
      );
      return { fetchNumber, counts: { ...NOTHING, ...stored, delegateLists: listDates.size, logs } };
    },
  };
}

function startFetch(database: Database, daoNumber: number): number {
  const count = "UPDATE daos SET fetch_number = fetch_number + 1 WHERE dao_number = ? RETURNING fetch_number";
  const row = database.get<{ fetchNumber: number }>(count, daoNumber);
  invariant(row !== undefined, "the DAO of a fetch is there");
  return row.fetchNumber;
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
  voters.begin();
  try {
    const daoNumber = database.numberOf("daos", { spaceId });
    for (const table of ["spaces", "proposals"]) {
      database.run(`DELETE FROM ${table} WHERE dao_number = ? AND source_id = ?`, daoNumber, sourceId);
    }
    const { write, finish } = createRecordWriter(database, daoNumber, sourceId);
    return { daoNumber, put: write, finish, isBallotKept: () => false };
  } catch (error) {
    voters.rollBack();
    throw error;
  }
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
  const daoNumber = voters.writeAtOnce(() => database.numberOf("daos", { spaceId }));
  const kept = openFetchMemory(database, voters, { daoNumber, sourceId }, assertOpen);
  /** By subject: a later record of the same subject replaces the earlier one. */
  const records = new Map<string, CheckedRecord>();
  return {
    daoNumber,
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
    finish() {
      if (!records.has("space")) {
        database.run("DELETE FROM spaces WHERE dao_number = ? AND source_id = ?", daoNumber, sourceId);
      }
      // A proposal that disappeared upstream must disappear here, with its ballot.
      const select = `SELECT proposal_number AS number, proposal_id AS id
         FROM proposals WHERE dao_number = ? AND source_id = ?`;
      for (const { number, id } of database.all<{ number: number; id: string }>(
        select,
        daoNumber,
        sourceId,
      )) {
        const isKept = (part: "proposal" | "votes") => records.has(`${part} ${id}`) || kept.isKept(part, id);
        const from = isKept("proposal") ? "ballots" : "proposals";
        if (from === "ballots" && isKept("votes")) continue;
        database.run(`DELETE FROM ${from} WHERE proposal_number = ?`, number);
      }
      const writer = createRecordWriter(database, daoNumber, sourceId);
      for (const record of records.values()) writer.write(record);
      kept.settle(fetchedAtMs);
      const { fetchNumber, counts } = writer.finish();
      return { fetchNumber, counts: { ...counts, logs: counts.logs + kept.keptEvents() } };
    },
    isBallotKept: (id) => kept.isKept("votes", id) && !records.has(`votes ${id}`),
  };
}
