import type { Database } from "better-sqlite3";
import type { DailyPoint } from "../../facts/daily-point.ts";
import { packPoints, unpackPoints } from "../pack-points.ts";

/** The points of one connection's file, a row for each DAO and method. */
export interface PointColumns {
  /** Which methods left points of a DAO. */
  methodKeys(spaceId: string): readonly string[];
  /** By date, ascending. */
  read(spaceId: string, methodKey: string): readonly DailyPoint[];
  /** In the place of what the method left before; no points leave no row. */
  write(spaceId: string, methodKey: string, points: readonly DailyPoint[]): void;
}

/** Reads and writes points; throws WAREHOUSE_CORRUPT naming the DAO where a row is damaged. */
export function pointColumns(database: Database): PointColumns {
  const selectKeys = database
    .prepare<[string], string>("SELECT method_key FROM point_columns WHERE space_id = ?")
    .pluck();
  const select = database
    .prepare<[string, string], Buffer>(
      "SELECT packed FROM point_columns WHERE space_id = ? AND method_key = ?",
    )
    .pluck();
  const replace = database.prepare<[string, string, Buffer]>(
    "INSERT OR REPLACE INTO point_columns (space_id, method_key, packed) VALUES (?, ?, ?)",
  );
  const drop = database.prepare<[string, string]>(
    "DELETE FROM point_columns WHERE space_id = ? AND method_key = ?",
  );
  return {
    methodKeys: (spaceId) => selectKeys.all(spaceId),
    read(spaceId, methodKey) {
      const packed = select.get(spaceId, methodKey);
      return packed === undefined ? [] : unpackPoints(nameOf(spaceId, methodKey), packed);
    },
    write(spaceId, methodKey, points) {
      if (points.length === 0) drop.run(spaceId, methodKey);
      else replace.run(spaceId, methodKey, packPoints(nameOf(spaceId, methodKey), points));
    },
  };
}

function nameOf(spaceId: string, methodKey: string): string {
  return `${spaceId} by method ${methodKey}`;
}
