import type { DaoFacts } from "../../../pipeline/facts/dao-facts.ts";
import type { Proposal } from "../../../pipeline/facts/proposal.ts";
import { type Choice, type ProposalVotes, VOTE_FLAGS } from "../../../pipeline/facts/proposal-votes.ts";
import { createDaoScorer } from "../../../pipeline/score/dao-scorer.ts";
import { type CountedVotes, countedVotes } from "../../../pipeline/score/frame/counted-votes.ts";
import type { Frame, FrameProposal } from "../../../pipeline/score/frame/frame.ts";

export const DAY = 86_400_000;
/** The moment as of which the tests score: the end of a day. */
export const T = Date.UTC(2025, 5, 30) - 1;

/** One vote, by default of power 1, untimed, for option 1, final, with all known but a reason. */
export interface SampleVote {
  readonly voter: number;
  readonly power?: number | undefined;
  readonly atMs?: number | undefined;
  readonly dayMs?: number | undefined;
  readonly choice?: number | Choice | undefined;
  readonly reason?: boolean | undefined;
  readonly flags?: number | undefined;
  readonly isPowerUnknown?: boolean | undefined;
}

function choiceOf(vote: SampleVote): Choice {
  const choice = vote.choice ?? 1;
  return typeof choice === "number" ? { kind: "single", option: choice } : choice;
}

function flagsOf(vote: SampleVote): number {
  const known = vote.isPowerUnknown ? 0 : VOTE_FLAGS.powerKnown;
  const timed =
    vote.atMs !== undefined ? VOTE_FLAGS.timeKnown : vote.dayMs !== undefined ? VOTE_FLAGS.dayKnown : 0;
  const reason =
    vote.reason === undefined ? 0 : VOTE_FLAGS.reasonKnown | (vote.reason ? VOTE_FLAGS.reasonGiven : 0);
  return known | timed | reason | VOTE_FLAGS.final | (vote.flags ?? 0);
}

/** A ballot as the warehouse gives it: by voter number, with its distinct choices. */
export function sampleProposalVotes(proposalId: string, votes: readonly SampleVote[]): ProposalVotes {
  const sorted = [...votes].sort((a, b) => a.voter - b.voter);
  const keys = [...new Set(sorted.map((vote) => JSON.stringify(choiceOf(vote))))];
  return {
    proposalId,
    count: sorted.length,
    voterIds: Uint32Array.from(sorted, (vote) => vote.voter),
    powers: Float64Array.from(sorted, (vote) => (vote.isPowerUnknown ? 0 : (vote.power ?? 1))),
    timesS: Uint32Array.from(sorted, (vote) => Math.floor((vote.atMs ?? vote.dayMs ?? 0) / 1000)),
    choiceIndexes: Uint32Array.from(sorted, (vote) => keys.indexOf(JSON.stringify(choiceOf(vote)))),
    flags: Uint8Array.from(sorted, flagsOf),
    choices: keys.map((key) => JSON.parse(key) as Choice),
  };
}

/** A closed proposal of a week that ended `endDaysAgo` days before T, known in full. */
export function sampleProposal(
  proposalId: string,
  changes: Partial<Proposal> & { readonly endDaysAgo?: number } = {},
): Proposal {
  const { endDaysAgo = 1, ...rest } = changes;
  const endMs = T - endDaysAgo * DAY;
  return {
    proposalId,
    title: proposalId,
    link: undefined,
    author: "0xauthor",
    created: { atMs: endMs - 9 * DAY, precision: "second" },
    start: { atMs: endMs - 7 * DAY, precision: "second" },
    end: { atMs: endMs, precision: "second" },
    votingType: "basic",
    choicesCount: 3,
    discussion: "https://forum.example/t/1",
    quorum: undefined,
    isQuorumRejection: false,
    state: "closed",
    scoresState: "final",
    scoresTotal: undefined,
    votesCount: undefined,
    strategiesKey: undefined,
    revision: undefined,
    isShutter: false,
    isFlagged: false,
    isDeleted: false,
    ...rest,
  };
}

/** A DAO of the proposals given, in their order, with the ballots given. */
export function sampleDao(
  changes: Partial<DaoFacts> & { readonly held?: readonly ProposalVotes[] } = {},
): DaoFacts {
  const { held = [], ...rest } = changes;
  return {
    dao: { spaceId: "sample.eth", name: "Sample", category: "defi", governor: undefined },
    space: undefined,
    proposals: [],
    ballots: new Map(held.map((ballot) => [ballot.proposalId, ballot])),
    entityIdOfVoter: new Map(),
    delegateLists: [],
    delegationEvents: [],
    names: new Map(),
    lastCompleteFetchMs: T,
    isArchive: false,
    ...rest,
  };
}

/** Scores a DAO as of a past day-end, T unless told otherwise. */
export function scoreSample(facts: DaoFacts, atMs: number = T) {
  return createDaoScorer(facts, () => undefined).scoreAt(atMs, true);
}

/** Points of a score; a gap fails the test by its reason. */
export function pointsOf(score: {
  readonly kind: string;
  readonly points?: number;
  readonly reason?: string;
}): number {
  if (score.points === undefined) throw new Error(`a gap: ${score.reason}`);
  return score.points;
}

/** The counted votes of a ballot whose voters are numbered from 0 already. */
export function sampleVotes(votes: readonly SampleVote[], proposalId = "p"): CountedVotes {
  return countedVotes(sampleProposalVotes(proposalId, votes), (voter) => voter);
}

/** A member of a frame with attention 1 unless told otherwise. */
export function sampleMember(
  votes: readonly SampleVote[],
  changes: Partial<Proposal> & {
    readonly id?: string;
    readonly endDaysAgo?: number;
    readonly attention?: number;
    readonly power?: number | undefined;
  } = {},
): FrameProposal {
  const { id = "p", attention = 1, power, ...rest } = changes;
  const counted = sampleVotes(votes, id);
  const proposal = sampleProposal(id, rest);
  return {
    proposal,
    endMs: proposal.end?.atMs ?? 0,
    power: "power" in changes ? power : counted.fetchedPower,
    attention,
    votes: counted,
  };
}

/** A frame of the members given, as of T; every one of them attended and held. */
export function sampleFrame(members: readonly FrameProposal[], changes: Partial<Frame> = {}): Frame {
  return {
    asOfMs: T,
    members,
    missing: [],
    attended: members,
    held: members,
    attentionSum: members.reduce((sum, { attention }) => sum + attention, 0),
    eligibleCount: members.length,
    excluded: [],
    ...changes,
  };
}

/** Heads where every one of so many voters is one. */
export function everyoneAlone(count: number): Int32Array {
  return Int32Array.from({ length: count }, (_, index) => index);
}
