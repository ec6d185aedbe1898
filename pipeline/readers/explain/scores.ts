import type { Evidence, IndicatorRow, Outcome } from "../../../snapshots/format/evidence.ts";
import { roundTo, SCORE_DECIMALS } from "../../../snapshots/format/ids.ts";
import { COMPONENT_KEYS, type ComponentKey, labelOf } from "../../../snapshots/format/value-sets.ts";
import { COMPONENT_WORDS, factorsOf, type IndicatorWords } from "../../documents/component-words.ts";
import { GAP_MESSAGES } from "../../documents/unscored.ts";
import { scoreVitality } from "../../score/components/vitality.ts";
import { GAP_REASONS, type GapReason, gap, points, type ScoreOrGap } from "../../score/method/dao-score.ts";
import { METHODOLOGY } from "../../score/method/methodology.ts";

/** What data a gap asks for; does not compile when one is missing. */
const NEEDS: Readonly<Record<GapReason, string>> = {
  NOT_FETCHED: "one complete fetch of the DAO: `govdata fetch SPACE`",
  SPACE_FLAGGED: "the platform to take its flag back, and a fetch after that",
  NO_PROPOSALS: `a finished proposal of the last ${METHODOLOGY.frame.horizonDays} days with at least a quarter of the usual power`,
  BALLOTS_MISSING: "the votes of the proposals that ended: a fetch from a source that has them",
  NO_VOTERS: "votes that carry weight on at least one proposal of the frame",
  POWER_UNKNOWN: "the voting power of each vote; the source that was read has none (a hub has it as `vp`)",
  DELIBERATION_UNKNOWN:
    "on at least one proposal half (by weight) of: discussion link, voting times, choices and their powers, reasons",
  PROCESS_UNKNOWN: "half (by weight) of: quorum, dates of proposals, authors, the space's own rules",
  COMPONENT_GAP: "all four components",
  ACTIVE_VOTERS_UNKNOWN: "the votes on the proposals of the last 90 days",
};

/** A score with its word, or why there is none and what would be needed. */
export type ExplainedScore =
  | { readonly points: number; readonly label: string }
  | { readonly reason: string; readonly message: string; readonly need: string };

/** One component, before and after thin evidence. */
export type ExplainedComponent = ReturnType<typeof explainComponent>;

type ExplainedIndicator = ReturnType<typeof explainIndicator>;

/** The reason of a gap, as the code knows it; a version of another method may have others. */
export function gapReason(code: string): GapReason | undefined {
  return GAP_REASONS.find((reason) => reason === code);
}

/** A score as the scorers have it. */
function scoreOf(outcome: Outcome): ScoreOrGap {
  return "points" in outcome ? points(outcome.points) : gap(gapReason(outcome.gap) ?? "COMPONENT_GAP");
}

/** A score with its word, or its gap in sentences. */
export function explainOutcome(outcome: Outcome): ExplainedScore {
  if ("points" in outcome) {
    return { points: outcome.points, label: labelOf(roundTo(outcome.points, SCORE_DECIMALS)) };
  }
  const reason = gapReason(outcome.gap);
  return reason === undefined
    ? { reason: outcome.gap, message: outcome.gap, need: "" }
    : { reason, message: GAP_MESSAGES[reason], need: NEEDS[reason] };
}

/** One indicator: what it asks, what was found, and what that was worth. */
function explainIndicator(key: ComponentKey, row: IndicatorRow, factor: number) {
  const { id, role, raw, value, effective_weight: effectiveWeight } = row;
  const unknown: IndicatorWords = { asks: id, measure: "number", noMarksAt: 0, fullMarksAt: 1 };
  const isPart = role === "part";
  return {
    ...(COMPONENT_WORDS[key].indicators[id] ?? unknown),
    id,
    role,
    raw: raw ?? undefined,
    /** 0–1: what of its marks it earned. */
    value: value ?? undefined,
    effectiveWeight,
    /** Points of the component it gave, and what it could have given; of parts only. */
    points: isPart ? 10 * factor * effectiveWeight * (value ?? 0) : 0,
    pointsMost: isPart ? 10 * effectiveWeight : 0,
  };
}

/** What the factors and each part cost, the most first. */
function costs(indicators: readonly ExplainedIndicator[], factor: number) {
  const full = indicators.reduce((sum, each) => sum + each.points, 0) / (factor === 0 ? 1 : factor);
  const all = indicators.map((each) => ({
    id: each.id,
    asks: each.asks,
    points:
      each.role === "factor"
        ? full * (1 - (each.value ?? 1))
        : factor * each.pointsMost * (1 - (each.value ?? 0)),
  }));
  const [first] = all.toSorted((a, b) => b.points - a.points);
  return first !== undefined && first.points > 0.005 ? first : undefined;
}

function explainComponent(evidence: Evidence, key: ComponentKey) {
  const { before, after, indicators: rows } = evidence.components[key];
  const weight = METHODOLOGY.vitality.weights[key];
  const factor = factorsOf(rows);
  const indicators = rows.map((row) => explainIndicator(key, row, factor));
  const sum = indicators.reduce((total, each) => total + each.points, 0);
  return {
    key,
    name: COMPONENT_WORDS[key].name,
    asks: COMPONENT_WORDS[key].asks,
    weight,
    before: explainOutcome(before),
    score: explainOutcome(after),
    interval: evidence.uncertainty?.components[key],
    /** What one more point of it would add to the gvs. */
    gvsPerPoint:
      "points" in evidence.gvs && "points" in after
        ? (weight * (1 + evidence.gvs.points)) / (1 + after.points)
        : undefined,
    indicators,
    /** The indicator that costs the most points, with what it costs. */
    costliest: "points" in before ? costs(indicators, factor) : undefined,
    /** Set where coordination was not looked at and the score is held at its most. */
    isCapped: "points" in before && sum > before.points + 1e-9,
  };
}

/** The four components, in their order. */
export function explainComponents(evidence: Evidence): readonly ExplainedComponent[] {
  return COMPONENT_KEYS.map((key) => explainComponent(evidence, key));
}

/** What thin evidence took, and what the gvs would be if the frame were as full as it should be, of proposals like those it holds. */
export function explainThinEvidence({ frame, components }: Evidence) {
  const { hpr, dei, pdi, gpi } = components;
  const without = scoreVitality({
    hpr: scoreOf(hpr.before),
    dei: scoreOf(dei.before),
    pdi: scoreOf(pdi.before),
    gpi: scoreOf(gpi.before),
  });
  return {
    attentionSum: frame.attention_sum,
    attentionFull: METHODOLOGY.vitality.fullEvidenceAttention,
    /** λ. */
    share: frame.evidence_share,
    /** Absent where there is no gvs. */
    gvsWithout: without.kind === "score" ? without.points : undefined,
  };
}
