import type { Evidence, IndicatorRow, Interval } from "../../../snapshots/format/evidence.ts";
import { roundTo, SCORE_DECIMALS } from "../../../snapshots/format/ids.ts";
import {
  COMPONENT_KEYS,
  type ComponentKey,
  labelledPoints,
  labelOf,
} from "../../../snapshots/format/value-sets.ts";
import { COMPONENT_TEXTS, indicatorTexts } from "../../documents/component-texts.ts";
import { METHODOLOGY } from "../../score/method/methodology.ts";

/** One component, and what it is made of. */
export type ExplainedComponent = ReturnType<typeof explainComponent>;

/** A score between its two ends, with its word. */
export function explainInterval({ low, point, high }: Interval) {
  return { low, point, high, label: labelOf(roundTo(labelledPoints({ low, high }), SCORE_DECIMALS)) };
}

/** One indicator: what it asks, between which marks it lies, and what that gives. */
function explainIndicator(row: IndicatorRow, { presence, not_known: notKnown }: Evidence, parts: number) {
  const isKnown = !notKnown.includes(row.id);
  const { asks, source } = indicatorTexts(row.id);
  return {
    id: row.id,
    asks,
    isKnown,
    /** What it would take to know it. */
    source,
    low: row.low,
    high: row.high,
    /** Points of the component that it gives whatever is not known, and the most it could give. */
    points: row.points,
    pointsMost: (10 * presence.high) / parts,
    /** Points that what is known of it costs. */
    cost: (10 * presence.high * (1 - row.high)) / parts,
    /** Points that hang on what is not known of it. */
    open: (10 * (presence.high * row.high - presence.low * row.low)) / parts,
  };
}

function explainComponent(evidence: Evidence, key: ComponentKey) {
  const { indicators: rows, ...score } = evidence.components[key];
  const weight = METHODOLOGY.components.weights[key];
  const indicators = rows.map((row) => explainIndicator(row, evidence, rows.length));
  const given = indicators.reduce((sum, { points }) => sum + points, 0);
  const [costliest] = indicators.toSorted((a, b) => b.cost - a.cost);
  return {
    key,
    name: COMPONENT_TEXTS[key].name,
    asks: COMPONENT_TEXTS[key].asks,
    weight,
    score: explainInterval(score),
    indicators,
    /** What the point has beyond what the indicators give: half-way, on a logarithmic scale, to what could be. */
    notKnown: score.point - given,
    /** What one more point of it would add to the gvs. */
    gvsPerPoint: (weight * (1 + evidence.gvs.point)) / (1 + score.point),
    /** The indicator that costs the most points. */
    costliest: costliest !== undefined && costliest.cost > 0.005 ? costliest : undefined,
  };
}

/** The four components, in their order. */
export function explainComponents(evidence: Evidence): readonly ExplainedComponent[] {
  return COMPONENT_KEYS.map((key) => explainComponent(evidence, key));
}
