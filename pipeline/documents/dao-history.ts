import type { DaoHistory, HistoryPoint } from "../../snapshots/format/history.ts";
import { RISK_DECIMALS, roundTo } from "../../snapshots/format/numbers.ts";
import { roundScore } from "./rounded-score.ts";
import type { ScoredDao } from "./scored-dao.ts";

/** `history/<space_id>.json`: the day ends that have a gvs, ascending; `undefined` where none has one. */
export function buildDaoHistory(
  { dao, dayEnds }: ScoredDao,
  methodologyVersion: string,
): DaoHistory | undefined {
  const points = dayEnds.flatMap(({ date, score }): HistoryPoint[] => {
    const rounded = roundScore(score);
    if (rounded === undefined) return [];
    const { risk } = score;
    return [
      {
        date,
        methodology_version: methodologyVersion,
        gvs: rounded.gvs,
        components: rounded.components,
        ...(risk.kind === "gap" ? {} : { risk_score: roundTo(risk.score, RISK_DECIMALS) }),
        data_completeness: rounded.completenessPct,
      },
    ];
  });
  return points.length === 0 ? undefined : { space_id: dao.spaceId, points };
}
