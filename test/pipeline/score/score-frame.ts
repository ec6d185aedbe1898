import type { Space } from "../../../pipeline/facts/dao-facts.ts";
import type { Proposal } from "../../../pipeline/facts/proposal.ts";
import {
  type Decentralization,
  scoreDecentralization,
} from "../../../pipeline/score/components/decentralization.ts";
import {
  deliberationRows,
  measureDeliberation,
  scoreDeliberation,
} from "../../../pipeline/score/components/deliberation.ts";
import { measureProposal, measureVotes } from "../../../pipeline/score/components/measure-proposal.ts";
import {
  type Participation,
  returning,
  scoreParticipation,
} from "../../../pipeline/score/components/participation.ts";
import {
  effectiveProposers,
  guardrailMeasures,
  guardrails,
  proposerPosition,
  quorumRate,
  scoreProcess,
} from "../../../pipeline/score/components/process.ts";
import {
  activeVoters,
  batchVotingPct,
  plainRisk,
  scoreRisk,
} from "../../../pipeline/score/components/risk.ts";
import type { BatchVoting } from "../../../pipeline/score/frame/batch-voting.ts";
import type { CountedVotes } from "../../../pipeline/score/frame/counted-votes.ts";
import type { Frame, FrameProposal } from "../../../pipeline/score/frame/frame.ts";
import { seenInDraws } from "../../../pipeline/score/heads/head-weights.ts";
import { concentration, sharesByHead } from "../../../pipeline/score/heads/heads.ts";
import type { RiskOrGap, ScoreOrGap } from "../../../pipeline/score/method/dao-score.ts";
import { INDICATORS } from "../../../pipeline/score/method/indicators.ts";
import type {
  Concentration,
  MemberMeasures,
  ProposalMeasures,
  VotesMeasures,
} from "../../../pipeline/score/method/measures.ts";
import { clamp, sortedSum } from "../../../pipeline/score/method/statistics.ts";
import { countActive, type HeadCount } from "./heads/plain-heads.ts";

// Scores of frames whose proposals and votes a test writes by hand: measured here, then scored as everything is.

type BatchOf = (member: FrameProposal) => BatchVoting;
type HeadOfAuthor = (author: string) => string;

/** What a member of a frame says whatever the frame. */
function measured(
  member: FrameProposal,
): ProposalMeasures & VotesMeasures & Pick<MemberMeasures, "attention"> {
  const { votes, attention } = member;
  return { ...measureProposal(member, votes), ...measureVotes(votes), attention };
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
export function concentrationOf(votes: CountedVotes, headOfVoter: Int32Array): Concentration | undefined {
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
export function deliberationMarks(proposal: Proposal, votes: CountedVotes, batch: BatchVoting): Marks {
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
    activeVoterCount: activeVoters(frame, humanOfVoter, countActive),
    members: withBatch(frame.members, batchOf),
  };
  return plainRisk(scoreRisk({ measures, ...rest }));
}
