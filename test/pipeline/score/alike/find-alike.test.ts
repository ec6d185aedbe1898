import { describe, expect, test } from "vitest";
import type { Agreement } from "../../../../pipeline/score/alike/agreement.ts";
import { type Alikeness, createAlikeFinder } from "../../../../pipeline/score/alike/find-alike.ts";
import { largestVoters } from "../../../../pipeline/score/alike/largest-voters.ts";
import { createBallotMerger } from "../../../../pipeline/score/alike/merge-ballot.ts";
import { collectVoterVotes } from "../../../../pipeline/score/alike/voter-votes.ts";
import type { Ballot } from "../../../../pipeline/score/frame/ballot.ts";
import { seededRandom } from "../../../faults/seeded-random.ts";
import { ballotOf } from "../sample-facts.ts";

type Cast = Parameters<typeof ballotOf>[0];
interface Attended {
  readonly ballot: Ballot;
  readonly attention: number;
}

const times = (
  count: number,
  votes: Cast,
  { attention = 1, agreement = undefined as Agreement | undefined } = {},
) => Array.from({ length: count }, (): Attended => ({ ballot: ballotOf(votes, agreement), attention }));
const nobody = () => false;
const findAlike = (
  ballots: readonly Attended[],
  voters: number,
  isLabelled = nobody as (voter: number) => boolean,
) => {
  const votes = collectVoterVotes(
    ballots.map(({ ballot }) => ballot),
    voters,
  );
  return createAlikeFinder(votes, isLabelled)(Float64Array.from(ballots, ({ attention }) => attention));
};

describe("voters that vote alike", () => {
  const alike: Cast = { 0: 2, 1: 1 };
  const differing = (choice: number): Cast => ({ 0: 2, 1: [1, choice] });
  const passed = (likeness: number) => (likeness - 0.5) / 0.2;
  test.each<[why: string, ballots: readonly Attended[], part: number]>([
    ["five times prove nothing", times(5, alike), 0],
    ["six times: 6/11", times(6, alike), passed(6 / 11)],
    ["twelve times are enough: 12/17", times(12, alike), 1],
    ["half of their votes differ", [...times(20, alike), ...times(20, differing(1))], 0],
    ["a fifth differs: 32/45", [...times(32, alike), ...times(8, differing(1))], 1],
    [
      "just over half, on many ballots: 36/71",
      [...times(36, alike), ...times(30, differing(1))],
      passed(36 / 71),
    ],
    ["the last bits of their choices differ", times(40, differing(1)), 0],
    ["the second bits differ", times(40, differing(2)), 0],
    ["only later bits differ", times(40, differing(4)), 0],
    ["one skips a third: 40/65", [...times(40, alike), ...times(20, { 0: 2, 2: 1 })], passed(40 / 65)],
    ["attention counts", times(12, alike, { attention: 0.5 }), passed(6 / 11)],
    [
      "ballots outside of the frame do not count",
      [...times(12, alike), ...times(40, differing(1), { attention: 0 })],
      1,
    ],
    ["other choices that agree by nine tenths: 36/45", times(40, differing(3), { agreement: () => 0.9 }), 1],
    ["by seven tenths: 28/45", times(40, differing(3), { agreement: () => 0.7 }), passed(28 / 45)],
  ])("%s", (_, ballots, part) => {
    const { receiverOf = [], partOf = [] } = findAlike(ballots, 3) ?? {};
    expect([receiverOf[0] ?? -1, receiverOf[1] ?? -1]).toStrictEqual([-1, part === 0 ? -1 : 0]);
    expect(partOf[1] ?? 0).toBeCloseTo(part, 9);
  });

  test("dust passes its power on, and receives none from a larger voter", () => {
    const dust = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [2 + at, 1e-9]));
    const found = findAlike(times(12, { 0: 2, 1: [1, 1], ...dust }), 152);
    expect([0, 1, 151].map((voter) => found?.receiverOf[voter])).toStrictEqual([-1, -1, 0]);
  });

  test("labelled entities are never merged, not even through a third", () => {
    const found = findAlike(times(12, { 0: 4, 1: 3, 2: 2, 3: 1 }), 4, (voter) => voter === 0 || voter === 2);
    expect([...(found?.receiverOf ?? [])]).toStrictEqual([-1, 0, -1, 0]);
  });

  test("the largest of equally alike voters receives, and of equally large ones the same whatever their numbers", () => {
    expect(findAlike(times(12, { 5: 1, 3: 2, 4: 3 }), 6)?.receiverOf[5]).toBe(0);
    for (const one of [0, 1]) {
      const other = 1 - one;
      const ballots = [...times(6, { [one]: 2, [other]: 1 }), ...times(6, { [one]: 1, [other]: 2 })];
      const found = findAlike(ballots, 2);
      expect([found?.receiverOf[one], found?.receiverOf[other]]).toStrictEqual([-1, 0]);
    }
  });

  test("only the hundred largest receive", () => {
    const votes = Array.from({ length: 102 }, (_, voter) => [200 - voter, Math.min(voter, 100)] as const);
    expect(findAlike(times(20, votes), 102)).toBeUndefined();
  });

  test("consecutive frames find what each frame finds alone", () => {
    const random = seededRandom(7);
    // Groups of three that vote alike and are about as large, half of the groups on each ballot; more voters than may
    // receive. The last one votes at first only.
    const ballots = Array.from({ length: 80 }, (_, at) => {
      const choices = Array.from({ length: 43 }, () =>
        random() < 0.5 ? Math.floor(3 * random()) : undefined,
      );
      const voters = Array.from({ length: at < 5 ? 130 : 129 }, (__, voter) => voter).filter(
        (voter) => voter === 129 || (choices[voter % 43] !== undefined && random() < 0.95),
      );
      const cast = voters.map((voter) => {
        const choice = random() < 0.05 ? 3 : (choices[voter % 43] ?? 0);
        return [
          voter,
          [voter === 129 ? 5000 : (10 + (voter % 43)) * (0.9 + 0.2 * random()), choice],
        ] as const;
      });
      return ballotOf(Object.fromEntries(cast));
    });
    const votes = collectVoterVotes(ballots, 130);
    const finder = createAlikeFinder(votes, (voter) => voter === 100);
    for (let from = 0; from <= 40; from += 1) {
      const attentions = new Float64Array(80)
        .fill(1, from, from + 40)
        .map((each, at) => each * (at % 7 === 0 ? 0.5 : 1));
      const alone = createAlikeFinder(votes, (voter) => voter === 100)(attentions);
      expect(alone).toBeDefined();
      expect(structuredClone(finder(attentions)), `from ${from}`).toStrictEqual(alone);
    }
  });
});

describe("the largest voters", () => {
  const ballots = (...powers: readonly (readonly number[])[]) => powers.map((own) => ballotOf(own));
  test.each<[why: string, sizes: number[], ballots: Ballot[], order: number[]]>([
    ["come first", [1, 3, 2], ballots([1, 3, 2]), [1, 2, 0]],
    ["have power", [1, 0, 2], ballots([1, 1, 2]), [2, 0]],
    ["are ordered by the first ballot if equal", [3, 3], ballots([1, 2], [2, 1]), [1, 0]],
    ["or by the next one", [3, 3, 9], ballots([1, 1, 3], [2, 1, 3], [1, 2, 3]), [2, 0, 1]],
    [
      "or by the lower choice",
      [3, 3],
      [
        ballotOf([
          [1, 1],
          [1, 0],
        ]),
      ],
      [1, 0],
    ],
    ["are none of no voters", [], [], []],
  ])("%s", (_, sizes, of, order) => {
    expect(largestVoters(of, Float64Array.from(sizes), nobody)).toStrictEqual(order);
  });

  test("are the labelled ones among voters that are equal in everything", () => {
    const isLabelled = (voter: number) => voter === 1;
    expect(largestVoters(ballots([1, 1]), Float64Array.of(1, 1), isLabelled)).toStrictEqual([1, 0]);
  });

  test("are a hundred of very many, with ties at the end decided by their records", () => {
    const sizes = Float64Array.from({ length: 20_000 }, (_, at) => (at % 200 === 0 ? 1000 - at / 200 : 1));
    expect(largestVoters([], sizes, nobody)).toStrictEqual(Array.from({ length: 100 }, (_, at) => 200 * at));
    const powers = Array.from({ length: 150 }, (_, voter) => (voter < 99 ? 2 : voter === 120 ? 1.5 : 1));
    const tied = Float64Array.from({ length: 150 }, (_, voter) => (voter < 99 ? 2 : 1));
    const found = largestVoters(ballots(powers), tied, nobody);
    expect([found.length, found.at(-1)]).toStrictEqual([100, 120]);
  });
});

describe("a merged ballot", () => {
  type Passes = Readonly<Record<number, readonly [rank: number, part: number]>>;
  /** Voters 0 to 2 are the largest, in this order; each pair says who passes which part to which rank. */
  const alike = (passes: Passes): Alikeness => ({
    rankOfVoter: Int32Array.from({ length: 6 }, (_, voter) => (voter < 3 ? voter : -1)),
    ranksCount: 3,
    receiverOf: Int32Array.from({ length: 6 }, (_, voter) => passes[voter]?.[0] ?? -1),
    partOf: Float64Array.from({ length: 6 }, (_, voter) => passes[voter]?.[1] ?? 0),
  });

  const three = { 0: 0.5, 1: 0.25, 3: 0.25 };
  test.each<[why: string, powers: Cast, passes: Passes, merged: number[]]>([
    ["holds all of what was passed on", three, { 3: [0, 1] }, [0.75, 0.25, 0]],
    ["or a part", three, { 3: [0, 0.5] }, [0.625, 0.25, 0.125]],
    ["passes on what was received, smallest first", three, { 3: [1, 1], 1: [0, 0.5] }, [0.75, 0.25, 0]],
    ["has the receiver above a giver that is larger here", { 0: 0.125, 1: 0.875 }, { 1: [0, 1] }, [1, 0]],
  ])("%s", (_, powers, passes, merged) => {
    const found = createBallotMerger(alike(passes))(ballotOf(powers));
    expect([...found.shares]).toStrictEqual(merged);
    expect([...found.ascending]).toStrictEqual(merged.toSorted((a, b) => a - b));
  });

  test("is the ballot itself if no receiver voted", () => {
    const own = ballotOf({ 1: 0.5, 3: 0.5 });
    expect(createBallotMerger(alike({ 3: [0, 1] }))(own)).toBe(own);
  });

  test("has the same sum of many small parts in any order", () => {
    const merged = (...small: readonly number[]) => {
      const powers = Object.fromEntries([[0, 0.65], ...small.map((power, at) => [3 + at, power])]);
      return createBallotMerger(alike({ 3: [0, 0.3], 4: [0, 0.3], 5: [0, 0.3] }))(ballotOf(powers)).shares[0];
    };
    expect(merged(0.05, 0.1, 0.2)).toBe(merged(0.1, 0.2, 0.05));
  });
});
