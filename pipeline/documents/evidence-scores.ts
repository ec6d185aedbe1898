import type { Evidence, IndicatorRow, Outcome } from "../../snapshots/format/evidence.ts";
import { COMPONENT_KEYS } from "../../snapshots/format/value-sets.ts";
import type { DaoEvidence } from "../score/dao-evidence.ts";
import type { Indicator } from "../score/indicator.ts";
import type { ScoredRisk } from "../score/risk.ts";
import type { ScoreOrGap } from "../score/score-or-gap.ts";

const known = <Value>(value: Value | undefined): Value | null => value ?? null;

/** A score in points, or why there is none. */
export function outcomeOf(score: ScoreOrGap): Outcome {
  return score.kind === "score" ? { points: score.points } : { gap: score.reason };
}

function rowOf(found: Indicator): IndicatorRow {
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

/** The components before and after thin evidence, with their indicators. */
export function buildComponents({ scored }: DaoEvidence): Evidence["components"] {
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
export function buildRisk(risk: ScoredRisk): Evidence["risk"] {
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
