import type { Database } from "better-sqlite3";
import type { FetchRecord } from "../warehouse.ts";

interface Row extends Omit<FetchRecord, "error" | "rejected"> {
  readonly daoNumber: number;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
}

/** The newest attempt at every DAO from every source, by (space_id, source_id). */
export function readFetchRecords(database: Database): () => readonly FetchRecord[] {
  const select = database.prepare<[], Row>(
    `SELECT dao_number AS daoNumber, space_id AS spaceId, source_id AS sourceId, status,
            fetched_at_ms AS fetchedAtMs, error_code AS errorCode, error_message AS errorMessage,
            proposals_count AS proposals, ballots_count AS ballots, votes_count AS votes,
            delegate_lists_count AS delegateLists, logs_count AS logs
     FROM fetch_attempts JOIN daos USING (dao_number)
     ORDER BY space_id, source_id`,
  );
  const selectCounts = database.prepare<[number, string], { code: string; count: number }>(
    "SELECT code, rows_count AS count FROM rejection_counts WHERE dao_number = ? AND source_id = ? ORDER BY code",
  );
  return () =>
    select.all().map(({ daoNumber, errorCode, errorMessage, ...record }) => ({
      ...record,
      error:
        errorCode === null || errorMessage === null ? undefined : { code: errorCode, message: errorMessage },
      rejected: Object.fromEntries(
        selectCounts.all(daoNumber, record.sourceId).map(({ code, count }) => [code, count]),
      ),
    }));
}
