import type { Database } from "better-sqlite3";
import type { CompleteFetch } from "../last-complete-fetch.ts";

/** The last complete fetch of one DAO from each source that ever gave it whole, by source_id. */
export function readCompleteFetches(database: Database): (daoNumber: number) => readonly CompleteFetch[] {
  const select = database.prepare<[number], CompleteFetch>(
    `SELECT source_id AS sourceId, fetched_at_ms AS fetchedAtMs
     FROM complete_fetches WHERE dao_number = ? ORDER BY source_id`,
  );
  return (daoNumber) => select.all(daoNumber);
}
