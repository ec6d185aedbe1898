import fc from "fast-check";
import type { DaoFacts } from "../../pipeline/facts/dao-facts.ts";
import type { Proposal, VotingType } from "../../pipeline/facts/proposal.ts";
import { type Choice, VOTE_FLAGS } from "../../pipeline/facts/proposal-votes.ts";
import {
  DAY,
  type SampleVote,
  sampleDao,
  sampleProposal,
  sampleProposalVotes,
  T,
} from "../pipeline/score/sample-facts.ts";

const HOUR = DAY / 24;

/** Voting powers of many orders of magnitude, with many equal ones, and none. */
const power = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(100, 200, 300, 1000) },
  { weight: 3, arbitrary: fc.double({ min: 1e-3, max: 1e3, noNaN: true }) },
  { weight: 1, arbitrary: fc.constantFrom(0, 1e-9, 2e-4, 1e-3, 5000) },
);

const vote = fc.record({
  voter: fc.oneof(fc.nat(19), fc.nat(5)),
  power,
  isPowerUnknown: fc.constantFrom(...Array<boolean>(200).fill(false), true),
  /** Position in the voting period, on a grid so that times coincide. */
  elapsed: fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(0, 0.25, 0.2501, 0.5, 0.9999, 1) },
    { weight: 5, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
  ),
  choice: fc.constantFrom(1, 1, 2, 3),
  isTimed: fc.constantFrom(...Array<boolean>(9).fill(true), false),
  flags: fc.constantFrom(...Array<number>(40).fill(0), VOTE_FLAGS.outsideWindow, VOTE_FLAGS.choiceUnreadable),
  reason: fc.constantFrom(undefined, true, false, false),
});

const proposal = fc.record({
  endHoursAgo: fc.oneof(
    { weight: 6, arbitrary: fc.nat(24 * 200) },
    { weight: 2, arbitrary: fc.nat(24 * 760) },
    { weight: 2, arbitrary: fc.constantFrom(0, 24 * 90, 24 * 180, 24 * 730, 48, 48, 72, -24) },
  ),
  periodHours: fc.constantFrom(1, 24, 72, 120, 168, 240),
  delayHours: fc.option(fc.nat(60), { nil: undefined }),
  isDayOnly: fc.constantFrom(false, false, false, false, true),
  unit: fc.constantFrom(undefined, undefined, "a", "b"),
  votingType: fc.constantFrom<VotingType | undefined>("basic", "basic", "weighted", "approval", undefined),
  discussion: fc.constantFrom(undefined, "", "https://forum.example/t/1", "mailto:a@b.example"),
  quorum: fc.constantFrom(undefined, undefined, 0, 1, 50, 1e4),
  isQuorumRejection: fc.constantFrom(false, false, false, true),
  quorumShare: fc.constantFrom(undefined, undefined, 0, 0.4, 1),
  author: fc.constantFrom(undefined, "0xa", "0xb", "0xc", "0xd"),
  state: fc.constantFrom<Proposal["state"]>(
    ...Array<"closed">(16).fill("closed"),
    undefined,
    "active",
    "cancelled",
  ),
  isShutter: fc.constantFrom(false, false, false, true),
  isTotalKnown: fc.boolean(),
  isCountKnown: fc.boolean(),
  isVotesHeld: fc.constantFrom(...Array<boolean>(12).fill(true), false),
  votes: fc.oneof(
    { weight: 5, arbitrary: fc.array(vote, { minLength: 12, maxLength: 40, size: "max" }) },
    { weight: 1, arbitrary: fc.array(vote, { maxLength: 12 }) },
  ),
});

/** Ends only the shrinking of a failing DAO, whose seed is printed; a busy machine runs all cases in less. */
export const SHRINK_LIMITS = { interruptAfterTimeLimit: 180_000 } as const;

/** The description of a small random DAO, from which variants can be built: other numbers, orders and entities. */
export const randomDaoSpec = fc.record({
  proposals: fc.array(proposal, { maxLength: 44, size: "max" }),
  /** Voters 0..2n−1 vote in pairs: the odd one votes at the same time and with the same choice as the even one. */
  pairs: fc.nat(4),
  entities: fc.array(fc.option(fc.nat(2), { nil: undefined }), { minLength: 20, maxLength: 20 }),
  space: fc.option(
    fc.record({
      name: fc.constant("Sample"),
      website: fc.constantFrom(undefined, "https://dao.example/"),
      forum: fc.constant(undefined),
      isProposingGated: fc.option(fc.boolean(), { nil: undefined }),
      hasFixedPeriod: fc.option(fc.boolean(), { nil: undefined }),
      quorum: fc.constantFrom(undefined, 0, 5, 1e5),
      adminsAndModeratorsCount: fc.option(fc.nat(4), { nil: undefined }),
      isFlagged: fc.constantFrom(undefined, false),
      isHibernated: fc.constant(undefined),
      isVerified: fc.constant(undefined),
    }),
    { nil: undefined },
  ),
});
export type RandomDaoSpec = typeof randomDaoSpec extends fc.Arbitrary<infer Spec> ? Spec : never;
type ProposalSpec = RandomDaoSpec["proposals"][number];

/** Variants of a spec that are still the same DAO. */
export interface BuildOptions {
  readonly numberOf?: (voter: number) => number;
  readonly entityIdOf?: (entity: number) => string;
  readonly isReversed?: boolean;
}

function timesOf(spec: ProposalSpec): Pick<Proposal, "created" | "start" | "end"> {
  const precision = spec.isDayOnly ? ("day" as const) : ("second" as const);
  const endMs = T - spec.endHoursAgo * HOUR;
  const lastOfDay = Math.floor(endMs / DAY) * DAY + DAY - 1;
  const startMs = endMs - spec.periodHours * HOUR;
  return {
    end: { atMs: spec.isDayOnly ? lastOfDay : endMs, precision },
    start: { atMs: spec.isDayOnly ? Math.floor(startMs / DAY) * DAY : startMs, precision },
    created:
      spec.delayHours === undefined
        ? undefined
        : { atMs: startMs - spec.delayHours * HOUR, precision: "second" },
  };
}

function choiceOf(spec: ProposalSpec, option: number): Choice {
  if (spec.votingType === "approval") return { kind: "list", options: option === 1 ? [1] : [1, option] };
  if (spec.votingType === "weighted" && option > 1)
    return {
      kind: "weights",
      weights:
        option === 2
          ? [
              [1, 1],
              [2, 2],
            ]
          : [
              [1, 0],
              [2, 0],
            ],
    };
  return { kind: "single", option };
}

/** Votes of one proposal, one per voter; pairs vote alike. */
function votesOf(spec: ProposalSpec, pairs: number, numberOf: (voter: number) => number): SampleVote[] {
  const byVoter = new Map(spec.votes.map((item) => [item.voter, item]));
  for (let even = 0; even < pairs * 2; even += 2) {
    const leader = byVoter.get(even);
    if (leader !== undefined) byVoter.set(even + 1, { ...leader, ...byVoter.get(even + 1), voter: even + 1 });
  }
  const endMs = T - spec.endHoursAgo * HOUR;
  return [...byVoter.values()].map((item) => {
    const leader = item.voter % 2 === 1 && item.voter < pairs * 2 ? byVoter.get(item.voter - 1) : undefined;
    const { elapsed, choice, isTimed } = leader ?? item;
    const atMs = endMs - (1 - elapsed) * spec.periodHours * HOUR;
    return {
      // Under strategies of their own mostly others vote.
      voter: numberOf(spec.unit === "b" && item.voter > 2 ? item.voter + 20 : item.voter),
      power: item.power,
      isPowerUnknown: item.isPowerUnknown,
      atMs: isTimed ? Math.floor(atMs / 1000) * 1000 : undefined,
      dayMs: Math.floor(atMs / DAY) * DAY,
      choice: choiceOf(spec, choice),
      reason: item.reason,
      flags: item.flags,
    };
  });
}

/** Builds the facts of a spec. */
export function buildRandomDao(spec: RandomDaoSpec, options: BuildOptions = {}): DaoFacts {
  const numberOf = options.numberOf ?? ((voter) => voter);
  const entityIdOf = options.entityIdOf ?? ((entity) => `entity ${entity}`);
  const parts = spec.proposals.map((item, index) => {
    const proposalId = `p${String(index).padStart(2, "0")}`;
    const votes = votesOf(item, spec.pairs, numberOf);
    const sum = votes.reduce(
      (total, { isPowerUnknown, power: vp }) => total + (isPowerUnknown ? 0 : (vp ?? 0)),
      0,
    );
    return {
      proposal: sampleProposal(proposalId, {
        link: item.isTotalKnown ? `https://vote.example/#/proposal/${proposalId}` : undefined,
        ...timesOf(item),
        author: item.author,
        votingType: item.votingType,
        discussion: item.discussion,
        quorum: item.quorum,
        isQuorumRejection: item.isQuorumRejection,
        quorumPower: item.quorumShare === undefined ? undefined : item.quorumShare * sum,
        state: item.state,
        strategiesKey: item.unit,
        isShutter: item.isShutter,
        scoresTotal: item.isTotalKnown ? sum : undefined,
        votesCount: item.isCountKnown ? votes.length : undefined,
      }),
      held: item.isVotesHeld ? [sampleProposalVotes(proposalId, votes)] : [],
    };
  });
  const endOf = (item: { readonly proposal: Proposal }): number => item.proposal.end?.atMs ?? 0;
  parts.sort((a, b) => endOf(a) - endOf(b) || (a.proposal.proposalId < b.proposal.proposalId ? -1 : 1));
  const held = parts.flatMap((part) => part.held);
  return sampleDao({
    proposals: parts.map((part) => part.proposal),
    held: options.isReversed ? held.reverse() : held,
    space: spec.space,
    entityIdOfVoter: new Map(
      spec.entities.flatMap((entity, voter) =>
        entity === undefined ? [] : [[numberOf(voter), entityIdOf(entity)] as const],
      ),
    ),
  });
}
