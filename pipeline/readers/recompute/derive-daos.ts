import type { DaoHistory, HistoryPoint } from "../../../snapshots/format/dao.ts";
import type { Evidence } from "../../../snapshots/format/evidence.ts";
import { dayOf } from "../../../snapshots/format/ids.ts";
import { PATHS } from "../../../snapshots/format/paths.ts";
import type { ProposalLine } from "../../../snapshots/format/proposal-line.ts";
import type { PublishedEvidence } from "../../../snapshots/format/published-set.ts";
import type { Trend } from "../../../snapshots/format/value-sets.ts";
import type { WholeSet } from "../../../snapshots/store/read/read-version.ts";
import { buildEvidence } from "../../documents/evidence-documents.ts";
import { evidenceOfLines, readFreezePoint } from "../../documents/read-evidence.ts";
import type { ScoredDao } from "../../documents/scored-dao.ts";
import { DAY_MS, type DailyPoint } from "../../facts/days.ts";
import { plainRisk } from "../../score/components/risk.ts";
import { publishedScores, scoreMeasures } from "../../score/components/score-measures.ts";
import { dailyPointOf } from "../../score/daily-point.ts";
import type { DaoEvidence } from "../../score/dao-evidence.ts";
import type { DaoScore } from "../../score/method/dao-score.ts";
import { assessUncertainty, type Uncertainty } from "../../score/uncertainty/uncertainty.ts";
import { type Difference, differencesOf } from "./differences.ts";

function differencesFrom(
  { evidence, proposals }: PublishedEvidence,
  derived: DaoEvidence,
  uncertainty: Uncertainty | undefined,
): readonly Difference[] {
  const rebuilt = buildEvidence(derived, uncertainty, readFreezePoint(evidence));
  const linesPath = PATHS.proposals(evidence.space_id);
  return [
    ...differencesOf(PATHS.evidence(evidence.space_id), evidence, rebuilt.evidence),
    ...differencesOf(linesPath, proposals, rebuilt.proposals),
  ];
}

/** Its places among others are taken as they are published: one DAO alone cannot say them. */
function withPublishedPlaces(
  own: Uncertainty | undefined,
  published: Evidence["uncertainty"],
): Uncertainty | undefined {
  if (own === undefined || published === null) return own;
  return { ...own, rank: published.rank, sensitivity: published.weights };
}

/**
 * Derives everything published of one DAO again from its published evidence and lines alone, and lists every
 * difference; none is the only pass. Ranks among other DAOs need `recomputeAllScores`.
 */
export function recomputeScores(evidence: Evidence, lines: readonly ProposalLine[]): readonly Difference[] {
  const derived = evidenceOfLines(evidence, lines);
  const own = assessUncertainty([derived]).get(evidence.space_id);
  const published = { evidence, proposals: lines };
  return differencesFrom(published, derived, withPublishedPlaces(own, evidence.uncertainty));
}

/** What `derived` has of every DAO, in their order: `evidenceOfLines` of each. */
export function deriveAll(all: readonly PublishedEvidence[]): readonly DaoEvidence[] {
  return all.map(({ evidence, proposals }) => evidenceOfLines(evidence, proposals));
}

/** The same of every DAO of a version, with the places that each takes among the others. */
export function recomputeAllScores(
  all: readonly PublishedEvidence[],
  derived: readonly DaoEvidence[] = deriveAll(all),
): readonly Difference[] {
  const uncertainty = assessUncertainty(derived);
  return all.flatMap((published, place) => {
    const own = derived[place];
    if (own === undefined) return [];
    return differencesFrom(published, own, uncertainty.get(own.measures.spaceId));
  });
}

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
