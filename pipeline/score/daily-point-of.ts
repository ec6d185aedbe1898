import { dayOf } from "../../snapshots/format/ids.ts";
import { invariant } from "../base/invariant.ts";
import type { DailyPoint } from "../facts/daily-point.ts";
import type { DayScore } from "./dao-score.ts";
import { METHODOLOGY } from "./methodology.ts";

/** What is kept of a score as of a day's end; `undefined` where the DAO had none: absent is not zero. */
export function dailyPointOf(score: DayScore): DailyPoint | undefined {
  const { gvs, risk, completenessPct, attentionSum, asOfMs, spaceId } = score;
  const { hpr, dei, pdi, gpi } = score.components;
  if (gvs.kind === "gap" || hpr.kind === "gap" || dei.kind === "gap") return undefined;
  if (pdi.kind === "gap" || gpi.kind === "gap") return undefined;
  invariant(completenessPct !== undefined, `${spaceId} has a gvs without completeness`);
  return {
    date: dayOf(asOfMs),
    methodologyVersion: METHODOLOGY.version,
    gvs: gvs.points,
    components: { hpr: hpr.points, dei: dei.points, pdi: pdi.points, gpi: gpi.points },
    riskScore: risk.kind === "gap" ? undefined : risk.score,
    completenessPct,
    attentionSum,
  };
}
