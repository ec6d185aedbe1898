import type { Database } from "better-sqlite3";
import type { DailyPoint } from "../../facts/daily-point.ts";
import { optional } from "../columns.ts";
import { pointColumns } from "./point-columns.ts";

interface PointRow extends Omit<DailyPoint, "components" | "riskScore"> {
  readonly hpr: number;
  readonly dei: number;
  readonly pdi: number;
  readonly gpi: number;
  readonly riskScore: number | null;
}

/** Packs what lies in `daily_points`, and drops the table. */
export function packPointRows(database: Database): void {
  const owners = database.prepare<[], { spaceId: string; methodKey: string }>(
    "SELECT DISTINCT space_id AS spaceId, method_key AS methodKey FROM daily_points",
  );
  const select = database.prepare<[string, string], PointRow>(
    `SELECT date, methodology_version AS methodologyVersion, gvs, hpr, dei, pdi, gpi,
            risk_score AS riskScore, completeness_pct AS completenessPct, attention_sum AS attentionSum
     FROM daily_points WHERE space_id = ? AND method_key = ? ORDER BY date`,
  );
  const columns = pointColumns(database);
  for (const { spaceId, methodKey } of owners.all()) {
    const points = select.all(spaceId, methodKey).map(({ hpr, dei, pdi, gpi, riskScore, ...rest }) => ({
      ...rest,
      components: { hpr, dei, pdi, gpi },
      riskScore: optional(riskScore),
    }));
    columns.write(spaceId, methodKey, points);
  }
  database.exec("DROP TABLE daily_points");
}
