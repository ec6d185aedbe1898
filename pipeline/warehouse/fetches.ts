import type { DaoFacts } from "../facts/dao-facts.ts";
import { invariant } from "../facts/errors.ts";
import type { Rejection } from "../facts/governance-source.ts";
import { sourceOf } from "../facts/source-table.ts";
import type { TrackedDao } from "../facts/tracked.ts";
import type { Database } from "./database.ts";

/** The DAO, the source and the time of a fetch. */
export interface FetchAttempt {
  readonly spaceId: string;
  readonly sourceId: string;
  readonly fetchedAtMs: number;
}

/** How much a fetch brought. */
export interface FetchCounts {
  readonly proposals: number;
  readonly ballots: number;
  readonly votes: number;
  readonly delegateLists: number;
  readonly logs: number;
}

/** The newest fetch of one DAO from one source. A failed fetch stored nothing: only its rejections are counted. */
export interface FetchRecord extends FetchAttempt, FetchCounts {
  readonly status: "complete" | "failed";
  readonly error: { readonly code: string; readonly message: string } | undefined;
  /** Number of rejected rows by code: of this fetch and of the ballots that it kept. */
  readonly rejected: Readonly<Record<string, number>>;
}

/** How many rows of a fetch were rejected, whatever the reason. */
export const rejectedCount = ({ rejected }: Pick<FetchRecord, "rejected">): number =>
  Object.values(rejected).reduce((sum, count) => sum + count, 0);

/** The most rejected rows stored per fetch: enough to see the pattern, too few to fill the disk. */
export const REJECTED_ROWS_MAX = 1_000;

/** Counts the rejections of one fetch and keeps the first thousand; in memory, so that they survive a rollback. */
export function createRejectedRows() {
  const counts = new Map<string, { readonly file: string; readonly code: string; count: number }>();
  const rows: Rejection[] = [];
  const count = (file: string, code: string, times: number) => {
    const key = JSON.stringify([file, code]);
    const counted = counts.get(key) ?? { file, code, count: 0 };
    counted.count += times;
    counts.set(key, counted);
  };
  return {
    rows,
    counts,
    count,
    add(rejection: Rejection) {
      count(rejection.file, rejection.code, 1);
      if (rows.length < REJECTED_ROWS_MAX) rows.push(rejection);
    },
  };
}

/** What is stored of one DAO from one source after its last complete fetch; without what other sources replaced. */
export type Holding = FetchAttempt & Pick<FetchCounts, "proposals" | "votes">;

/** The newest complete fetch from one source; later failures do not matter. */
export type CompleteFetch = Pick<FetchAttempt, "sourceId" | "fetchedAtMs">;

/**
 * Returns how fresh a DAO's facts are: as fresh as the oldest of its parts.
 *
 * A part is a source that is live for the DAO and ever fetched it completely. A source that never succeeded is no part:
 * its data are missing, and its failures are in the fetch records.
 *
 * An archive counts only if there is no live part: it holds closed proposals, which do not age.
 */
export function lastCompleteFetch(
  fetches: readonly CompleteFetch[],
  dao: TrackedDao,
): Pick<DaoFacts, "lastCompleteFetchMs" | "isArchive"> {
  const live = fetches.filter(({ sourceId }) => sourceOf(sourceId).isLiveFor(dao));
  const archives = fetches.filter(({ sourceId }) => sourceOf(sourceId).from === "folder");
  const counting = live.length > 0 ? live : archives;
  return {
    lastCompleteFetchMs:
      counting.length === 0 ? undefined : Math.min(...counting.map(({ fetchedAtMs }) => fetchedAtMs)),
    isArchive: live.length === 0 && archives.length > 0,
  };
}

/**
 * Returns the newest fetches of these DAOs that failed and have to be mended. Not among them: a source that the registry
 * no longer names for the DAO, and a hub that has no space of a DAO whose votes come from another source.
 */
export function failedFetches(
  records: readonly FetchRecord[],
  daos: readonly TrackedDao[],
): readonly FetchRecord[] {
  const tracked = new Map(daos.map((dao) => [dao.spaceId, dao]));
  const complete = new Set(
    records.filter(({ status }) => status === "complete").map(({ spaceId }) => spaceId),
  );
  return records.filter(({ status, spaceId, sourceId, error }) => {
    const dao = tracked.get(spaceId);
    if (status !== "failed" || dao === undefined) return false;
    const source = sourceOf(sourceId);
    const isElsewhere = source.mayLackDaos && error?.code === "NOT_FOUND" && complete.has(spaceId);
    return source.isFor(dao) && !isElsewhere;
  });
}

/** Counts what one source has stored of one DAO. Counts rows, because a record put twice is stored once. */
export function countFetched(
  database: Database,
  daoNumber: number,
  sourceId: string,
): Pick<FetchCounts, "proposals" | "ballots" | "votes"> {
  const counts = database.get<ReturnType<typeof countFetched>>(
    `SELECT count(*) AS proposals,
            count(ballots.proposal_number) AS ballots,
            coalesce(sum(ballots.votes_count), 0) AS votes
     FROM proposals LEFT JOIN ballots USING (proposal_number)
     WHERE dao_number = ? AND source_id = ?`,
    daoNumber,
    sourceId,
  );
  invariant(counts !== undefined, "a count has a row");
  return counts;
}

/** The last complete fetch of one DAO from each source that has one, by source_id. */
export function readCompleteFetches(database: Database, daoNumber: number): readonly CompleteFetch[] {
  const select = `SELECT source_id AS sourceId, fetched_at_ms AS fetchedAtMs
     FROM complete_fetches WHERE dao_number = ? ORDER BY source_id`;
  return database.all<CompleteFetch>(select, daoNumber);
}

interface Row extends Omit<FetchRecord, "error" | "rejected"> {
  readonly daoNumber: number;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
}

/** The newest fetch records of all DAOs and sources, or of one, by (space_id, source_id). */
export function readFetchRecords(
  database: Database,
  one?: Pick<FetchAttempt, "spaceId" | "sourceId">,
): readonly FetchRecord[] {
  const rows = database.all<Row>(
    `SELECT dao_number AS daoNumber, space_id AS spaceId, source_id AS sourceId, status,
            fetched_at_ms AS fetchedAtMs, error_code AS errorCode, error_message AS errorMessage,
            proposals_count AS proposals, ballots_count AS ballots, votes_count AS votes,
            delegate_lists_count AS delegateLists, logs_count AS logs
     FROM fetch_attempts JOIN daos USING (dao_number)
     ${one === undefined ? "" : "WHERE space_id = ? AND source_id = ?"}
     ORDER BY space_id, source_id`,
    ...(one === undefined ? [] : [one.spaceId, one.sourceId]),
  );
  const selectCounts =
    "SELECT code, sum(rows_count) AS count FROM rejection_counts WHERE dao_number = ? AND source_id = ? GROUP BY code ORDER BY code";
  return rows.map(({ daoNumber, errorCode, errorMessage, ...record }) => ({
    ...record,
    error:
      errorCode === null || errorMessage === null ? undefined : { code: errorCode, message: errorMessage },
    rejected: Object.fromEntries(
      database
        .all<{ code: string; count: number }>(selectCounts, daoNumber, record.sourceId)
        .map(({ code, count }) => [code, count]),
    ),
  }));
}

/** What is stored of every DAO from every source with a complete fetch, by (space_id, source_id). */
export function readHoldings(database: Database): readonly Holding[] {
  return database.all<Holding>(
    `SELECT space_id AS spaceId, complete_fetches.source_id AS sourceId, fetched_at_ms AS fetchedAtMs,
            count(proposal_number) AS proposals, coalesce(sum(ballots.votes_count), 0) AS votes
     FROM complete_fetches
     JOIN daos USING (dao_number)
     LEFT JOIN proposals USING (dao_number, source_id)
     LEFT JOIN ballots USING (proposal_number)
     GROUP BY complete_fetches.dao_number, complete_fetches.source_id
     ORDER BY space_id, complete_fetches.source_id`,
  );
}

type KeptRejection = Rejection & Pick<FetchAttempt, "spaceId" | "sourceId">;

/** The stored rejections of all newest fetches and kept ballots, by (space_id, source_id), in order of arrival. */
export function readRejections(database: Database): readonly KeptRejection[] {
  return database
    .all<Omit<KeptRejection, "line"> & { readonly line: number | null }>(
      `SELECT space_id AS spaceId, source_id AS sourceId, file, line, code, message
       FROM rejections JOIN daos USING (dao_number)
       ORDER BY space_id, source_id, place`,
    )
    .map((row) => ({ ...row, line: row.line ?? undefined }));
}

/** The prefix of the file name of a ballot's rows, before the proposal id, in sources that can keep ballots. */
const BALLOT_FILE = "votes/";

/**
 * Writes a fetch record over the previous one from the same source; a complete fetch also becomes the source's last
 * complete one. Earlier rejections of kept ballots stay, and a failed fetch does not change them.
 */
export function recordFetch(
  database: Database,
  daoNumber: number,
  record: Omit<FetchRecord, "rejected">,
  { counts, rows }: Pick<ReturnType<typeof createRejectedRows>, "counts" | "rows">,
  isBallotKept: (proposalId: string) => boolean,
): FetchRecord {
  const { error, spaceId, ...columns } = record;
  const { sourceId } = record;
  const key = [daoNumber, sourceId];
  database.run(
    `INSERT OR REPLACE INTO fetch_attempts
       (dao_number, source_id, status, fetched_at_ms, error_code, error_message,
        proposals_count, ballots_count, votes_count, delegate_lists_count, logs_count)
     VALUES
       (@daoNumber, @sourceId, @status, @fetchedAtMs, @errorCode, @errorMessage,
        @proposals, @ballots, @votes, @delegateLists, @logs)`,
    { daoNumber, ...columns, errorCode: error?.code ?? null, errorMessage: error?.message ?? null },
  );
  const isComplete = record.status === "complete";
  if (isComplete) {
    const mark =
      "INSERT OR REPLACE INTO complete_fetches (dao_number, source_id, fetched_at_ms) VALUES (?, ?, ?)";
    database.run(mark, daoNumber, sourceId, record.fetchedAtMs);
  }
  const isKept = (file: string) =>
    file.startsWith(BALLOT_FILE) && isBallotKept(file.slice(BALLOT_FILE.length));
  const selectFiles = "SELECT DISTINCT file FROM rejection_counts WHERE dao_number = ? AND source_id = ?";
  for (const { file } of database.all<{ file: string }>(selectFiles, ...key)) {
    if (!isKept(file)) dropRejections(database, key, "file = ?", file);
  }
  const isRecorded = (file: string) => isComplete || !isKept(file);
  const addCount =
    "INSERT INTO rejection_counts (dao_number, source_id, file, code, rows_count) VALUES (?, ?, ?, ?, ?)";
  for (const { file, code, count } of counts.values()) {
    if (!isRecorded(file)) continue;
    dropRejections(database, key, "file = ? AND code = ?", file, code);
    database.run(addCount, ...key, file, code, count);
  }
  const selectLast = "SELECT max(place) AS last FROM rejections WHERE dao_number = ? AND source_id = ?";
  let index = database.get<{ last: number | null }>(selectLast, ...key)?.last ?? -1;
  const addRow =
    "INSERT INTO rejections (dao_number, source_id, place, file, line, code, message) VALUES (?, ?, ?, ?, ?, ?, ?)";
  for (const { file, line, code, message } of rows) {
    if (!isRecorded(file)) continue;
    index += 1;
    database.run(addRow, ...key, index, file, line ?? null, code, message);
  }
  // Drops the oldest.
  const cut = "DELETE FROM rejections WHERE dao_number = ? AND source_id = ? AND place <= ?";
  database.run(cut, ...key, index - REJECTED_ROWS_MAX);
  const [written] = readFetchRecords(database, { spaceId, sourceId });
  invariant(written !== undefined, "the record of a fetch is there");
  return written;
}

function dropRejections(
  database: Database,
  key: readonly (number | string)[],
  which: string,
  ...values: readonly string[]
): void {
  for (const table of ["rejection_counts", "rejections"]) {
    database.run(
      `DELETE FROM ${table} WHERE dao_number = ? AND source_id = ? AND ${which}`,
      ...key,
      ...values,
    );
  }
}

/**
 * Drops what a source had stored of one DAO and neither put nor kept this time: a proposal that disappeared upstream
 * must disappear here, with its ballot. Data of other sources stay.
 */
export function dropUnkept(
  database: Database,
  daoNumber: number,
  sourceId: string,
  isKept: (part: "space" | "proposal" | "votes", proposalId: string) => boolean = () => false,
): void {
  if (!isKept("space", "")) {
    database.run("DELETE FROM spaces WHERE dao_number = ? AND source_id = ?", daoNumber, sourceId);
  }
  const select = `SELECT proposal_number AS proposalNumber, proposal_id AS proposalId
     FROM proposals WHERE dao_number = ? AND source_id = ?`;
  const rows = database.all<{ proposalNumber: number; proposalId: string }>(select, daoNumber, sourceId);
  for (const { proposalNumber, proposalId } of rows) {
    if (!isKept("proposal", proposalId)) {
      database.run("DELETE FROM proposals WHERE proposal_number = ?", proposalNumber);
    } else if (!isKept("votes", proposalId)) {
      database.run("DELETE FROM ballots WHERE proposal_number = ?", proposalNumber);
    }
  }
}

/** Stores a source's note about one DAO: its own text, or a `stateNote`. */
export function putNote(database: Database, daoNumber: number, sourceId: string, note: string): void {
  const replace = "INSERT OR REPLACE INTO fetch_notes (dao_number, source_id, note) VALUES (?, ?, ?)";
  database.run(replace, daoNumber, sourceId, note);
}

/** The note for a source that is replaced as a whole: the number of the fetch and the state of the source. */
export function stateNote(fetchNumber: number, state: string): string {
  return `${fetchNumber} ${state}`;
}

/**
 * Sets the time of the last complete fetch to this attempt if the source is still in the same state and nobody has
 * fetched the DAO since. Returns whether that was so.
 */
export function confirmState(
  database: Database,
  { spaceId, sourceId, fetchedAtMs }: FetchAttempt,
  state: string,
): boolean {
  const known = database.get<{ daoNumber: number; note: string; fetchNumber: number }>(
    `SELECT dao_number AS daoNumber, note, fetch_number AS fetchNumber
     FROM daos JOIN fetch_notes USING (dao_number) WHERE space_id = ? AND source_id = ?`,
    spaceId,
    sourceId,
  );
  if (known === undefined || known.note !== stateNote(known.fetchNumber, state)) return false;
  const renew = (table: string, condition: string) =>
    database.run(
      `UPDATE ${table} SET fetched_at_ms = ? WHERE dao_number = ? AND source_id = ?${condition}`,
      fetchedAtMs,
      known.daoNumber,
      sourceId,
    ).changes;
  // After a failed attempt, nothing is known about what a fetch would read now.
  if (renew("fetch_attempts", " AND status = 'complete'") !== 1) return false;
  renew("complete_fetches", "");
  return true;
}

/** Returns the number of a new fetch of one DAO. */
export function startFetch(database: Database, daoNumber: number): number {
  const count =
    "UPDATE daos SET fetch_number = fetch_number + 1 WHERE dao_number = ? RETURNING fetch_number AS fetchNumber";
  const row = database.get<{ fetchNumber: number }>(count, daoNumber);
  invariant(row !== undefined, "the DAO of a fetch is there");
  return row.fetchNumber;
}
