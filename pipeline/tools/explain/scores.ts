import type { Evidence, IndicatorRow, Interval } from "../../../snapshots/format/evidence.ts";
import { roundTo, SCORE_DECIMALS } from "../../../snapshots/format/ids.ts";
import type { Ranking } from "../../../snapshots/format/rankings.ts";
import {
  COMPONENT_KEYS,
  type ComponentKey,
  labelledPoints,
  labelOf,
} from "../../../snapshots/format/value-sets.ts";
import { COMPONENT_TEXTS, indicatorTexts } from "../../score/method/indicators.ts";
import { METHODOLOGY } from "../../score/method/methodology.ts";
import { concentrationTexts } from "../concentration-texts.ts";
import { absenceOf, votesKnownUntil } from "../presence-texts.ts";

type ExplainedComponent = ReturnType<typeof explainComponent>;

/** An interval with the label of its score. */
export function explainInterval({ low, point, high }: Interval) {
  return { low, point, high, label: labelOf(roundTo(labelledPoints({ low, high }), SCORE_DECIMALS)) };
}

function explainIndicator(row: IndicatorRow, { presence, not_known: notKnown }: Evidence, parts: number) {
  const isKnown = !notKnown.includes(row.id);
  const { asks, source } = indicatorTexts(row.id);
  return {
    id: row.id,
    asks,
    isKnown,
    source,
    low: row.low,
    high: row.high,
    /** Points of the component at its low end, and the most possible. */
    points: row.points,
    pointsMost: (10 * presence.high) / parts,
    /** Points lost for certain. */
    cost: (10 * presence.high * (1 - row.high)) / parts,
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
    /** The part of the point beyond the indicators' low ends: halfway to the high end, on a logarithmic scale. */
    notKnown: score.point - given,
    /** The effect on the gvs of one more point of the component. */
    gvsPerPoint: (weight * (1 + evidence.gvs.point)) / (1 + score.point),
    /** The indicator that loses the most points. */
    costliest: costliest !== undefined && costliest.cost > 0.005 ? costliest : undefined,
  };
}

export function explainComponents(evidence: Evidence): readonly ExplainedComponent[] {
  return COMPONENT_KEYS.map((key) => explainComponent(evidence, key));
}

type Weights = Ranking["weights"];

/** The ranks over all single changes of a weight by a quarter, and the weight with the largest effect, if any. */
function explainWeights(weights: Weights) {
  const spread = ({ less, more }: Weights[number]) => Math.abs(less - more);
  const [most] = weights.toSorted((a, b) => spread(b) - spread(a));
  const ranks = weights.flatMap(({ less, more }) => [less, more]);
  return {
    best: Math.min(...ranks),
    worst: Math.max(...ranks),
    most: most === undefined || spread(most) === 0 ? undefined : most,
  };
}

/** The certainty of a DAO's scores, the completeness of its data, and what is unknown. */
export function explainCertainty(evidence: Evidence, ranking: Ranking | undefined) {
  const { presence, known_share: knownShare, not_known: notKnown, measures } = evidence;
  return {
    completenessPct: evidence.completeness_pct ?? undefined,
    knownShare,
    presence,
    /** Why presence is below 1, as the beginning of a sentence; `undefined` if it is not. */
    absence: absenceOf(evidence),
    /** A fetch may have seen more than the scores take into account. */
    knownUntil: votesKnownUntil(evidence),
    fetchedAt: measures.fetched_at ?? undefined,
    /** For scored DAOs: the ranks that all intervals allow. */
    rank: ranking && { best: ranking.best, worst: ranking.worst },
    weights: ranking && explainWeights(ranking.weights),
    notKnown: notKnown.map((id) => ({ id, ...indicatorTexts(id) })),
    concentration: concentrationTexts(evidence.concentration),
  };
}
