import type {
  ComponentEvidence,
  Evidence,
  IndicatorRow,
  Outcome,
} from "../../../snapshots/format/evidence.ts";
import { COMPONENT_KEYS, type ComponentKey } from "../../../snapshots/format/value-sets.ts";
import { COMPONENT_WORDS, factorsOf } from "../../documents/component-words.ts";
import { METHODOLOGY } from "../../score/method/methodology.ts";

/** A number on both sides; `undefined` where there is none. */
export interface Moved {
  readonly before: number | undefined;
  readonly after: number | undefined;
}

/** The components of one DAO on both sides, each with what it did to the gvs and what moved it. */
export function componentChanges(before: Evidence, after: Evidence) {
  const gvs = gvsMoved(before, after);
  return COMPONENT_KEYS.map((key) => {
    const [old, now] = [before.components[key], after.components[key]];
    const moved = { before: pointsOf(old.after), after: pointsOf(now.after) };
    const indicators = indicatorChanges(key, old, now);
    const fromParts = indicators.reduce((sum, { points }) => sum + (points ?? 0), 0);
    return {
      key,
      ...moved,
      /** Points of the gvs; those of all components add up to its change. */
      gvsPoints: gvsPoints(METHODOLOGY.vitality.weights[key], moved, gvs),
      /** Those of which the raw value or the points changed, the strongest first. */
      indicators,
      /** Points taken or given back by thin evidence, or by a limit for what could not be looked at. */
      discount:
        moved.before === undefined || moved.after === undefined
          ? undefined
          : moved.after - moved.before - fromParts,
    };
  });
}

/** The gvs of two evidences. */
export function gvsMoved(before: Evidence | undefined, after: Evidence | undefined): Moved {
  return { before: pointsOf(before?.gvs), after: pointsOf(after?.gvs) };
}

function pointsOf(outcome: Outcome | undefined): number | undefined {
  return outcome !== undefined && "points" in outcome ? outcome.points : undefined;
}

/** Points that a part gives, before anything is discounted. */
function partPoints(row: IndicatorRow | undefined, factor: number): number {
  return row?.role === "part" ? 10 * factor * row.effective_weight * (row.value ?? 0) : 0;
}

function indicatorChanges(key: ComponentKey, before: ComponentEvidence, after: ComponentEvidence) {
  const rowsBefore = new Map(before.indicators.map((row) => [row.id, row]));
  const [factorBefore, factorAfter] = [factorsOf(before.indicators), factorsOf(after.indicators)];
  const isScored = "points" in before.before && "points" in after.before;
  return after.indicators
    .map((row) => {
      const old = rowsBefore.get(row.id);
      const isPart = row.role === "part" && isScored;
      return {
        id: row.id,
        measure: COMPONENT_WORDS[key].indicators[row.id]?.measure ?? ("number" as const),
        raw: { before: old?.raw ?? undefined, after: row.raw ?? undefined } satisfies Moved,
        /** Points of the component; those of a factor are in the parts that it multiplies. */
        points: isPart ? partPoints(row, factorAfter) - partPoints(old, factorBefore) : undefined,
      };
    })
    .filter(({ raw, points }) => raw.before !== raw.after || Math.abs(points ?? 0) > 1e-12)
    .sort((a, b) => Math.abs(b.points ?? Infinity) - Math.abs(a.points ?? Infinity));
}

/** The mean that shares a change of a product among its factors so that the shares add up. */
function logarithmicMean(a: number, b: number): number {
  return Math.abs(a - b) < 1e-12 ? a : (a - b) / (Math.log(a) - Math.log(b));
}

/** What a component's change did to the gvs, which is the product of (1 + component) to the power of the weights. */
function gvsPoints(weight: number, component: Moved, gvs: Moved): number | undefined {
  if (component.before === undefined || component.after === undefined) return undefined;
  if (gvs.before === undefined || gvs.after === undefined) return undefined;
  const mean = logarithmicMean(1 + gvs.after, 1 + gvs.before);
  return mean * weight * (Math.log1p(component.after) - Math.log1p(component.before));
}
