import type { Evidence, IndicatorRow } from "../../../snapshots/format/evidence.ts";
import { COMPONENT_KEYS, type ComponentKey } from "../../../snapshots/format/value-sets.ts";
import { componentOf, type Mark } from "../../score/method/marks.ts";
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
  readonly indicators: readonly Pick<IndicatorRow, "id" | "low" | "high">[];
}

/** The scores of one DAO on one side with their components; evidence has all of it. */
export interface SideScores extends Pick<Evidence, "unscored" | "presence"> {
  readonly gvs: Pick<Evidence["gvs"], "point">;
  readonly components: Readonly<Record<ComponentKey, SideComponent>>;
}

export function scoreChanges(before: SideScores, after: SideScores) {
  const components = COMPONENT_KEYS.map((key) => componentChange(key, before, after));
  return {
    components,
    /** Its low end on both sides, and its effect on the gvs, which is a part of the components' effects. */
    presence: {
      before: before.presence.low,
      after: after.presence.low,
      gvsPoints: components.reduce<number | undefined>(
        (sum, { presenceGvsPoints: points }) =>
          sum === undefined || points === undefined ? undefined : sum + points,
        0,
      ),
    },
  };
}

function componentChange(key: ComponentKey, before: SideScores, after: SideScores) {
  const [old, now] = [before.components[key], after.components[key]];
  const indicators = indicatorChanges(old, now, (before.presence.low + after.presence.low) / 2);
  const fromIndicators = indicators.reduce((sum, { points }) => sum + points, 0);
  const unexplained = (now.unexplained ?? 0) - (old.unexplained ?? 0);
  const presence = (presenceEffect(old, before, after) + presenceEffect(now, before, after)) / 2;
  const gvsPerPoint = gvsSlope(key, before, after);
  return {
    key,
    before: old.point,
    after: now.point,
    /** Points of the gvs; the sum over all components is its change. */
    gvsPoints: gvsPerPoint && gvsPerPoint * (now.point - old.point),
    /** The part of the change caused by presence, which multiplies all indicators: the mean of both sides. */
    presence,
    presenceGvsPoints: gvsPerPoint && gvsPerPoint * presence,
    /** Indicators whose value changed, the largest change first. */
    indicators,
    /** The part of the change caused by unknown data, beyond the indicators' low ends. */
    notKnown: now.point - old.point - presence - fromIndicators - unexplained,
    unexplained,
  };
}

/** What a component with these indicators gains if presence changes from one side's to the other's. */
function presenceEffect({ indicators }: SideComponent, before: SideScores, after: SideScores): number {
  const marks = indicators.map(({ low, high }): Mark => [low, high]);
  const pointAt = ({ presence: { low, high } }: SideScores) => componentOf([low, high], marks).point;
  return pointAt(after) - pointAt(before);
}

function indicatorChanges(before: SideComponent, after: SideComponent, presence: number) {
  const rowsBefore = new Map(before.indicators.map((row) => [row.id, row]));
  return after.indicators
    .map((row) => {
      const old = rowsBefore.get(row.id);
      const gained = row.low / after.indicators.length - (old?.low ?? 0) / before.indicators.length;
      return {
        id: row.id,
        low: { before: old?.low, after: row.low } satisfies Moved,
        high: { before: old?.high, after: row.high } satisfies Moved,
        /** Points at the component's low end, at the mean presence of both sides. */
        points: 10 * presence * gained,
      };
    })
    .filter(({ low, high }) => low.before !== low.after || high.before !== high.after)
    .sort((a, b) => Math.abs(b.points) - Math.abs(a.points));
}

/** The logarithmic mean, which divides the change of a product among its factors so that the parts add up. */
export function logarithmicMean(a: number, b: number): number {
  return Math.abs(a - b) < 1e-9 ? a : (a - b) / (Math.log(a) - Math.log(b));
}

/**
 * The effect of a component's change on the gvs, per point of the change; `undefined` without a score on both sides. The
 * gvs is a product of (1 + component) to the power of its weight.
 */
export function gvsSlope(key: ComponentKey, before: SideScores, after: SideScores): number | undefined {
  if (before.unscored !== null || after.unscored !== null) return undefined;
  const [old, now] = [before.components[key].point, after.components[key].point];
  const ofGvs = logarithmicMean(1 + after.gvs.point, 1 + before.gvs.point);
  return (METHODOLOGY.components.weights[key] * ofGvs) / logarithmicMean(1 + now, 1 + old);
}
