import type { Database } from "better-sqlite3";
import type { Rejection } from "../../facts/space-sink.ts";
import { nullable } from "../columns.ts";
import type { FetchRecord } from "../warehouse.ts";

/**
 * Writes what an attempt brought, with its rejections, over the attempt before from the same source; a complete one
 * also as that source's last complete.
 */
export function recordFetch(
  database: Database,
): (daoNumber: number, record: FetchRecord, rejections: readonly Rejection[]) => void {
  const replace = database.prepare<[object]>(
    `INSERT OR REPLACE INTO fetch_attempts
       (dao_number, source_id, status, fetched_at_ms, error_code, error_message,
        proposals_count, ballots_count, votes_count, delegate_lists_count, logs_count)
     VALUES
       (@daoNumber, @sourceId, @status, @fetchedAtMs, @errorCode, @errorMessage,
        @proposals, @ballots, @votes, @delegateLists, @logs)`,
  );
  const markComplete = database.prepare<[number, string, number]>(
    "INSERT OR REPLACE INTO complete_fetches (dao_number, source_id, fetched_at_ms) VALUES (?, ?, ?)",
  );
  const dropCounts = database.prepare<[number, string]>(
    "DELETE FROM rejection_counts WHERE dao_number = ? AND source_id = ?",
  );
  const dropRows = database.prepare<[number, string]>(
    "DELETE FROM rejections WHERE dao_number = ? AND source_id = ?",
  );
  const addCount = database.prepare<[number, string, string, number]>(
    "INSERT INTO rejection_counts (dao_number, source_id, code, rows_count) VALUES (?, ?, ?, ?)",
  );
  const addRow = database.prepare<[number, string, number, string, number | null, string, string]>(
    "INSERT INTO rejections (dao_number, source_id, place, file, line, code, message) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  return (daoNumber, record, rejections) => {
    const { error, rejected, spaceId: _spaceId, ...columns } = record;
    const { sourceId } = record;
    replace.run({
      daoNumber,
      ...columns,
      errorCode: nullable(error?.code),
      errorMessage: nullable(error?.message),
    });
    if (record.status === "complete") markComplete.run(daoNumber, sourceId, record.fetchedAtMs);
    dropCounts.run(daoNumber, sourceId);
    dropRows.run(daoNumber, sourceId);
    for (const [code, count] of Object.entries(rejected)) addCount.run(daoNumber, sourceId, code, count);
    for (const [place, { file, line, code, message }] of rejections.entries()) {
      addRow.run(daoNumber, sourceId, place, file, nullable(line), code, message);
    }
  };
}
