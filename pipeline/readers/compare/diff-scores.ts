import type { Evidence, IndicatorRow } from "../../../snapshots/format/evidence.ts";
import { COMPONENT_KEYS, type ComponentKey } from "../../../snapshots/format/value-sets.ts";
import { METHODOLOGY } from "../../score/method/methodology.ts";

/** A number on both sides; `undefined` where there is none. */
export interface Moved {
  readonly before: number | undefined;
  readonly after: number | undefined;
}

/** A component on one side. */
interface SideComponent {
  readonly point: number;
  /** What the point has beyond that of its indicators, where they are of another measurement; 0 in evidence. */
  readonly unexplained?: number;
  readonly indicators: readonly Pick<IndicatorRow, "id" | "low" | "high" | "points">[];
}

/** The scores of one DAO on one side, with what they are made of; evidence has all of it. */
export interface SideScores extends Pick<Evidence, "unscored"> {
  readonly gvs: Pick<Evidence["gvs"], "point">;
  readonly components: Readonly<Record<ComponentKey, SideComponent>>;
}

/** The components of one DAO on both sides, each with what it did to the gvs and what moved it. */
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
      /** Points of the gvs; those of all components add up to its change. */
      gvsPoints: gvsPoints(METHODOLOGY.components.weights[key], [old.point, now.point], gvs),
      /** Those of which the mark or the points changed, the strongest first. */
      indicators,
      /** What the point has gained or lost over what indicators give whatever is not known. */
      notKnown: now.point - old.point - fromIndicators - unexplained,
      /** What it has gained or lost beyond what its indicators are known to have moved. */
      unexplained,
    };
  });
}

/** The gvs on both sides; none where the DAO is unscored. */
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
        /** Points of the component's low end. */
        points: row.points - (old?.points ?? 0),
      };
    })
    .filter(({ low, high }) => low.before !== low.after || high.before !== high.after)
    .sort((a, b) => Math.abs(b.points) - Math.abs(a.points));
}

/** The mean that shares a change of a product among its factors so that the shares add up. */
export function logarithmicMean(a: number, b: number): number {
  return Math.abs(a - b) < 1e-12 ? a : (a - b) / (Math.log(a) - Math.log(b));
}

/** What a component's change did to the gvs, which is the product of (1 + component) to the power of the weights. */
export function gvsPoints(
  weight: number,
  [before, after]: readonly [before: number, after: number],
  gvs: Moved,
): number | undefined {
  if (gvs.before === undefined || gvs.after === undefined) return undefined;
  const mean = logarithmicMean(1 + gvs.after, 1 + gvs.before);
  return mean * weight * (Math.log1p(after) - Math.log1p(before));
}
