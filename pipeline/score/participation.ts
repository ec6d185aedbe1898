import { DAY_MS } from "../base/days.ts";
import type { AttendedProposal } from "./attention.ts";
import type { Frame } from "./frame.ts";
import type { HeadCount } from "./heads.ts";
import { METHODOLOGY } from "./methodology.ts";
import { gap, points, type ScoreOrGap } from "./score-or-gap.ts";
import { clamp, sortedSum, weightedMean, weightedMedian } from "./weighted-statistics.ts";

/** Every number HPR is made of. */
export interface Participation {
  readonly score: ScoreOrGap;
  /** A: heads after clustering over heads before it, at most 1; 1 where coordination was not assessed. */
  readonly independence: number;
  readonly loyalty: number;
  readonly breadthHeads: number;
  readonly presence: number;
}

/** f: fades to 0 as the last, and the last but one, attended proposal lies further back. */
export function presence(attended: readonly AttendedProposal[], asOfMs: number): number {
  const { presenceDays, presenceFadeDays } = METHODOLOGY.participation;
  const part = (proposal: AttendedProposal | undefined): number =>
    proposal === undefined
      ? 0
      : clamp((presenceDays - (asOfMs - proposal.endMs) / DAY_MS) / presenceFadeDays) / 2;
  return part(attended.at(-1)) + part(attended.at(-2));
}

/** Would the same people come again? 0 where nobody came twice, 1 where everybody always comes; by rarefaction, so that the number of proposals does not matter. */
export function loyalty(heads: HeadCount, headsMean: number, effectiveProposals: number): number {
  const draws = METHODOLOGY.participation.rarefactionDraws;
  const expected = sortedSum(
    heads.weights.map((weight, place) => weight * (1 - (1 - (heads.attendance[place] ?? 0)) ** draws)),
  );
  const nobodyTwice = 1 / (effectiveProposals * (1 - (1 - 1 / effectiveProposals) ** draws));
  // One proposal says nothing about coming again; its rounding neighbours neither.
  if (effectiveProposals < 1 + 1e-9 || expected === 0) return 0;
  return clamp((headsMean / expected - nobodyTwice) / (1 - nobodyTwice));
}

/**
 * Human Participation Rate (hpr): do many people come, do the same ones come again, and do they still?
 *
 * Range: 0..10 points, higher is better.
 * Unit: human-equivalents: a wallet, an entity, or a cluster of likely coordinated wallets, by its weight g.
 * Source: counted votes of the frame; presence from every attended proposal, fetched or not.
 * Gap: nobody voted in the frame. Where coordination could not be assessed the score is at most 5.
 */
export function scoreParticipation(input: {
  readonly frame: Frame;
  /** Heads as human-equivalents (entities and clusters merged). */
  readonly humans: HeadCount;
  /** Heads before clustering (entities merged). */
  readonly unclustered: HeadCount;
  readonly isCoordinationAssessed: boolean;
}): Participation {
  const { frame, humans, unclustered, isCoordinationAssessed } = input;
  const weigh = (perProposal: Float64Array) =>
    frame.members.map((member, index) => ({ value: perProposal[index] ?? 0, weight: member.attention }));
  const humansMean = weightedMean(weigh(humans.perProposal)) ?? 0;
  const unclusteredMean = weightedMean(weigh(unclustered.perProposal)) ?? 0;
  const breadthHeads = weightedMedian(weigh(humans.perProposal)) ?? 0;
  const fading = presence(frame.attended, frame.asOfMs);
  if (humansMean === 0 || unclusteredMean === 0) {
    return { score: gap("NO_VOTERS"), independence: 1, loyalty: 0, breadthHeads, presence: fading };
  }
  const { fullMarksLoyalty, breadthFromHeads, breadthFullHeads } = METHODOLOGY.participation;
  // Two wallets near dust weigh more together than apart; being coordinated must never raise a score.
  const independence = isCoordinationAssessed ? Math.min(1, humansMean / unclusteredMean) : 1;
  const loyal = loyalty(humans, humansMean, frame.effectiveProposals);
  const breadth = clamp(
    (Math.log(Math.max(1, breadthHeads)) - Math.log(breadthFromHeads)) /
      (Math.log(breadthFullHeads) - Math.log(breadthFromHeads)),
  );
  const raw = (10 * independence * fading * (clamp(loyal / fullMarksLoyalty) + breadth)) / 2;
  // What was not looked at can lower a score, never raise it.
  const score = isCoordinationAssessed ? raw : Math.min(METHODOLOGY.coordination.untestedPointsMax, raw);
  return { score: points(score), independence, loyalty: loyal, breadthHeads, presence: fading };
}
