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

/** The change of a DAO's components, with its causes. */
export function scoreChanges(before: SideScores, after: SideScores) {
  const gvs = gvsMoved(before, after);
  const components = COMPONENT_KEYS.map((key) => componentChange(key, before, after, gvs));
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

function componentChange(key: ComponentKey, before: SideScores, after: SideScores, gvs: Moved) {
  const [old, now] = [before.components[key], after.components[key]];
  const indicators = indicatorChanges(
    { ...old, presence: before.presence.low },
    { ...now, presence: after.presence.low },
  );
  const fromIndicators = indicators.reduce((sum, { points }) => sum + points, 0);
  const unexplained = (now.unexplained ?? 0) - (old.unexplained ?? 0);
  const presence = presencePoints([before.presence, old], [after.presence, now]);
  const gvsPerPoint = gvsSlope(METHODOLOGY.components.weights[key], [old.point, now.point], gvs);
  return {
    key,
    before: old.point,
    after: now.point,
    /** Points of the gvs; the sum over all components is its change. */
    gvsPoints: gvsPerPoint && gvsPerPoint * (now.point - old.point),
    /** The part of the change caused by presence, which multiplies all indicators. */
    presence,
    /** The effect of that part on the gvs. */
    presenceGvsPoints: gvsPerPoint && gvsPerPoint * presence,
    /** Indicators whose value changed, the largest change first. */
    indicators,
    /** The part of the change caused by unknown data, beyond the indicators' low ends. */
    notKnown: now.point - old.point - presence - fromIndicators - unexplained,
    /** The part of the change that the known indicators do not explain. */
    unexplained,
  };
}

/**
 * The part of a component's change that is caused by presence: the mean of its effect on the indicators before and on
 * those after.
 */
function presencePoints(
  ...sides: readonly (readonly [presence: SideScores["presence"], component: SideComponent])[]
): number {
  const effects = sides.map(([, { indicators }]) => {
    const marks = indicators.map(({ low, high }): Mark => [low, high]);
    const [old, now] = sides.map(([{ low, high }]) => componentOf([low, high], marks).point);
    return (now as number) - (old as number);
  });
  return effects.reduce((sum, effect) => sum + effect, 0) / effects.length;
}

/** The gvs on both sides; `undefined` for an unscored DAO. */
export function gvsMoved(before: SideScores | undefined, after: SideScores | undefined): Moved {
  const gvsOf = (scores: SideScores | undefined): number | undefined =>
    scores?.unscored === null ? scores.gvs.point : undefined;
  return { before: gvsOf(before), after: gvsOf(after) };
}

/** A component on one side, with the low end of presence. */
interface PresentComponent extends SideComponent {
  readonly presence: number;
}

function indicatorChanges(before: PresentComponent, after: PresentComponent) {
  const rowsBefore = new Map(before.indicators.map((row) => [row.id, row]));
  const presence = (before.presence + after.presence) / 2;
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
 * The effect of a component's change on the gvs, per point of the change. The gvs is a product of (1 + component) to the
 * power of its weight.
 */
function gvsSlope(
  weight: number,
  [before, after]: readonly [before: number, after: number],
  gvs: Moved,
): number | undefined {
  if (gvs.before === undefined || gvs.after === undefined) return undefined;
  return (weight * logarithmicMean(1 + gvs.after, 1 + gvs.before)) / logarithmicMean(1 + after, 1 + before);
}

/** The effect of a component's change on the gvs. */
export function gvsPoints(
  weight: number,
  [before, after]: readonly [before: number, after: number],
  gvs: Moved,
): number | undefined {
  const perPoint = gvsSlope(weight, [before, after], gvs);
  return perPoint && perPoint * (after - before);
}
