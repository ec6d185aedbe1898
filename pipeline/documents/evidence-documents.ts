import type { Evidence, IndicatorRow, Outcome, WholeMeasures } from "../../snapshots/format/evidence.ts";
import { linesDigest, measuresDigest } from "../../snapshots/format/evidence-digest.ts";
import { timestampOf } from "../../snapshots/format/ids.ts";
import {
  MEASURE_COLUMNS,
  type MeasureColumns,
  type ProposalLine,
} from "../../snapshots/format/proposal-line.ts";
import type { PublishedEvidence } from "../../snapshots/format/published-set.ts";
import { COMPONENT_KEYS } from "../../snapshots/format/value-sets.ts";
import { upstreamTitle } from "../facts/upstream-text.ts";
import { deliberationValue } from "../score/components/deliberation.ts";
import type { ScoredRisk } from "../score/components/risk.ts";
import type { DaoEvidence, ProposalEvidence } from "../score/dao-evidence.ts";
import { type FreezePoint, freezeDayOf, isIndexMember } from "../score/governance-index.ts";
import type { ScoreOrGap } from "../score/method/dao-score.ts";
import type { Indicator } from "../score/method/indicators.ts";
import { METHODOLOGY } from "../score/method/methodology.ts";
import { sortedSum, weightedMedian } from "../score/method/statistics.ts";
import { assessUncertainty, type Uncertainty } from "../score/uncertainty/uncertainty.ts";
import {
  DIAGNOSTICS,
  FRAME_MEASURES,
  PROPOSAL_MEASURES,
  type ProposalParts,
  publishMeasures,
  RISK_MEASURES,
  type RiskFactors,
  type ScalarMeasures,
  WHOLE_MEASURES,
} from "./measures.ts";
import { nullableTime, type ScoredDao } from "./scored-dao.ts";

/** The evidence of every DAO that carries some, in their order; ranks are compared among all of them. */
export function buildAllEvidence(
  daos: readonly Pick<ScoredDao, "evidence" | "points">[],
): readonly PublishedEvidence[] {
  const uncertainty = assessUncertainty(daos.flatMap(({ evidence }) => evidence ?? []));
  return daos.flatMap(({ evidence, points }) => {
    if (evidence === undefined) return [];
    const { spaceId, asOfMs } = evidence.measures;
    const freezeDay = freezeDayOf(asOfMs);
    const freezePoint = points.find(({ date }) => date === freezeDay);
    return [buildEvidence(evidence, uncertainty.get(spaceId), freezePoint)];
  });
}

/** The evidence of one DAO, scored or not, and the lines that it rests on; its ranks among others are in its uncertainty. */
export function buildEvidence(
  evidence: DaoEvidence,
  uncertainty: Uncertainty | undefined,
  freezePoint: FreezePoint,
): PublishedEvidence {
  const { measures, scored } = evidence;
  const proposals = evidence.proposals.map(buildProposalLine);
  const identity = {
    space_id: measures.spaceId,
    as_of: timestampOf(measures.asOfMs),
    methodology_version: METHODOLOGY.version,
    measures: buildWholeMeasures(evidence, freezePoint),
  };
  return {
    proposals,
    evidence: {
      ...identity,
      ...(Object.keys(evidence.links).length === 0 ? {} : { links: evidence.links }),
      frame: buildFrame(evidence),
      components: buildComponents(evidence),
      gvs: outcomeOf(scored.gvs),
      gvs_confidence: scored.confidence,
      risk: buildRisk(scored.risk),
      completeness: buildCompleteness(evidence),
      index: { freeze_day: freezeDayOf(measures.asOfMs), is_member: isIndexMember(freezePoint) },
      diagnostics: buildDiagnostics(proposals),
      uncertainty: buildUncertainty(uncertainty),
      not_assessed: notAssessed(evidence),
      totals: totalsOf(proposals),
      measures_sha256: measuresDigest(identity),
      lines_sha256: linesDigest(proposals),
    },
  };
}

function buildWholeMeasures({ measures, clusters }: DaoEvidence, freezePoint: FreezePoint): WholeMeasures {
  const { guardrails, delegation } = measures;
  return {
    ...publishMeasures<ScalarMeasures>(WHOLE_MEASURES, { measures, clusters }),
    guardrails: {
      is_proposing_gated: guardrails.isProposingGated ?? null,
      has_fixed_period: guardrails.hasFixedPeriod ?? null,
      quorum: guardrails.quorum ?? null,
      guardians: guardrails.guardiansCount ?? null,
      ...(guardrails.isFlagged ? { is_flagged: true } : {}),
    },
    delegation:
      delegation === undefined
        ? null
        : { hhi_points: delegation.hhiPoints, as_of: timestampOf(delegation.asOfMs) },
    index_freeze:
      freezePoint === undefined
        ? null
        : { attention_sum: freezePoint.attentionSum, completeness_pct: freezePoint.completenessPct },
  };
}

/** Medians over the frame, weighted by ω, of what is reported and never scored. */
function buildDiagnostics(lines: readonly ProposalLine[]): Evidence["diagnostics"] {
  const members = lines.filter((line) => line.place === "MEMBER");
  const medianOf = (of: (line: ProposalLine) => number | null): number | null =>
    weightedMedian(
      members.flatMap((line) => {
        const value = of(line);
        return value === null ? [] : [{ value, weight: line.attention ?? 0 }];
      }),
    ) ?? null;
  const medians = Object.entries(DIAGNOSTICS).map(([id, { of }]) => [id, medianOf(of)] as const);
  return {
    ...(Object.fromEntries(medians) as Record<keyof typeof DIAGNOSTICS, number | null>),
    banzhaf_proposals: members.filter((line) => line.banzhaf_top !== null).length,
  };
}

/** A score in points, or why there is none. */
function outcomeOf(score: ScoreOrGap): Outcome {
  return score.kind === "score" ? { points: score.points } : { gap: score.reason };
}

function rowOf(found: Indicator): IndicatorRow {
  const { id, role, unit, raw, position, value, weight, effectiveWeight } = found;
  return {
    id,
    role,
    unit,
    raw: raw ?? null,
    position: position ?? null,
    value: value ?? null,
    weight,
    effective_weight: effectiveWeight,
  };
}

/** The components before and after thin evidence, with their indicators. */
function buildComponents({ scored }: DaoEvidence): Evidence["components"] {
  const entries = COMPONENT_KEYS.map((key) => {
    const { before, score, indicators } = scored.components[key];
    return [
      key,
      { before: outcomeOf(before), after: outcomeOf(score), indicators: indicators.map(rowOf) },
    ] as const;
  });
  return Object.fromEntries(entries) as Evidence["components"];
}

/** Risk with what it is the largest of. */
function buildRisk(risk: ScoredRisk): Evidence["risk"] {
  if (risk.kind === "gap") return { gap: risk.reason };
  return {
    score: risk.score,
    base: risk.base,
    dominance_floor: risk.dominance,
    smallness_floor: risk.smallness,
    ...publishMeasures<RiskFactors>(RISK_MEASURES, { risk }),
  };
}

type NotAssessed = Evidence["not_assessed"];

/** What could not be looked at, and why: whole scores, indicators, and what only lowers or says less. */
function notAssessed({ measures, scored }: DaoEvidence): NotAssessed {
  const { components, gvs, risk, delegateCentralization } = scored;
  const gaps = COMPONENT_KEYS.flatMap((id): NotAssessed => {
    const { before } = components[id];
    return before.kind === "gap" ? [{ id, reason: before.reason }] : [];
  });
  const indicators = COMPONENT_KEYS.flatMap((key) =>
    components[key].indicators
      .filter(({ raw }) => raw === undefined)
      .map(({ id }) => ({ id: `${key}_${id}`, reason: "NOT_KNOWN" })),
  );
  return [
    ...(gvs.kind === "gap" ? [{ id: "gvs", reason: gvs.reason }] : []),
    ...(risk.kind === "gap" ? [{ id: "risk", reason: risk.reason }] : []),
    ...gaps,
    ...indicators,
    ...(measures.isCoordinationAssessed ? [] : [{ id: "coordination", reason: "TOO_FEW_TIMED_VOTES" }]),
    ...(delegateCentralization === "unknown"
      ? [{ id: "delegation", reason: measures.delegation === undefined ? "NO_DATED_LIST" : "LIST_TOO_OLD" }]
      : []),
  ];
}

function buildFrame(evidence: DaoEvidence): Evidence["frame"] {
  const { measures, scored, proposals } = evidence;
  const { members, missing, attended, excluded } = measures;
  const { participation } = scored;
  const parts = { measures, scored, proposals, members, missing, attended, participation };
  const counts = new Map<string, number>();
  for (const { reason } of excluded) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return {
    ...publishMeasures<Omit<Evidence["frame"], "excluded">>(FRAME_MEASURES, parts),
    excluded: Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function buildCompleteness({ scored }: DaoEvidence): Evidence["completeness"] {
  const { weights } = METHODOLOGY.completeness;
  const { pct, parts } = scored.completeness;
  const ids = Object.keys(weights) as (keyof typeof weights)[];
  return {
    pct: pct ?? null,
    parts: ids.map((id) => ({ id, value: parts[id] ?? null, weight: weights[id] })),
  };
}

function buildUncertainty(uncertainty: Uncertainty | undefined): Evidence["uncertainty"] {
  if (uncertainty === undefined) return null;
  const { kept, gvs, components, rank, sensitivity } = uncertainty;
  return {
    resamples: METHODOLOGY.uncertainty.resamples,
    kept,
    gvs,
    components,
    rank,
    weights: [...sensitivity],
  };
}

/** One line of `proposals/<space_id>.ndjson`; numbers are not rounded. No author, voter or wallet is in it. */
function buildProposalLine(proposal: ProposalEvidence): ProposalLine {
  const { facts } = proposal;
  // What an earlier program remembered was cleaned by fewer rules.
  const title = upstreamTitle(facts.title);
  return {
    id: facts.proposalId,
    ...(title === undefined ? {} : { title }),
    ...(facts.link === undefined ? {} : { link: facts.link }),
    created_at: nullableTime(facts.created?.atMs),
    start_at: nullableTime(facts.start?.atMs),
    end_at: nullableTime(facts.end?.atMs),
    state: facts.state ?? null,
    scores_state: facts.scoresState ?? null,
    is_flagged: facts.isFlagged,
    is_deleted: facts.isDeleted,
    unit: proposal.unit,
    place: proposal.place,
    ...publishMeasures<MeasureColumns>(PROPOSAL_MEASURES, partsOf(proposal)),
  };
}

function partsOf(proposal: ProposalEvidence): ProposalParts {
  const { facts, held, power, attention, measures, ballot, member, diagnostics } = proposal;
  // Of what is no member too little is looked at for a mark.
  const deliberation = measures && member && deliberationValue({ ...measures, ...member });
  const own = { power, attention, deliberation };
  return { facts, held, own, measures, ballot, member, concentration: member?.concentration, diagnostics };
}

/** How many values of each column are known, and their sum; a yes counts as one. */
function totalsOf(lines: readonly ProposalLine[]): Evidence["totals"] {
  const entries = MEASURE_COLUMNS.map((column) => {
    const values = lines.flatMap((line) => line[column] ?? []).map(Number);
    const sum = sortedSum(values);
    return [column, { known: values.length, sum: Number.isFinite(sum) ? sum : null }] as const;
  });
  return Object.fromEntries(entries) as Evidence["totals"];
}
