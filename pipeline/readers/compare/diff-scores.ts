import type { Evidence, IndicatorRow } from "../../../snapshots/format/evidence.ts";
import { COMPONENT_KEYS, type ComponentKey } from "../../../snapshots/format/value-sets.ts";
import { METHODOLOGY } from "../../score/method/methodology.ts";

/** A number on both sides; `undefined` if there is none. */
export interface Moved {
  readonly before: number | undefined;
  readonly after: number | undefined;
}

interface SideComponent {
  readonly point: number;
  /** The part of the point that other measurements' indicators do not explain; 0 in evidence. */
  readonly unexplained?: number;
  readonly indicators: readonly Pick<IndicatorRow, "id" | "low" | "high" | "points">[];
}

/** The scores of one DAO on one side with their components; evidence has all of it. */
export interface SideScores extends Pick<Evidence, "unscored"> {
  readonly gvs: Pick<Evidence["gvs"], "point">;
  readonly components: Readonly<Record<ComponentKey, SideComponent>>;
}

/** The changes of a DAO's components, with their effect on the gvs and their causes. */
export function componentChanges(before: SideScores, after: SideScores) {
  const gvs = gvsMoved(before, after);
  return COMPONENT_KEYS.map((key) => {
    const [old, now] = [before.components[key], after.components[key]];
    const indicators = indicatorChanges(old, now);
    const fromIndicators = indicators.reduce((sum, { points }) => sum + points, 0);
    const unexplained = (now.unexplained ?? 0) - (old.unexplained ?? 0);
    return {
      key,
      before: old.point,
      after: now.point,
      /** Points of the gvs; the sum over all components is its change. */
      gvsPoints: gvsPoints(METHODOLOGY.components.weights[key], [old.point, now.point], gvs),
      /** Indicators whose value or points changed, the largest change first. */
      indicators,
      /** The part of the change caused by unknown data, beyond the indicators' low ends. */
      notKnown: now.point - old.point - fromIndicators - unexplained,
      /** The part of the change that the known indicators do not explain. */
      unexplained,
    };
  });
}

/** The gvs on both sides; `undefined` for an unscored DAO. */
export function gvsMoved(before: SideScores | undefined, after: SideScores | undefined): Moved {
  const gvsOf = (scores: SideScores | undefined): number | undefined =>
    scores?.unscored === null ? scores.gvs.point : undefined;
  return { before: gvsOf(before), after: gvsOf(after) };
}

function indicatorChanges(before: SideComponent, after: SideComponent) {
  const rowsBefore = new Map(before.indicators.map((row) => [row.id, row]));
  return after.indicators
    .map((row) => {
      const old = rowsBefore.get(row.id);
      return {
        id: row.id,
        low: { before: old?.low, after: row.low } satisfies Moved,
        high: { before: old?.high, after: row.high } satisfies Moved,
        /** Points at the component's low end. */
        points: row.points - (old?.points ?? 0),
      };
    })
    .filter(({ low, high }) => low.before !== low.after || high.before !== high.after)
    .sort((a, b) => Math.abs(b.points) - Math.abs(a.points));
}

/** The logarithmic mean, which divides the change of a product among its factors so that the parts add up. */
export function logarithmicMean(a: number, b: number): number {
  return Math.abs(a - b) < 1e-12 ? a : (a - b) / (Math.log(a) - Math.log(b));
}

/** The effect of a component's change on the gvs, the product of (1 + component) to the power of its weight. */
export function gvsPoints(
  weight: number,
  [before, after]: readonly [before: number, after: number],
  gvs: Moved,
): number | undefined {
  if (gvs.before === undefined || gvs.after === undefined) return undefined;
  const mean = logarithmicMean(1 + gvs.after, 1 + gvs.before);
  return mean * weight * (Math.log1p(after) - Math.log1p(before));
}
