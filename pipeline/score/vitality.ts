import { COMPONENT_KEYS, type ComponentKey } from "../../snapshots/format/value-sets.ts";
import { invariant } from "../base/invariant.ts";
import { METHODOLOGY } from "./methodology.ts";
import { gap, points, type ScoreOrGap } from "./score-or-gap.ts";

const { weights, fullEvidenceAttention, neutralPoints } = METHODOLOGY.vitality;

const weightSum = COMPONENT_KEYS.reduce((sum, key) => sum + weights[key], 0);
invariant(Math.abs(weightSum - 1) < 1e-9, "the weights of the GVS must sum to 1");

/** λ: 1 where the frame's Σω is full evidence, less where it is thin. */
export function evidenceShare(attentionSum: number): number {
  return Math.min(1, attentionSum / fullEvidenceAttention);
}

/** Thin evidence can lower a score towards 5, never raise it. */
export function discountThinEvidence(score: ScoreOrGap, evidence: number): ScoreOrGap {
  if (score.kind === "gap") return score;
  return points(score.points - (1 - evidence) * Math.max(0, score.points - neutralPoints));
}

/**
 * Governance Vitality Score (gvs): the shifted geometric mean of the four components.
 *
 * Range: 0..10 points; equal inputs return themselves, and a collapse in one cannot be bought back.
 * Unit: points.
 * Source: the component scorers beside this file, after thin evidence.
 * Gap: any component is one. The rest is not re-weighted: two DAOs scored on different sets could not be compared.
 */
export function scoreVitality(
  components: Readonly<Record<ComponentKey, ScoreOrGap>>,
  componentWeights: Readonly<Record<ComponentKey, number>> = weights,
): ScoreOrGap {
  let logarithm = 0;
  for (const key of COMPONENT_KEYS) {
    const component = components[key];
    if (component.kind === "gap") return gap("COMPONENT_GAP");
    logarithm += componentWeights[key] * Math.log1p(component.points);
  }
  return points(Math.min(10, Math.expm1(logarithm)));
}
