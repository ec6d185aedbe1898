import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Proposal } from "../../../pipeline/facts/proposal.ts";
import { type ProposalVotes, VOTE_FLAGS } from "../../../pipeline/facts/proposal-votes.ts";
import { createDaoMeasurer } from "../../../pipeline/score/measure-dao.ts";
import { ifScored, scoreMeasures } from "../../../pipeline/score/score-measures.ts";
import { seededRandom } from "../../faults/seeded-random.ts";
import { buildRandomDao, randomDaoSpec, SHRINK_LIMITS } from "../../support/random-dao.ts";
import {
  crowdOn,
  factsOf,
  honestDao,
  type OpenProposal,
  ownProposals,
  sealed,
  splitWhale,
} from "./attacked-dao.ts";
import { expectSame, plainScore } from "./plain-score.ts";
import {
  DAY,
  measurerOf,
  measureSample,
  type SampleVote,
  sampleDao,
  sampleProposal,
  scoreSample,
  T,
} from "./sample-facts.ts";

test("a plain second reading of the method gives the same numbers", () => {
  let scored = 0;
  let judged = 0;
  fc.assert(
    fc.property(
      randomDaoSpec,
      fc.constantFrom(0, 0, 1, 30.5, 100, -5),
      fc.boolean(),
      (spec, daysAgo, isArchive) => {
        const facts = { ...buildRandomDao(spec), isArchive };
        const atMs = T - daysAgo * DAY;
        const measurer = createDaoMeasurer(facts, (author) => (author === "0xa" ? "0xb" : undefined));
        const score = scoreMeasures(measurer.measureAt(atMs));
        expectSame(
          score,
          plainScore(facts, atMs, (author) => (author === "0xa" ? "0xb" : author)),
        );
        if (score.unscored === undefined) scored += 1;
        if (measurer.measureAt(atMs).continuities.length > 0) judged += 1;
      },
    ),
    { numRuns: 300, ...SHRINK_LIMITS },
  );
  expect(scored, "the generator must make DAOs that can be scored").toBeGreaterThan(20);
  expect(judged, "and new strategies with other voters").toBeGreaterThan(20);
});

const honest = honestDao(1);
const before = scoreSample(factsOf(honest));
const moved = (attacked: readonly OpenProposal[]) => {
  const { gvs, risk } = scoreSample(factsOf(attacked));
  return {
    gvs: Math.abs(gvs.point - before.gvs.point),
    risk: Math.abs((risk?.score.point ?? 0) - (before.risk?.score.point ?? 0)),
  };
};
/** Each proposal with more votes on it, of a part of the power it had. */
const joined = (
  votesOf: (proposal: Proposal, total: number, random: () => number) => SampleVote[],
): OpenProposal[] => {
  const random = seededRandom(99);
  return honest.map(({ proposal, votes }) =>
    sealed(proposal, [...votes, ...votesOf(proposal, proposal.scoresTotal ?? 0, random)]),
  );
};

describe("what costs almost no power moves no score", () => {
  type Crowd = Omit<Parameters<typeof crowdOn>[2], "power"> & {
    readonly share: number;
    readonly reason?: boolean;
  };
  const joinedBy = ({ share, reason = true, ...crowd }: Crowd) =>
    joined((proposal, total, random) =>
      crowdOn(proposal, random, { ...crowd, power: total * share }).map((vote) => ({ ...vote, reason })),
    );
  test.each<[why: string, bound: number, attacked: () => OpenProposal[]]>([
    [
      "300 junk proposals with 50 wallets each",
      0.0005,
      () => [
        ...honest,
        ...ownProposals(300, 5, (proposal, random) =>
          crowdOn(proposal, random, { count: 50, power: 1, isBurst: true }),
        ),
      ],
    ],
    [
      "15 wallets at a millionth with reasons",
      0.002,
      () => joinedBy({ count: 15, share: 1e-6, isBurst: false }),
    ],
    ["50 in one burst", 0.002, () => joinedBy({ count: 50, share: 1e-6, isBurst: true })],
    ["1,000 wallets at a billionth", 0.001, () => joinedBy({ count: 1000, share: 1e-9, isBurst: true })],
    ["one minimal vote more", 0.0005, () => joined((_, total) => [{ voter: 99_999, power: total * 1e-9 }])],
    [
      "1,000 wallets at a millionth: a thousandth of the power",
      0.03,
      () => joinedBy({ count: 1000, share: 1e-6, isBurst: true, reason: false }),
    ],
  ])("%s", (_, bound, attacked) => {
    const { gvs, risk } = moved(attacked());
    expect(gvs).toBeLessThan(bound);
    expect(risk).toBeLessThan(0.1);
  });
});

test("a whale split in ten lifts the high end and not the low one", () => {
  // Without reasons, as ten wallets with one each weigh more in the rationale than a single one; and with a whale of its
  // own mind, as the piece that gathers the others would pass part of them on to a larger voter it agrees with.
  const silent = honest.map(({ proposal, votes }) => ({
    proposal,
    votes: votes.map((vote) => ({
      ...vote,
      reason: false,
      choice: vote.voter === 0 ? 3 : (vote.choice ?? 1),
    })),
  }));
  const whole = scoreSample(factsOf(silent)).gvs;
  for (const everyS of [0, 61]) {
    const split = scoreSample(factsOf(splitWhale(silent, 0, everyS))).gvs;
    expect(Math.abs(split.low - whole.low)).toBeLessThan(0.01);
    expect(split.high - whole.high).toBeGreaterThan(0.01);
    expect(split.point - whole.point).toBeLessThan(0.4);
  }
});

/** A row of days of many lengths and steps: each day, and with gaps in which the frame is another. */
const daysAgo = fc
  .record({
    from: fc.integer({ min: 0, max: 900 }),
    steps: fc.array(fc.constantFrom(1, 1, 1, 2, 7, 60, 400), { minLength: 1, maxLength: 14 }),
  })
  .map(({ from, steps }) =>
    [0, ...steps].map((_, index) => steps.slice(0, index).reduce((ago, step) => ago - step, from)),
  );

test("a row of days measured in one pass is, to the bit, each day measured alone", () => {
  let scored = 0;
  fc.assert(
    fc.property(randomDaoSpec, daysAgo, (spec, days) => {
      const facts = buildRandomDao(spec);
      const measurer = measurerOf(facts);
      for (const ago of days) {
        const measures = measurer.measureAt(T - ago * DAY);
        const alone = measureSample(facts, T - ago * DAY);
        expect(measures).toStrictEqual(alone);
        const score = scoreMeasures(measures);
        expect(score).toStrictEqual(scoreMeasures(alone));
        const { concentration: _, ...dayScore } = score;
        expect(ifScored(measures)).toStrictEqual(score.unscored === undefined ? dayScore : undefined);
        if (score.unscored === undefined) scored += 1;
      }
    }),
    SHRINK_LIMITS,
  );
  expect(scored, "the generator must make days that can be scored").toBeGreaterThan(50);
});

test("one day later without a proposal ending moves little, also while a DAO that stopped dead fades away", () => {
  const measurer = measurerOf(factsOf(honestDao(3)));
  const at = (daysLater: number) =>
    scoreMeasures({ ...measurer.measureAt(T + daysLater * DAY), fetchedAtMs: Infinity });
  const steps = Array.from({ length: 200 }, (_, day) => [at(day), at(day + 1)] as const);
  const movesOf = (of: (score: ReturnType<typeof at>) => number) =>
    steps.map(([before, after]) => Math.abs(of(after) - of(before)));
  const gvs = movesOf((score) => score.gvs.point);
  const isPresent = steps.map(([before, after]) => before.presence[0] === after.presence[0]);
  expect(isPresent.filter((is) => is).length).toBeGreaterThan(80);
  expect(Math.max(...gvs.filter((_, day) => isPresent[day]))).toBeLessThan(0.05);
  // Presence falls by 1/60 a day at most; with every component at 10 that would be .17 points.
  expect(Math.max(...gvs)).toBeLessThan(0.12);
  expect(Math.max(...movesOf((score) => score.risk?.score.point ?? 0))).toBeLessThan(1.4);
  expect(at(200).gvs.point).toBe(0);
});

/** A permutation of 0..19 and far larger numbers, from a seed. */
function renumbering(seed: number): (voter: number) => number {
  const order = Array.from({ length: 20 }, (_, index) => index).sort(
    (a, b) => (((a + 1) * (seed + 7919)) % 104729) - (((b + 1) * (seed + 7919)) % 104729),
  );
  return (voter) => (order[voter] ?? voter) * 1000 + seed;
}

test("measures name the quorum and the power that counts for it, from which its mark follows", () => {
  const proposals = [undefined, 0, 75].map((quorumPower, index) =>
    sampleProposal(`q${index}`, { endDaysAgo: 9 - index, scoresTotal: 100, quorum: 100, quorumPower }),
  );
  expect(
    measureSample(sampleDao({ proposals })).proposals.map(({ quorum, quorumPower, marks }) => [
      quorum,
      quorumPower,
      marks.quorum,
    ]),
  ).toEqual([
    [100, undefined, [1, 1]],
    [100, 0, [0, 0]],
    [100, 75, [0.5, 0.5]],
  ]);
});

test("the order of votes, the numbers of voters and the ids of entities change no bit", () => {
  let merged = 0;
  fc.assert(
    fc.property(randomDaoSpec, fc.nat(5000), (spec, seed) => {
      const facts = buildRandomDao(spec);
      const entityIdOf = (entity: number) => `z${9 - entity}`;
      const other = buildRandomDao(spec, { numberOf: renumbering(seed), entityIdOf, isReversed: true });
      expect(measureSample(other)).toStrictEqual(measureSample(facts));
      const pairs = measureSample(facts).proposals.map(({ marks }) => marks.effective ?? [0, 0]);
      merged += pairs.filter(([low, high]) => low < high).length;
    }),
    SHRINK_LIMITS,
  );
  // How many depends on the seed (11 were seen); none would mean that the property says nothing of merging.
  expect(merged, "the generator must make wallets that vote alike").toBeGreaterThan(0);
});

test("untimed votes change not_batch alone", () => {
  const untimed = (votes: ProposalVotes): ProposalVotes => ({
    ...votes,
    timesS: votes.timesS.map(() => 0),
    flags: votes.flags.map((flags) => flags & ~VOTE_FLAGS.timeKnown),
  });
  fc.assert(
    fc.property(randomDaoSpec, (spec) => {
      const facts = buildRandomDao(spec);
      const ballots = new Map([...facts.ballots].map(([id, votes]) => [id, untimed(votes)]));
      const strip = ({ proposals, ...rest }: ReturnType<typeof measureSample>) => ({
        ...rest,
        proposals: proposals.map(({ marks: { not_batch: _, ...marks }, ...line }) => ({ ...line, marks })),
      });
      const found = measureSample({ ...facts, ballots });
      expect(strip(found)).toStrictEqual(strip(measureSample(facts)));
      for (const { marks } of found.proposals)
        if (marks.not_batch) expect(marks.not_batch).toStrictEqual([0, 1]);
      expect(scoreSample({ ...facts, ballots }).risk?.checkpointVotingPct ?? 0).toBe(0);
    }),
    { numRuns: 60, ...SHRINK_LIMITS },
  );
});
