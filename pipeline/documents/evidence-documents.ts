import type { Evidence, Outcome, WholeMeasures } from "../../snapshots/format/evidence.ts";
import { linesDigest, measuresDigest } from "../../snapshots/format/evidence-digests.ts";
import { timestampOf } from "../../snapshots/format/ids.ts";
import type { PublishedEvidence } from "../../snapshots/format/published-set.ts";
import { COMPONENT_KEYS } from "../../snapshots/format/value-sets.ts";
import type { DaoEvidence } from "../score/dao-evidence.ts";
import type { Indicator } from "../score/indicator.ts";
import { METHODOLOGY } from "../score/methodology.ts";
import type { ScoredRisk } from "../score/risk.ts";
import type { ScoreOrGap } from "../score/score-or-gap.ts";
import type { Uncertainty } from "../score/uncertainty.ts";
import { buildDiagnostics } from "./evidence-diagnostics.ts";
import { notAssessed } from "./not-assessed.ts";
import { buildProposalLine, totalsOf } from "./proposal-lines.ts";

const known = <Value>(value: Value | undefined): Value | null => value ?? null;

function outcomeOf(score: ScoreOrGap): Outcome {
  return score.kind === "score" ? { points: score.points } : { gap: score.reason };
}

function rowOf(found: Indicator): Evidence["components"]["hpr"]["indicators"][number] {
  const { id, role, unit, raw, position, value, weight, effectiveWeight } = found;
  return {
    id,
    role,
    unit,
    raw: known(raw),
    position: known(position),
    value: known(value),
    weight,
    effective_weight: effectiveWeight,
  };
}

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

function buildRisk(risk: ScoredRisk): Evidence["risk"] {
  if (risk.kind === "gap") return { gap: risk.reason };
  return {
    score: risk.score,
    base: risk.base,
    dominance_floor: risk.dominance,
    smallness_floor: risk.smallness,
    governance_capture_risk: risk.captureRisk,
    whale_control_pct: risk.whaleControlPct,
    active_voter_count: risk.activeVoterCount,
    delegate_centralization: risk.delegateCentralization,
    proposal_velocity: risk.proposalVelocity,
    proposals_per_month: risk.proposalsPerMonth,
    checkpoint_voting_pct: risk.checkpointVotingPct,
  };
}

function buildWholeMeasures({ measures, clusters }: DaoEvidence): WholeMeasures {
  const { guardrails, delegation } = measures;
  return {
    is_fetched: measures.isFetched,
    freshness: measures.freshness,
    expected_heads: measures.expectedHeads,
    is_coordination_assessed: measures.isCoordinationAssessed,
    clusters: clusters.clusters,
    clustered_wallets: clusters.wallets,
    active_voters: known(measures.activeVoterCount),
    guardrails: {
      is_proposing_gated: known(guardrails.isProposingGated),
      has_fixed_period: known(guardrails.hasFixedPeriod),
      quorum: known(guardrails.quorum),
      guardians: known(guardrails.guardiansCount),
    },
    delegation:
      delegation === undefined
        ? null
        : { hhi_points: delegation.hhiPoints, as_of: timestampOf(delegation.asOfMs) },
  };
}

/** How many proposals are left out for each reason, by reason. */
function countExcluded({ measures }: DaoEvidence): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { reason } of measures.excluded) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function buildFrame(evidence: DaoEvidence): Evidence["frame"] {
  const { measures, scored, proposals } = evidence;
  return {
    known: proposals.length,
    members: measures.members.length,
    missing: measures.missing.length,
    attended: measures.attended.length,
    eligible: measures.eligibleCount,
    attention_sum: scored.attentionSum,
    effective_proposals: scored.effectiveProposals,
    evidence_share: scored.evidenceShare,
    heads_mean: scored.participation.headsMean,
    unclustered_heads_mean: scored.participation.unclusteredMean,
    excluded: countExcluded(evidence),
  };
}

function buildCompleteness({ scored }: DaoEvidence): Evidence["completeness"] {
  const { weights } = METHODOLOGY.completeness;
  const { pct, parts } = scored.completeness;
  const ids = Object.keys(weights) as (keyof typeof weights)[];
  return {
    pct: known(pct),
    parts: ids.map((id) => ({ id, value: known(parts[id]), weight: weights[id] })),
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

/** The evidence of one DAO, scored or not, and the lines that it rests on. */
export function buildEvidence(
  evidence: DaoEvidence,
  uncertainty: Uncertainty | undefined,
): PublishedEvidence {
  const { measures, scored } = evidence;
  const proposals = evidence.proposals.map(buildProposalLine);
  const identity = {
    space_id: measures.spaceId,
    as_of: timestampOf(measures.asOfMs),
    methodology_version: METHODOLOGY.version,
    measures: buildWholeMeasures(evidence),
  };
  return {
    proposals,
    evidence: {
      ...identity,
      frame: buildFrame(evidence),
      components: buildComponents(evidence),
      gvs: outcomeOf(scored.gvs),
      gvs_confidence: scored.confidence,
      risk: buildRisk(scored.risk),
      completeness: buildCompleteness(evidence),
      diagnostics: buildDiagnostics(proposals),
      uncertainty: buildUncertainty(uncertainty),
      not_assessed: notAssessed(evidence),
      totals: totalsOf(proposals),
      measures_sha256: measuresDigest(identity),
      lines_sha256: linesDigest(proposals),
    },
  };
}
