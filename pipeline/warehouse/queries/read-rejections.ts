import type { Database } from "better-sqlite3";
import type { Rejection } from "../../facts/space-sink.ts";
import { optional } from "../columns.ts";
import type { Warehouse } from "../warehouse.ts";

interface Row extends Omit<Rejection, "line"> {
  readonly spaceId: string;
  readonly sourceId: string;
  readonly line: number | null;
}

/** The kept rejections of every DAO's newest attempts, by (space_id, source_id), then in order of arrival. */
export function readRejections(database: Database): () => ReturnType<Warehouse["rejections"]> {
  const select = database.prepare<[], Row>(
    `SELECT space_id AS spaceId, source_id AS sourceId, file, line, code, message
     FROM rejections JOIN daos USING (dao_number)
     ORDER BY space_id, source_id, place`,
  );
  return () => select.all().map((row) => ({ ...row, line: optional(row.line) }));
}
