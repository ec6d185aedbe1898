import type { Database } from "better-sqlite3";
import { packPointRows } from "./queries/pack-point-rows.ts";
import { packVoterRows } from "./queries/pack-voter-rows.ts";

/** What SQL has no words for: the second half of a migration, by the name of its file, in the same transaction. */
export const PACK_ROWS: ReadonlyMap<string, (database: Database) => void> = new Map([
  ["005-voter-blocks.sql", packVoterRows],
  ["006-point-columns.sql", packPointRows],
]);
