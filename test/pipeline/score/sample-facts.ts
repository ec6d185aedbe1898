import type { DaoFacts } from "../../../pipeline/facts/dao-facts.ts";
import type { Proposal } from "../../../pipeline/facts/proposal.ts";
import { type Choice, type ProposalVotes, VOTE_FLAGS } from "../../../pipeline/facts/proposal-votes.ts";
import type { Agreement } from "../../../pipeline/score/alike/agreement.ts";
import {
  type Ballot,
  type BallotVotes,
  cappedShares,
  createElectorate,
  readBallot,
} from "../../../pipeline/score/frame/ballot.ts";
import { createDaoMeasurer, type DaoMeasurer } from "../../../pipeline/score/measure-dao.ts";
import type { DaoMeasures, ProposalMeasures } from "../../../pipeline/score/method/measures.ts";
import { type DaoScore, scoreMeasures } from "../../../pipeline/score/score-measures.ts";

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
  const keys = [...new Set(sorted.map((vote) => JSON.stringify(choiceOf(vote))))].sort();
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
    quorumPower: undefined,
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
    confirmations: [],
    names: new Map(),
    lastCompleteFetchMs: T,
    isArchive: false,
    ...rest,
  };
}

/** The measurer of a DAO in which no two authors are one entity. */
export function measurerOf(facts: DaoFacts): DaoMeasurer {
  return createDaoMeasurer(facts, () => undefined);
}

/** Measures a DAO as of a moment, T unless told otherwise. */
export function measureSample(facts: DaoFacts, atMs: number = T): DaoMeasures {
  return measurerOf(facts).measureAt(atMs);
}

/** Scores a DAO as of a moment, T unless told otherwise. */
export function scoreSample(facts: DaoFacts, atMs: number = T): DaoScore {
  return scoreMeasures(measureSample(facts, atMs));
}

const { proposals: ordinary } = measureSample(
  sampleDao({
    proposals: [sampleProposal("a", { endDaysAgo: 0 })],
    held: [sampleProposalVotes("a", [{ voter: 0 }])],
  }),
);

/** What is measured otherwise than on a ballot of one voter. */
export type MeasuresChange = Partial<Omit<ProposalMeasures, "marks">> & {
  readonly marks?: Partial<ProposalMeasures["marks"]>;
};

/** Measures of a DAO as of T of which nothing is known but such proposals. */
export function sampleMeasures(changes: readonly MeasuresChange[]): DaoMeasures {
  const proposals = changes.flatMap((change) =>
    ordinary.map((measured) => ({ ...measured, ...change, marks: { ...measured.marks, ...change.marks } })),
  );
  return { ...measureSample(sampleDao()), proposals };
}

/** The ballot of votes whose voters are numbered in their order; `entities` by voter. */
export function sampleBallot(
  votes: readonly SampleVote[],
  entities: ReadonlyMap<number, string> = new Map(),
): BallotVotes {
  const packed = sampleProposalVotes("p", votes);
  return readBallot(packed, createElectorate([packed], entities), "basic");
}

/** A ballot by voter: the power of each, with the index of its choice where that is not 0. */
export function ballotOf(
  votes: Readonly<Record<number, number | readonly [power: number, choice: number]>>,
  agreement?: Agreement,
): Ballot {
  const pairs = Object.values(votes).map((vote) => (typeof vote === "number" ? ([vote, 0] as const) : vote));
  const validPower = pairs.reduce((sum, [power]) => sum + power, 0);
  const shares = Float64Array.from(pairs, ([power]) => power / validPower);
  const ascending = shares.slice().sort();
  return {
    voters: Int32Array.from(Object.keys(votes), Number),
    shares,
    choices: Uint32Array.from(pairs, ([, choice]) => choice),
    agreement,
    ascending,
    capped: cappedShares(shares, ascending),
    validPower,
    knownCount: pairs.length,
    fetchedCount: pairs.length,
  };
}
