import type { HistoryPoint } from "../../../snapshots/format/dao.ts";
import { dayOf } from "../../../snapshots/format/ids.ts";
import { PATHS } from "../../../snapshots/format/paths.ts";
import type { PublishedEvidence } from "../../../snapshots/format/published-set.ts";
import type { WholeSet } from "../../../snapshots/store/read/read-documents.ts";
import { buildEvidence } from "../../documents/evidence-documents.ts";
import { evidenceOfLines } from "../../documents/read-evidence.ts";
import type { ScoredDao } from "../../documents/scored-dao.ts";
import { DAY_MS, type DailyPoint } from "../../facts/days.ts";
import type { DaoEvidence } from "../../score/dao-evidence.ts";
import { rankDaos } from "../../score/ranking/rank-daos.ts";
import { type DaoScore, scoreMeasures } from "../../score/score-measures.ts";
import { type Difference, differencesOf } from "./differences.ts";

/** What the evidence of a DAO says was measured, scored again. */
export interface Derived {
  readonly evidence: DaoEvidence;
  readonly score: DaoScore;
}

/** What follows from the evidence and the lines of every DAO, in their order. */
export function deriveAll(all: readonly PublishedEvidence[]): readonly Derived[] {
  return all.map((published) => {
    const evidence = evidenceOfLines(published.evidence, published.proposals);
    return { evidence, score: scoreMeasures(evidence.measures) };
  });
}

/**
 * Builds the evidence and lines of every DAO of a version again from what follows from them, with the rank that each takes
 * among the others, and lists every difference; none is the only pass.
 */
export function recomputeAllScores(
  all: readonly PublishedEvidence[],
  derived: readonly Derived[] = deriveAll(all),
): readonly Difference[] {
  const ranks = rankDaos(derived.flatMap(({ score }) => (score.unscored === undefined ? [score] : [])));
  return all.flatMap(({ evidence, proposals }, index) => {
    const own = derived[index];
    if (own === undefined) return [];
    const { space_id: spaceId } = evidence;
    const rebuilt = buildEvidence(own.evidence, own.score, ranks.get(spaceId));
    return [
      ...differencesOf(PATHS.evidence(spaceId), evidence, rebuilt.evidence),
      ...differencesOf(PATHS.proposals(spaceId), proposals, rebuilt.proposals),
    ];
  });
}

/** No document but the history says anything of a day further back than this. */
const PAST_DAYS = 40;

/** Every DAO of a version scored again from evidence and lines alone. Names and categories are facts of the registry: taken as published. */
export function deriveDaos(
  set: WholeSet,
  all: readonly Derived[] = deriveAll(set.evidence),
): readonly ScoredDao[] {
  const since = dayOf(Date.parse(set.asOf) - PAST_DAYS * DAY_MS);
  const named = new Map([...set.daos, ...set.unscored].map((dao) => [dao.space_id, dao]));
  const histories = new Map(set.histories.map((each) => [each.space_id, each.points]));
  const trends = new Map(set.risks.map((each) => [each.space_id, each.trend]));
  return all.flatMap(({ evidence, score }): ScoredDao[] => {
    const { spaceId } = score;
    const dao = named.get(spaceId);
    if (dao === undefined) return [];
    return [
      {
        dao: { spaceId, name: dao.name, category: dao.category, governor: undefined },
        current: score,
        evidence,
        points: (histories.get(spaceId) ?? []).filter(({ date }) => date >= since).map(pointOf),
        trend: trends.get(spaceId) ?? "stable",
        // In no evidence.
        entities: [],
        gvsDayBefore: undefined,
        latestDelegates: undefined,
        datedDelegates: [],
      },
    ];
  });
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
    indexWeight: point.index_weight,
  };
}
