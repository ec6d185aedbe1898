import type {
  ComponentKey,
  Confidence,
  DelegateCentralization,
} from "../../../snapshots/format/value-sets.ts";
import { delegateCentralizationAt } from "../delegates/rank-delegates.ts";
import { type GapReason, gap, type ScoreOrGap } from "../method/dao-score.ts";
import type { Indicator } from "../method/indicators.ts";
import type { DaoMeasures, FrameMeasures } from "../method/measures.ts";
import { METHODOLOGY } from "../method/methodology.ts";
import { type Completeness, completenessOfFrame, scoreCompleteness } from "./completeness.ts";
import { type ScoredDecentralization, scoreDecentralization } from "./decentralization.ts";
import { type Deliberation, scoreDeliberation } from "./deliberation.ts";
import {
  type LastingParticipation,
  type Participation,
  participationOfFrame,
  scoreParticipation,
} from "./participation.ts";
import { type LastingProcess, type Process, processOfFrame, scoreProcess } from "./process.ts";
import { batchVotingPct, type ScoredRisk, scoreRisk } from "./risk.ts";
import { discountThinEvidence, evidenceShare, scoreVitality } from "./vitality.ts";

/** A component with everything it is made of. */
interface ScoredComponent {
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
}

/** Why nothing of a DAO can be scored, or `undefined` where something can. */
function nothingBecause({ isFetched, guardrails, members, missing }: FrameMeasures): GapReason | undefined {
  if (!isFetched) return "NOT_FETCHED";
  if (guardrails.isFlagged) return "SPACE_FLAGGED";
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

/** Everything of a score that stays as it is while the frame does: on most days of a history it is that of the day before. */
export interface FrameScores {
  readonly nothing: GapReason | undefined;
  readonly attentionSum: number;
  /** λ. */
  readonly evidenceShare: number;
  readonly participation: LastingParticipation;
  readonly decentralization: ScoredDecentralization;
  readonly dei: ScoredComponent;
  readonly pdi: ScoredComponent;
  readonly process: LastingProcess;
  readonly completeness: ReturnType<typeof completenessOfFrame>;
  readonly checkpointVotingPct: number;
}

/** What of the scores no clock moves. */
export function frameScoresOf(measures: FrameMeasures): FrameScores {
  const { members } = measures;
  let attentionSum = 0;
  for (const { attention } of members) attentionSum += attention;
  const evidence = evidenceShare(attentionSum);
  const nothing = nothingBecause(measures);
  const decentralization = scoreDecentralization(members);
  return {
    nothing,
    attentionSum,
    evidenceShare: evidence,
    participation: participationOfFrame(measures),
    decentralization,
    dei: componentOf(decentralization, evidence, nothing),
    pdi: componentOf(scoreDeliberation(members), evidence, nothing),
    process: processOfFrame(measures),
    completeness: completenessOfFrame(measures),
    checkpointVotingPct: batchVotingPct(members),
  };
}

/**
 * Everything published about one DAO, from its measures and nothing else.
 *
 * Range: components and gvs 0..10 points, risk and completeness 0..100.
 * Unit: points.
 * Source: `DaoMeasures`, which are published with the evidence: anybody can do this again.
 * Gap: each part by its own rule; all of them where the DAO was never fetched, its space is flagged, or it has no frame.
 *
 * `lasting`: what `frameScoresOf` made of the same frame before.
 */
export function scoreMeasures(
  measures: DaoMeasures,
  lasting: FrameScores = frameScoresOf(measures),
): ScoredMeasures {
  const { nothing, evidenceShare: evidence, decentralization, dei, pdi } = lasting;
  const participation = scoreParticipation(measures, lasting.participation);
  const components = {
    hpr: componentOf(participation, evidence, nothing),
    dei,
    pdi,
    gpi: componentOf(scoreProcess(measures, lasting.process), evidence, nothing),
  };
  const published = publishedScores(components);
  const delegateCentralization = delegateCentralizationAt(measures.delegation, measures.asOfMs);
  const { checkpointVotingPct } = lasting;
  const known = { measures, components: published, decentralization, delegateCentralization };
  return {
    components,
    gvs: nothing === undefined ? scoreVitality(published) : gap(nothing),
    risk: nothing === undefined ? scoreRisk({ ...known, checkpointVotingPct }) : gap(nothing),
    confidence: measures.eligibleCount >= METHODOLOGY.frame.highConfidenceProposals ? "high" : "low",
    completeness: scoreCompleteness(measures, measures.freshness, lasting.completeness),
    attentionSum: lasting.attentionSum,
    effectiveProposals: lasting.participation.effectiveProposals,
    evidenceShare: evidence,
    delegateCentralization,
    participation,
  };
}

/** The component scores as they are published, without what they are made of. */
export function publishedScores(
  components: Readonly<Record<ComponentKey, Pick<ScoredComponent, "score">>>,
): Readonly<Record<ComponentKey, ScoreOrGap>> {
  const { hpr, dei, pdi, gpi } = components;
  return { hpr: hpr.score, dei: dei.score, pdi: pdi.score, gpi: gpi.score };
}
