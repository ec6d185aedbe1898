import { dayOf } from "../../snapshots/format/ids.ts";
import { dayStartMs } from "../base/days.ts";
import { invariant } from "../base/invariant.ts";
import type { DailyPoint } from "../facts/daily-point.ts";
import type { DayScore } from "./dao-score.ts";
import { METHODOLOGY } from "./methodology.ts";

const DATES_MAX = 5_000;
const dates = new Map<number, string>();

/** The date of a moment. A thousand DAOs are scored as of the same days: each is spelled once, and they share the text. */
function dateOf(atMs: number): string {
  const dayMs = dayStartMs(atMs);
  const known = dates.get(dayMs);
  if (known !== undefined) return known;
  if (dates.size >= DATES_MAX) dates.clear();
  const date = dayOf(atMs);
  dates.set(dayMs, date);
  return date;
}

/** What is kept of a score as of a day's end; `undefined` where the DAO had none: absent is not zero. */
export function dailyPointOf(score: DayScore): DailyPoint | undefined {
  const { gvs, risk, completenessPct, attentionSum, asOfMs, spaceId } = score;
  const { hpr, dei, pdi, gpi } = score.components;
  if (gvs.kind === "gap" || hpr.kind === "gap" || dei.kind === "gap") return undefined;
  if (pdi.kind === "gap" || gpi.kind === "gap") return undefined;
  invariant(completenessPct !== undefined, `${spaceId} has a gvs without completeness`);
  return {
    date: dateOf(asOfMs),
    methodologyVersion: METHODOLOGY.version,
    gvs: gvs.points,
    components: { hpr: hpr.points, dei: dei.points, pdi: pdi.points, gpi: gpi.points },
    riskScore: risk.kind === "gap" ? undefined : risk.score,
    completenessPct,
    attentionSum,
  };
}
