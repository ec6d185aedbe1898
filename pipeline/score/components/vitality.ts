import { COMPONENT_KEYS, type ComponentKey } from "../../../snapshots/format/value-sets.ts";
import { invariant } from "../../facts/errors.ts";
import { gap, points, type ScoreOrGap } from "../method/dao-score.ts";
import { METHODOLOGY } from "../method/methodology.ts";

const { weights, fullEvidenceAttention, neutralPoints } = METHODOLOGY.vitality;

const weightSum = COMPONENT_KEYS.reduce((sum, key) => sum + weights[key], 0);
invariant(Math.abs(weightSum - 1) < 1e-9, "the weights of the GVS must sum to 1");

/** λ: 1 where the frame's Σω is full evidence, less where it is thin. */
export function evidenceShare(attentionSum: number): number {
  return Math.min(1, attentionSum / fullEvidenceAttention);
}

/** Thin evidence can lower a score towards 5, never raise it. */
export function discountThinEvidence(score: ScoreOrGap, evidence: number): ScoreOrGap {
  return score.kind === "gap" ? score : points(discountedPoints(score.points, evidence));
}

/** Points after thin evidence. */
export function discountedPoints(before: number, evidence: number): number {
  return before - (1 - evidence) * Math.max(0, before - neutralPoints);
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
  const { hpr, dei, pdi, gpi } = components;
  if (hpr.kind === "gap" || dei.kind === "gap" || pdi.kind === "gap" || gpi.kind === "gap")
    return gap("COMPONENT_GAP");
  return points(vitalityPoints(hpr.points, dei.points, pdi.points, gpi.points, componentWeights));
}

/** The shifted geometric mean of four components. */
export function vitalityPoints(
  hpr: number,
  dei: number,
  pdi: number,
  gpi: number,
  by: Readonly<Record<ComponentKey, number>> = weights,
): number {
  const participation = by.hpr * Math.log1p(hpr);
  const logarithm =
    participation + by.dei * Math.log1p(dei) + by.pdi * Math.log1p(pdi) + by.gpi * Math.log1p(gpi);
  return Math.min(10, Math.expm1(logarithm));
}
