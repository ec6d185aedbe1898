import { invariant } from "../facts/errors.ts";
import type { SpaceSink } from "../facts/governance-source.ts";
import { sourceOf } from "../facts/source-table.ts";
import type { Database } from "./database.ts";
import { type FetchAttempt, type FetchCounts, type FetchRecord, readFetchRecords } from "./fetches.ts";
import { createRecordWriter, NOTHING, type Writing, type WrittenRecord } from "./record-writer.ts";
import { createRejectedRows } from "./rejections.ts";
import { beginResumable } from "./resumable-fetch.ts";
import { settleSpaces } from "./spaces.ts";
import { createVoterNumbers, type VoterNumbers } from "./voter-numbers.ts";
import { packedVotesOf } from "./votes.ts";

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
      const { spaceId, sourceId, state } = attempt;
      invariant(open.size === 0, "a fetch is confirmed while another one is open");
      return voters.writeAtOnce(() => {
        // After a failed attempt, nothing is known about what a fetch would read now.
        const known = database.get<{ note: string; fetchNumber: number }>(
          `SELECT note, fetch_number FROM daos
           JOIN fetch_notes USING (dao_number) JOIN fetch_attempts USING (dao_number, source_id)
           WHERE space_id = ? AND source_id = ? AND status = 'complete'`,
          spaceId,
          sourceId,
        );
        if (known === undefined || known.note !== stateNote(known.fetchNumber, state)) return undefined;
        settleSpaces(database, [spaceId], attempt);
        return readFetchRecords(database, attempt)[0];
      });
    },
  };
}

/** The note for a source that is replaced as a whole: the number of the fetch and the state of the source. */
function stateNote(fetchNumber: number, state: string): string {
  return `${fetchNumber} ${state}`;
}

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
