import type { HistoryPoint } from "../../../snapshots/format/dao.ts";
import { dayOf } from "../../../snapshots/format/ids.ts";
import { PATHS } from "../../../snapshots/format/paths.ts";
import type { PublishedEvidence } from "../../../snapshots/format/published-set.ts";
import type { WholeSet } from "../../../snapshots/store/read/read-documents.ts";
import { buildEvidence } from "../../documents/evidence-documents.ts";
import { evidenceOfLines, readFreezePoint } from "../../documents/read-evidence.ts";
import type { ScoredDao } from "../../documents/scored-dao.ts";
import { DAY_MS, type DailyPoint } from "../../facts/days.ts";
import { plainRisk } from "../../score/components/risk.ts";
import { publishedScores, scoreMeasures } from "../../score/components/score-measures.ts";
import { dailyPointOf } from "../../score/daily-point.ts";
import type { DaoEvidence } from "../../score/dao-evidence.ts";
import type { DaoScore } from "../../score/method/dao-score.ts";
import { assessUncertainty } from "../../score/uncertainty/uncertainty.ts";
import { type Difference, differencesOf } from "./differences.ts";

/** What follows from the evidence and the lines of every DAO, in their order. */
export function deriveAll(all: readonly PublishedEvidence[]): readonly DaoEvidence[] {
  return all.map(({ evidence, proposals }) => evidenceOfLines(evidence, proposals));
}

/**
 * Builds the evidence and lines of every DAO of a version again from what follows from them, with the places that each takes
 * among the others, and lists every difference; none is the only pass.
 */
export function recomputeAllScores(
  all: readonly PublishedEvidence[],
  derived: readonly DaoEvidence[] = deriveAll(all),
): readonly Difference[] {
  const uncertainty = assessUncertainty(derived);
  return all.flatMap(({ evidence, proposals }, index) => {
    const own = derived[index];
    if (own === undefined) return [];
    const { space_id: spaceId } = evidence;
    const rebuilt = buildEvidence(own, uncertainty.get(spaceId), readFreezePoint(evidence));
    return [
      ...differencesOf(PATHS.evidence(spaceId), evidence, rebuilt.evidence),
      ...differencesOf(PATHS.proposals(spaceId), proposals, rebuilt.proposals),
    ];
  });
}

/** One DAO scored again from its evidence, with the past that is published of it. */
export type DerivedDao = ReturnType<typeof deriveDaos>[number];

/** No document but the history says anything of a day further back than this. */
const PAST_DAYS = 40;

/** Every DAO of a version scored again from evidence and lines alone. Names and categories are facts of the registry: taken as published. */
export function deriveDaos(set: WholeSet, evidence: readonly DaoEvidence[] = deriveAll(set.evidence)) {
  const since = dayOf(Date.parse(set.asOf) - PAST_DAYS * DAY_MS);
  const named = new Map([...set.daos, ...set.unscored].map((dao) => [dao.space_id, dao]));
  const histories = new Map(set.histories.map((each) => [each.space_id, each.points]));
  const trends = new Map(set.risks.map((each) => [each.space_id, each.trend]));
  return evidence.flatMap((derived) => {
    const { spaceId } = derived.measures;
    const dao = named.get(spaceId);
    if (dao === undefined) return [];
    const current = scoreOf(derived);
    const fresh = { ...derived.measures, freshness: 1 };
    /** As the documents are made from; entities and delegates are in no evidence. */
    const scored: ScoredDao = {
      dao: { spaceId, name: dao.name, category: dao.category, governor: undefined },
      current,
      dayBefore: current,
      points: (histories.get(spaceId) ?? []).filter(({ date }) => date >= since).map(pointOf),
      trend: trends.get(spaceId) ?? "stable",
      latestDelegates: undefined,
      datedDelegates: [],
    };
    /** The point that the day of `as_of` has where it is the day's end: data are then as fresh as they will ever be. */
    const dayEndPoint = dailyPointOf(scoreOf({ measures: fresh, scored: scoreMeasures(fresh) }));
    return [{ scored, dayEndPoint }];
  });
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
function pointOf(point: HistoryPoint): DailyPoint {
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
