import type { Database } from "better-sqlite3";
import { invariant } from "../../base/invariant.ts";
import type { DailyPoint } from "../../facts/daily-point.ts";
import { nullable } from "../columns.ts";
import type { DailyPointStore } from "../warehouse.ts";
import { readDailyPoints } from "./read-daily-points.ts";

/** Points of past days in the warehouse, read from one connection and written on the other. */
export function createDailyPointStore(reader: Database, writer: Database): DailyPointStore {
  const read = readDailyPoints(reader);
  const count = reader.prepare<[object], { own: number; others: number }>(
    `SELECT coalesce(sum(method_key = @methodKey), 0) AS own, coalesce(sum(method_key <> @methodKey), 0) AS others
     FROM daily_points WHERE space_id = @spaceId`,
  );
  const dropOthers = writer.prepare<[string, string]>(
    "DELETE FROM daily_points WHERE space_id = ? AND method_key <> ?",
  );
  const replace = writer.prepare<[object]>(
    `INSERT OR REPLACE INTO daily_points
       (space_id, date, method_key, methodology_version, gvs, hpr, dei, pdi, gpi,
        risk_score, completeness_pct, attention_sum)
     VALUES
       (@spaceId, @date, @methodKey, @methodologyVersion, @gvs, @hpr, @dei, @pdi, @gpi,
        @riskScore, @completenessPct, @attentionSum)`,
  );
  const drop = writer.prepare<[string, string, string]>(
    "DELETE FROM daily_points WHERE space_id = ? AND date BETWEEN ? AND ?",
  );
  const keep = writer.transaction((methodKey: string, points: ReadonlyMap<string, readonly DailyPoint[]>) => {
    for (const [spaceId, ofDao] of points) {
      dropOthers.run(spaceId, methodKey);
      for (const { components, riskScore, ...point } of ofDao) {
        replace.run({ ...point, ...components, riskScore: nullable(riskScore), spaceId, methodKey });
      }
    }
  });
  return {
    read,
    hasOtherMethod(spaceId, methodKey) {
      const counts = count.get({ spaceId, methodKey });
      return counts !== undefined && counts.own === 0 && counts.others > 0;
    },
    forget: (spaceId, from, to) => void drop.run(spaceId, from, to),
    keep(methodKey, points) {
      // They would go with that fetch when it fails, and what was published would not stand.
      invariant(!writer.inTransaction, "points are kept while a fetch that replaces is open");
      keep.immediate(methodKey, points);
    },
  };
}
