import type { Database } from "better-sqlite3";
import { invariant } from "../../base/invariant.ts";
import type { DailyPoint } from "../../facts/daily-point.ts";
import { nullable, optional } from "../columns.ts";
import type { DailyPointStore } from "../warehouse.ts";

interface Row {
  readonly date: string;
  readonly methodologyVersion: string;
  readonly gvs: number;
  readonly hpr: number;
  readonly dei: number;
  readonly pdi: number;
  readonly gpi: number;
  readonly riskScore: number | null;
  readonly completenessPct: number;
  readonly attentionSum: number;
}

function pointOf({ hpr, dei, pdi, gpi, riskScore, ...rest }: Row): DailyPoint {
  return { ...rest, components: { hpr, dei, pdi, gpi }, riskScore: optional(riskScore) };
}

/** Points of past days in the warehouse, read from one connection and written on the other. */
export function createDailyPointStore(reader: Database, writer: Database): DailyPointStore {
  const select = reader.prepare<[string, string], Row>(
    `SELECT date, methodology_version AS methodologyVersion, gvs, hpr, dei, pdi, gpi,
            risk_score AS riskScore, completeness_pct AS completenessPct, attention_sum AS attentionSum
     FROM daily_points WHERE space_id = ? AND method_key = ? ORDER BY date`,
  );
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
    read: (spaceId, methodKey) => select.all(spaceId, methodKey).map(pointOf),
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
