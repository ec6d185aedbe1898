import type { DaoHistory, HistoryPoint } from "../../snapshots/format/history.ts";
import { dayOf } from "../../snapshots/format/ids.ts";
import type { Trend } from "../../snapshots/format/value-sets.ts";
import type { WholeSet } from "../../snapshots/store/read-version.ts";
import { DAY_MS } from "../base/days.ts";
import { deriveAll } from "../documents/recompute-scores.ts";
import type { ScoredDao } from "../documents/scored-dao.ts";
import type { DailyPoint } from "../facts/daily-point.ts";
import { dailyPointOf } from "../score/daily-point-of.ts";
import type { DaoEvidence } from "../score/dao-evidence.ts";
import type { DaoScore } from "../score/dao-score.ts";
import { plainRisk } from "../score/risk.ts";
import { publishedScores, scoreMeasures } from "../score/score-measures.ts";

/** One DAO scored again from its evidence, with the past that is published of it. */
export interface DerivedDao {
  /** As the documents are made from; entities and delegates are in no evidence. */
  readonly scored: ScoredDao;
  /** The point that the day of `as_of` has where it is the day's end: data are then as fresh as they will ever be. */
  readonly dayEndPoint: DailyPoint | undefined;
}

function scoreOf({ measures, scored }: Pick<DaoEvidence, "measures" | "scored">): DaoScore {
  return {
    spaceId: measures.spaceId,
    asOfMs: measures.asOfMs,
    components: publishedScores(scored.components),
    gvs: scored.gvs,
    confidence: scored.confidence,
    risk: plainRisk(scored.risk),
    completenessPct: scored.completeness.pct,
    attentionSum: scored.attentionSum,
    entities: [],
  };
}

/** A published point as the pipeline has it; rounding it again changes nothing. */
export function pointOf(point: HistoryPoint): DailyPoint {
  return {
    date: point.date,
    methodologyVersion: point.methodology_version,
    gvs: point.gvs,
    components: point.components,
    riskScore: point.risk_score,
    completenessPct: point.data_completeness,
    attentionSum: point.attention_sum,
  };
}

/** No document but the history says anything of a day further back than this. */
const PAST_DAYS = 40;

/** Every DAO of a version scored again from evidence and lines alone. Names and categories are facts of the registry: taken as published. */
export function deriveDaos(
  set: WholeSet,
  evidence: readonly DaoEvidence[] = deriveAll(set.evidence),
): readonly DerivedDao[] {
  const since = dayOf(Date.parse(set.asOf) - PAST_DAYS * DAY_MS);
  const named = new Map([...set.daos, ...set.unscored].map((dao) => [dao.space_id, dao]));
  const histories = new Map<string, DaoHistory>(set.histories.map((each) => [each.space_id, each]));
  const trends = new Map<string, Trend>(set.risks.map((each) => [each.space_id, each.trend]));
  return evidence.flatMap((derived): DerivedDao[] => {
    const { spaceId } = derived.measures;
    const dao = named.get(spaceId);
    if (dao === undefined) return [];
    const current = scoreOf(derived);
    const fresh = { ...derived.measures, freshness: 1 };
    return [
      {
        dayEndPoint: dailyPointOf(scoreOf({ measures: fresh, scored: scoreMeasures(fresh) })),
        scored: {
          dao: { spaceId, name: dao.name, category: dao.category, governor: undefined },
          current,
          dayBefore: current,
          points: (histories.get(spaceId)?.points ?? []).filter(({ date }) => date >= since).map(pointOf),
          trend: trends.get(spaceId) ?? "stable",
          latestDelegates: undefined,
          datedDelegates: [],
        },
      },
    ];
  });
}
