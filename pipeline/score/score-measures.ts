import {
  COMPONENT_KEYS,
  type ComponentKey,
  type Confidence,
  type DelegateCentralization,
} from "../../snapshots/format/value-sets.ts";
import { type Completeness, scoreCompleteness } from "./completeness.ts";
import { type ScoredDecentralization, scoreDecentralization } from "./decentralization.ts";
import { type Deliberation, scoreDeliberation } from "./deliberation.ts";
import type { Indicator } from "./indicator.ts";
import type { DaoMeasures } from "./measures.ts";
import { METHODOLOGY } from "./methodology.ts";
import { type Participation, scoreParticipation } from "./participation.ts";
import { type Process, scoreProcess } from "./process.ts";
import { delegateCentralizationAt } from "./rank-delegates.ts";
import { type ScoredRisk, scoreRisk } from "./risk.ts";
import { type GapReason, gap, type ScoreOrGap } from "./score-or-gap.ts";
import { discountThinEvidence, evidenceShare, scoreVitality } from "./vitality.ts";
import { effectiveNumber } from "./weighted-statistics.ts";

/** A component with everything it is made of. */
export interface ScoredComponent {
  /** Before thin evidence. */
  readonly before: ScoreOrGap;
  /** After it: what is published. */
  readonly score: ScoreOrGap;
  readonly indicators: readonly Indicator[];
}

/** Everything that follows from the measures of one DAO; numbers unrounded. */
export interface ScoredMeasures {
  readonly components: Readonly<Record<ComponentKey, ScoredComponent>>;
  readonly gvs: ScoreOrGap;
  readonly risk: ScoredRisk;
  readonly confidence: Confidence;
  readonly completeness: Completeness;
  /** Σω and n_e of the frame. */
  readonly attentionSum: number;
  readonly effectiveProposals: number;
  /** λ. */
  readonly evidenceShare: number;
  readonly delegateCentralization: DelegateCentralization;
  readonly participation: Participation;
  readonly decentralization: ScoredDecentralization;
}

/** Why nothing of a DAO can be scored, or `undefined` where something can. */
function nothingBecause({ isFetched, members, missing }: DaoMeasures): GapReason | undefined {
  if (!isFetched) return "NOT_FETCHED";
  if (members.length > 0) return undefined;
  return missing.length === 0 ? "NO_PROPOSALS" : "BALLOTS_MISSING";
}

function componentOf(
  {
    score,
    indicators,
  }: Pick<Participation | ScoredDecentralization | Deliberation | Process, "score" | "indicators">,
  evidence: number,
  nothing: GapReason | undefined,
): ScoredComponent {
  const before = nothing === undefined ? score : gap(nothing);
  return { before, score: discountThinEvidence(before, evidence), indicators };
}

/**
 * Everything published about one DAO, from its measures and nothing else.
 *
 * Range: components and gvs 0..10 points, risk and completeness 0..100.
 * Unit: points.
 * Source: `DaoMeasures`, which are published with the evidence: anybody can do this again.
 * Gap: each part by its own rule; all of them where the DAO was never fetched or has no frame.
 */
export function scoreMeasures(measures: DaoMeasures): ScoredMeasures {
  const { members, asOfMs } = measures;
  const attentionSum = members.reduce((sum, member) => sum + member.attention, 0);
  const evidence = evidenceShare(attentionSum);
  const nothing = nothingBecause(measures);
  const participation = scoreParticipation(measures);
  const decentralization = scoreDecentralization(members);
  const components = {
    hpr: componentOf(participation, evidence, nothing),
    dei: componentOf(decentralization, evidence, nothing),
    pdi: componentOf(scoreDeliberation(members), evidence, nothing),
    gpi: componentOf(scoreProcess(measures), evidence, nothing),
  };
  const published = publishedScores(components);
  const delegateCentralization = delegateCentralizationAt(measures.delegation, asOfMs);
  return {
    components,
    gvs: nothing === undefined ? scoreVitality(published) : gap(nothing),
    risk:
      nothing === undefined
        ? scoreRisk({ measures, components: published, decentralization, delegateCentralization })
        : gap(nothing),
    confidence: measures.eligibleCount >= METHODOLOGY.frame.highConfidenceProposals ? "high" : "low",
    completeness: scoreCompleteness(measures, measures.freshness),
    attentionSum,
    effectiveProposals: effectiveNumber(members.map((member) => member.attention)),
    evidenceShare: evidence,
    delegateCentralization,
    participation,
    decentralization,
  };
}

/** The component scores as they are published, without what they are made of. */
export function publishedScores(
  components: Readonly<Record<ComponentKey, Pick<ScoredComponent, "score">>>,
): Readonly<Record<ComponentKey, ScoreOrGap>> {
  const entries = COMPONENT_KEYS.map((key) => [key, components[key].score] as const);
  return Object.fromEntries(entries) as Record<ComponentKey, ScoreOrGap>;
}
