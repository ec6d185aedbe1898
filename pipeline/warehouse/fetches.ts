import type { DaoFacts } from "../facts/dao-facts.ts";
import { sourceOf } from "../facts/source-table.ts";
import type { TrackedDao } from "../facts/tracked.ts";
import type { Database } from "./database.ts";

export interface FetchAttempt {
  readonly spaceId: string;
  readonly sourceId: string;
  readonly fetchedAtMs: number;
}

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

export const rejectedCount = ({ rejected }: Pick<FetchRecord, "rejected">): number =>
  Object.values(rejected).reduce((sum, count) => sum + count, 0);

/** What is stored of one DAO from one source after its last complete fetch; without what other sources replaced. */
type Holding = FetchAttempt & Pick<FetchCounts, "proposals" | "votes">;

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
  const live = fetches.filter(({ sourceId }) => {
    const { isLive, isFor } = sourceOf(sourceId);
    return isLive && isFor(dao);
  });
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

/** The last complete fetch of one DAO from each source that has one, by source_id. */
export function readCompleteFetches(database: Database, daoNumber: number): readonly CompleteFetch[] {
  const select =
    "SELECT source_id, fetched_at_ms FROM complete_fetches WHERE dao_number = ? ORDER BY source_id";
  return database.all(select, daoNumber);
}

/** The newest fetch records of all DAOs and sources, or of one, by (space_id, source_id). */
export function readFetchRecords(
  database: Database,
  one?: Pick<FetchAttempt, "spaceId" | "sourceId">,
): readonly FetchRecord[] {
  type Row = Omit<FetchRecord, "error" | "rejected"> & {
    readonly errorCode: string | undefined;
    readonly errorMessage: string | undefined;
    readonly rejected: string;
  };
  const rows = database.all<Row>(
    `SELECT space_id, source_id, status, fetched_at_ms, error_code, error_message, proposals_count AS proposals,
            ballots_count AS ballots, votes_count AS votes, delegate_lists_count AS delegate_lists, logs_count AS logs,
            (SELECT json_group_object(code, count) FROM (
               SELECT code, sum(rows_count) AS count FROM rejection_counts
               WHERE dao_number = fetch_attempts.dao_number AND source_id = fetch_attempts.source_id
               GROUP BY code ORDER BY code)) AS rejected
     FROM fetch_attempts JOIN daos USING (dao_number)
     ${one === undefined ? "" : "WHERE space_id = ? AND source_id = ?"}
     ORDER BY space_id, source_id`,
    ...(one === undefined ? [] : [one.spaceId, one.sourceId]),
  );
  return rows.map(({ errorCode: code, errorMessage: message, rejected, ...record }) => ({
    ...record,
    error: code === undefined || message === undefined ? undefined : { code, message },
    rejected: JSON.parse(rejected) as FetchRecord["rejected"],
  }));
}

/** What is stored of every DAO from every source with a complete fetch, by (space_id, source_id). */
export function readHoldings(database: Database): readonly Holding[] {
  return database.all(
    `SELECT space_id, complete_fetches.source_id, fetched_at_ms, count(proposal_number) AS proposals,
            coalesce(sum(ballots.votes_count), 0) AS votes
     FROM complete_fetches
     JOIN daos USING (dao_number)
     LEFT JOIN proposals USING (dao_number, source_id)
     LEFT JOIN ballots USING (proposal_number)
     GROUP BY complete_fetches.dao_number, complete_fetches.source_id
     ORDER BY space_id, complete_fetches.source_id`,
  );
}
