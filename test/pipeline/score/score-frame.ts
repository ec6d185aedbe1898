import type { Proposal } from "../../../pipeline/facts/proposal.ts";
import type { Space } from "../../../pipeline/facts/space.ts";
import type { BallotVotes } from "../../../pipeline/score/ballot-votes.ts";
import type { BatchVoting } from "../../../pipeline/score/batch-voting.ts";
import type { RiskOrGap } from "../../../pipeline/score/dao-score.ts";
import {
  concentration,
  type Decentralization,
  scoreDecentralization,
} from "../../../pipeline/score/decentralization.ts";
import { deliberationRows, scoreDeliberation } from "../../../pipeline/score/deliberation.ts";
import type { Frame, FrameProposal } from "../../../pipeline/score/frame.ts";
import { guardrailMeasures, guardrails } from "../../../pipeline/score/guardrails.ts";
import { type HeadCount, sharesByHead } from "../../../pipeline/score/heads.ts";
import { INDICATORS } from "../../../pipeline/score/indicator.ts";
import { measureDeliberation } from "../../../pipeline/score/measure-deliberation.ts";
import { measureBallot, measureProposal } from "../../../pipeline/score/measure-proposal.ts";
import type {
  BallotMeasures,
  Concentration,
  MemberMeasures,
  ProposalMeasures,
} from "../../../pipeline/score/measures.ts";
import { type Participation, scoreParticipation } from "../../../pipeline/score/participation.ts";
import { returning } from "../../../pipeline/score/participation-indicators.ts";
import { scoreProcess } from "../../../pipeline/score/process.ts";
import { effectiveProposers, proposerPosition } from "../../../pipeline/score/proposers.ts";
import { quorumRate } from "../../../pipeline/score/quorum-rate.ts";
import { activeVoters, batchVotingPct, plainRisk, scoreRisk } from "../../../pipeline/score/risk.ts";
import type { ScoreOrGap } from "../../../pipeline/score/score-or-gap.ts";
import { seenInDraws } from "../../../pipeline/score/seen-in-draws.ts";
import { clamp, sortedSum } from "../../../pipeline/score/weighted-statistics.ts";

// Scores of frames whose proposals and votes a test writes by hand: measured here, then scored as everything is.

type BatchOf = (member: FrameProposal) => BatchVoting;
type HeadOfAuthor = (author: string) => string;

/** What a member of a frame says whatever the frame. */
function measured(
  member: FrameProposal,
): ProposalMeasures & BallotMeasures & Pick<MemberMeasures, "attention"> {
  const { votes, attention } = member;
  return { ...measureProposal(member, votes), ...measureBallot(votes), attention };
}

/** H(5): human-equivalents expected in five draws. */
export function expectedHeads({ weights, attendance }: HeadCount): number {
  return sortedSum(weights.map((weight, place) => weight * seenInDraws(attendance[place] ?? 0)));
}

/** Loyalty, 0–1. */
export function loyaltyOf(heads: HeadCount, headsMean: number, effectiveProposals: number): number {
  return clamp(returning(expectedHeads(heads), headsMean, effectiveProposals) ?? 0);
}

/** HPR of a frame whose heads have been counted. */
export function participationOf(input: {
  readonly frame: Frame;
  readonly humans: HeadCount;
  readonly unclustered: HeadCount;
  readonly isCoordinationAssessed: boolean;
}): Participation {
  const { frame, humans, unclustered, isCoordinationAssessed } = input;
  return scoreParticipation({
    asOfMs: frame.asOfMs,
    attended: frame.attended,
    isCoordinationAssessed,
    expectedHeads: expectedHeads(humans),
    members: frame.members.map(({ attention }, index) => ({
      attention,
      heads: humans.perProposal[index] ?? 0,
      unclusteredHeads: unclustered.perProposal[index] ?? 0,
    })),
  });
}

/** Concentration of the power of heads on one ballot; `undefined` where no power is known. */
export function concentrationOf(votes: BallotVotes, headOfVoter: Int32Array): Concentration | undefined {
  const { shares } = sharesByHead(votes, headOfVoter);
  return shares === undefined || shares.length === 0 ? undefined : concentration(shares);
}

/** DEI of members of a frame. */
export function decentralizationOf(
  members: readonly FrameProposal[],
  headOfVoter: Int32Array,
): Decentralization {
  const { indicators: _, ...found } = scoreDecentralization(
    members.map(({ attention, votes }) => ({
      attention,
      concentration: concentrationOf(votes, headOfVoter),
    })),
  );
  return found;
}

/** The marks (0–1) of one proposal's deliberation. */
export type Marks = Readonly<Record<keyof typeof INDICATORS.pdi, number | undefined>>;

/** What one proposal tells about deliberation, as marks. */
export function deliberationMarks(proposal: Proposal, votes: BallotVotes, batch: BatchVoting): Marks {
  const rows = deliberationRows({
    ...measureDeliberation(proposal, votes),
    overlappingVotes: batch.overlappingCount,
    batchVotes: batch.batchCount,
  });
  const keys = Object.keys(INDICATORS.pdi) as (keyof Marks)[];
  return Object.fromEntries(keys.map((key, place) => [key, rows[place]?.value])) as Marks;
}

/** PDI of members of a frame. */
export function deliberationOf(members: readonly FrameProposal[], batchOf: BatchOf): ScoreOrGap {
  return scoreDeliberation(
    members.map((member) => {
      const { overlappingCount, batchCount } = batchOf(member);
      return { ...measured(member), overlappingVotes: overlappingCount, batchVotes: batchCount };
    }),
  ).score;
}

/** The rate of quorums of members of a frame. */
export function quorumRateOf(members: readonly FrameProposal[]): number | undefined {
  return quorumRate(members.map(measured));
}

/** The marks (0–1) for proposers of members of a frame. */
export function diversityOf(
  members: readonly FrameProposal[],
  headOfAuthor: HeadOfAuthor,
): number | undefined {
  const position = proposerPosition(proposersOf(members, headOfAuthor), members.map(measured));
  return position === undefined ? undefined : clamp(position);
}

function proposersOf(members: readonly FrameProposal[], headOfAuthor: HeadOfAuthor): number | undefined {
  return effectiveProposers(
    members.map(({ proposal, attention }) => ({ author: proposal.author, attention })),
    headOfAuthor,
  );
}

/** The guardrails of a space and members of a frame. */
export function guardrailsOf(
  space: Space | undefined,
  members: readonly FrameProposal[],
): number | undefined {
  return guardrails(guardrailMeasures(space), members.map(measured));
}

/** GPI of a frame. */
export function processOf(input: {
  readonly frame: Frame;
  readonly space: Space | undefined;
  readonly headOfAuthor: HeadOfAuthor;
}): ScoreOrGap {
  const { frame, space, headOfAuthor } = input;
  return scoreProcess({
    asOfMs: frame.asOfMs,
    attended: frame.attended,
    guardrails: guardrailMeasures(space),
    effectiveProposers: proposersOf(frame.members, headOfAuthor),
    members: frame.members.map(measured),
  }).score;
}

const withBatch = (members: readonly FrameProposal[], batchOf: BatchOf) =>
  members.map((member) => ({ ...measured(member), batchVotes: batchOf(member).batchCount }));

/** The batch votes of members of a frame, in per cent. */
export function batchVotingPctOf(members: readonly FrameProposal[], batchOf: BatchOf): number {
  return batchVotingPct(withBatch(members, batchOf));
}

/** Risk of a frame. */
export function riskOf(
  input: Omit<Parameters<typeof scoreRisk>[0], "measures"> & {
    readonly frame: Frame;
    readonly humanOfVoter: Int32Array;
    readonly batchOf: BatchOf;
  },
): RiskOrGap {
  const { frame, humanOfVoter, batchOf, ...rest } = input;
  const measures = {
    asOfMs: frame.asOfMs,
    attended: frame.attended,
    activeVoterCount: activeVoters(frame, humanOfVoter),
    members: withBatch(frame.members, batchOf),
  };
  return plainRisk(scoreRisk({ measures, ...rest }));
}
