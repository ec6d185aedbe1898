import type { Database } from "better-sqlite3";
import type { Rejection } from "../../facts/space-sink.ts";
import { nullable } from "../columns.ts";
import type { FetchRecord } from "../warehouse.ts";

/** Writes what an attempt brought, with its rejections, over the attempt before; a complete one also as the last complete. */
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
  const markComplete = database.prepare<[string, number, number]>(
    "UPDATE daos SET complete_source_id = ?, complete_fetched_at_ms = ? WHERE dao_number = ?",
  );
  const dropCounts = database.prepare<[number]>("DELETE FROM rejection_counts WHERE dao_number = ?");
  const dropRows = database.prepare<[number]>("DELETE FROM rejections WHERE dao_number = ?");
  const addCount = database.prepare<[number, string, number]>(
    "INSERT INTO rejection_counts (dao_number, code, rows_count) VALUES (?, ?, ?)",
  );
  const addRow = database.prepare<[number, number, string, number | null, string, string]>(
    "INSERT INTO rejections (dao_number, place, file, line, code, message) VALUES (?, ?, ?, ?, ?, ?)",
  );
  return (daoNumber, record, rejections) => {
    const { error, rejected, spaceId: _spaceId, ...columns } = record;
    replace.run({
      daoNumber,
      ...columns,
      errorCode: nullable(error?.code),
      errorMessage: nullable(error?.message),
    });
    if (record.status === "complete") markComplete.run(record.sourceId, record.fetchedAtMs, daoNumber);
    dropCounts.run(daoNumber);
    dropRows.run(daoNumber);
    for (const [code, count] of Object.entries(rejected)) addCount.run(daoNumber, code, count);
    for (const [place, { file, line, code, message }] of rejections.entries()) {
      addRow.run(daoNumber, place, file, nullable(line), code, message);
    }
  };
}
