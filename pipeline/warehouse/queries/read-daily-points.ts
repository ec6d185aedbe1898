import type { Database } from "better-sqlite3";
import type { DailyPoint } from "../../facts/daily-point.ts";
import { optional } from "../columns.ts";

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

/** The points that a method left of a DAO, by date. */
export function readDailyPoints(
  database: Database,
): (spaceId: string, methodKey: string) => readonly DailyPoint[] {
  const select = database.prepare<[string, string], Row>(
    `SELECT date, methodology_version AS methodologyVersion, gvs, hpr, dei, pdi, gpi,
            risk_score AS riskScore, completeness_pct AS completenessPct, attention_sum AS attentionSum
     FROM daily_points WHERE space_id = ? AND method_key = ? ORDER BY date`,
  );
  return (spaceId, methodKey) => select.all(spaceId, methodKey).map(pointOf);
}

function pointOf({ hpr, dei, pdi, gpi, riskScore, ...rest }: Row): DailyPoint {
  return { ...rest, components: { hpr, dei, pdi, gpi }, riskScore: optional(riskScore) };
}
