import type { Database } from "better-sqlite3";
import type { FetchRecord } from "../warehouse.ts";

interface Row extends Omit<FetchRecord, "error" | "rejected"> {
  readonly daoNumber: number;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
}

/** The newest attempts, of all or of one DAO and source. */
export interface FetchRecords {
  /** Every DAO's from every source, by (space_id, source_id). */
  all(): readonly FetchRecord[];
  one(spaceId: string, sourceId: string): FetchRecord | undefined;
}

const SELECT = `SELECT dao_number AS daoNumber, space_id AS spaceId, source_id AS sourceId, status,
  fetched_at_ms AS fetchedAtMs, error_code AS errorCode, error_message AS errorMessage,
  proposals_count AS proposals, ballots_count AS ballots, votes_count AS votes,
  delegate_lists_count AS delegateLists, logs_count AS logs
  FROM fetch_attempts JOIN daos USING (dao_number)`;

/** Reads what the newest attempts brought. */
export function readFetchRecords(database: Database): FetchRecords {
  const selectAll = database.prepare<[], Row>(`${SELECT} ORDER BY space_id, source_id`);
  const selectOne = database.prepare<[string, string], Row>(`${SELECT} WHERE space_id = ? AND source_id = ?`);
  const selectCounts = database.prepare<[number, string], { code: string; count: number }>(
    "SELECT code, rows_count AS count FROM rejection_counts WHERE dao_number = ? AND source_id = ? ORDER BY code",
  );
  const recordOf = ({ daoNumber, errorCode, errorMessage, ...record }: Row): FetchRecord => ({
    ...record,
    error:
      errorCode === null || errorMessage === null ? undefined : { code: errorCode, message: errorMessage },
    rejected: Object.fromEntries(
      selectCounts.all(daoNumber, record.sourceId).map(({ code, count }) => [code, count]),
    ),
  });
  return {
    all: () => selectAll.all().map(recordOf),
    one(spaceId, sourceId) {
      const row = selectOne.get(spaceId, sourceId);
      return row === undefined ? undefined : recordOf(row);
    },
  };
}
