import type { DaoHistory, HistoryPoint } from "../../snapshots/format/history.ts";
import { RISK_DECIMALS, roundTo } from "../../snapshots/format/numbers.ts";
import type { DailyPoint } from "../facts/daily-point.ts";
import { published } from "./rounded-score.ts";
import type { ScoredDao } from "./scored-dao.ts";

function historyPoint({ date, methodologyVersion, gvs, components, ...rest }: DailyPoint): HistoryPoint {
  const { hpr, dei, pdi, gpi } = components;
  return {
    date,
    methodology_version: methodologyVersion,
    gvs: published(gvs),
    components: { hpr: published(hpr), dei: published(dei), pdi: published(pdi), gpi: published(gpi) },
    ...(rest.riskScore === undefined ? {} : { risk_score: roundTo(rest.riskScore, RISK_DECIMALS) }),
    data_completeness: published(rest.completenessPct),
    attention_sum: rest.attentionSum,
  };
}

/** `history/<space_id>.json`: every day that has a gvs, ascending; `undefined` where none has one. */
export function buildDaoHistory({ dao, points }: ScoredDao): DaoHistory | undefined {
  return points.length === 0 ? undefined : { space_id: dao.spaceId, points: points.map(historyPoint) };
}
