import { describe, expect, test } from "vitest";
import type { Agreement } from "../../../../pipeline/score/alike/agreement.ts";
import type { Alikeness } from "../../../../pipeline/score/alike/find-alike.ts";
import { largestVoters } from "../../../../pipeline/score/alike/largest-voters.ts";
import { createBallotMerger } from "../../../../pipeline/score/alike/merge-ballot.ts";
import { collectVoterVotes, createVoteComparer } from "../../../../pipeline/score/alike/voter-votes.ts";
import { type Ballot, cappedShares } from "../../../../pipeline/score/frame/ballot.ts";
import { sampleBallot } from "../sample-facts.ts";

test("the votes of each voter lie together, by ballot, and each ballot knows where its own are", () => {
  const first = sampleBallot([
    { voter: 2, power: 3, choice: 1 },
    { voter: 0, power: 1 },
  ]).ballot;
  const second = { ...first, voters: Int32Array.of(3, 1), choices: Uint32Array.of(1, 0) };
  const votes = collectVoterVotes([first, second], 5);
  const found = Array.from({ length: 5 }, (_, voter) =>
    Array.from({ length: (votes.starts[voter + 1] ?? 0) - (votes.starts[voter] ?? 0) }, (__, at) => {
      const vote = (votes.starts[voter] ?? 0) + at;
      return [votes.ballotOf[vote], votes.shares[vote], votes.choices[vote], votes.capped[vote]];
    }),
  );
  const of = (at: number, index: number, position: number) => [
    index,
    first.shares[position],
    [first, second][at]?.choices[position],
    first.capped[position],
  ];
  expect(found).toStrictEqual([[of(0, 0, 0)], [of(0, 0, 1), of(1, 1, 1)], [], [of(1, 1, 0)], []]);
  expect(votes.votesOf).toStrictEqual([Int32Array.of(0, 1), Int32Array.of(3, 2)]);
});

/** A ballot of two equal voters; −1 is who did not vote. */
function ballot(choices: readonly [one: number, other: number], agreement?: Agreement): Ballot {
  const voters = Int32Array.from([0, 1].filter((voter) => (choices[voter] ?? -1) >= 0));
  const shares = new Float64Array(voters.length).fill(1 / voters.length);
  return {
    voters,
    shares,
    choices: Uint32Array.from(voters, (voter) => choices[voter] ?? 0),
    agreement,
    ascending: shares,
    capped: cappedShares(shares, shares),
    validPower: voters.length,
    knownCount: voters.length,
    fetchedCount: voters.length,
  };
}

test.each([
  { why: "the same", choices: [1, 1], atMost: 1, same: 1, both: 1 },
  { why: "the last bits differ", choices: [0, 1], atMost: 0, same: 0, both: 1 },
  { why: "the second bits differ", choices: [0, 2], atMost: 0, same: 0, both: 1 },
  { why: "only later bits differ", choices: [1, 5], atMost: 1, same: 0, both: 1 },
  { why: "the first choice and no vote", choices: [0, -1], atMost: 0, same: 0, both: 0 },
  { why: "no vote and the first choice", choices: [-1, 0], atMost: 0, same: 0, both: 0 },
] as const)("$why, on one ballot and on seventy", ({ choices, atMost, same, both }) => {
  for (const count of [1, 32, 33, 70]) {
    // One before the frame and one after it, which do not count.
    const ballots = Array.from({ length: count + 2 }, () => ballot(choices));
    const attentions = new Float64Array(count + 2).fill(0.5, 1, count + 1);
    const comparer = createVoteComparer(collectVoterVotes(ballots, 2), -1);
    comparer.startFrame(attentions);
    expect(comparer.sameAtMost(0, 1)).toBe(count * atMost);
    expect(comparer.compare(0, 1)).toStrictEqual({ same: (count * same) / 2, both: (count * both) / 2 });
    // The next frame is another.
    comparer.startFrame(attentions.map(() => 1));
    expect(comparer.sameAtMost(0, 1)).toBe((count + 2) * atMost);
    expect(comparer.compare(1, 0)).toStrictEqual({ same: (count + 2) * same, both: (count + 2) * both });
  }
});

test("different choices that agree in part count with that part, and may be as many as all", () => {
  const graded = (count: number) => Array.from({ length: count }, () => ballot([0, 3], () => 0.25));
  const comparer = createVoteComparer(collectVoterVotes([...graded(40), ballot([0, 3])], 2), -1);
  comparer.startFrame(new Float64Array(41).fill(0.5));
  expect(comparer.sameAtMost(0, 1)).toBe(40);
  expect(comparer.compare(0, 1)).toStrictEqual({ same: 40 * 0.5 * 0.25, both: 41 * 0.5 });
  expect(comparer.compare(1, 0)).toStrictEqual(comparer.compare(0, 1));
});

test("only voters of more votes than asked for are compared, ascending", () => {
  const votes = collectVoterVotes([ballot([0, 0]), ballot([0, -1]), ballot([0, 1])], 3);
  expect([...createVoteComparer(votes, 1).voters]).toStrictEqual([0, 1]);
  expect([...createVoteComparer(votes, 2).voters]).toStrictEqual([0]);
  expect([...createVoteComparer(votes, 3).voters]).toStrictEqual([]);
});

const ballots = (...powers: readonly (readonly number[])[]) =>
  powers.map((own) => sampleBallot(own.map((power, voter) => ({ voter, power }))).ballot);
const nobody = () => false;

test.each([
  { why: "largest first", sizes: [1, 3, 2], of: ballots([1, 3, 2]), order: [1, 2, 0] },
  { why: "no power is nobody", sizes: [1, 0, 2], of: ballots([1, 1, 2]), order: [2, 0] },
  { why: "equal ones by the first ballot", sizes: [3, 3], of: ballots([1, 2], [2, 1]), order: [1, 0] },
  { why: "or the next", sizes: [3, 3, 9], of: ballots([1, 1, 3], [2, 1, 3], [1, 2, 3]), order: [2, 0, 1] },
  { why: "nobody", sizes: [], of: [], order: [] },
])("$why", ({ sizes, of, order }) => {
  expect(largestVoters(of, Float64Array.from(sizes), nobody)).toStrictEqual(order);
});

test("of those that are equal in everything the labelled come first", () => {
  expect(largestVoters(ballots([1, 1]), Float64Array.of(1, 1), (voter) => voter === 1)).toStrictEqual([1, 0]);
});

test("the hundred largest of very many, ties at the end of them by their records", () => {
  const sizes = Float64Array.from({ length: 20_000 }, (_, voter) =>
    voter % 200 === 0 ? 1000 - voter / 200 : 1,
  );
  expect(largestVoters([], sizes, nobody)).toStrictEqual(Array.from({ length: 100 }, (_, at) => 200 * at));
  const powers = Array.from({ length: 150 }, (_, voter) => (voter < 99 ? 2 : voter === 120 ? 1.5 : 1));
  const tied = Float64Array.from({ length: 150 }, (_, voter) => (voter < 99 ? 2 : 1));
  const found = largestVoters(ballots(powers), tied, nobody);
  expect(found).toHaveLength(100);
  expect(found.at(-1)).toBe(120);
});

describe("merge ballot", () => {
  function ballot(powers: Readonly<Record<number, number>>): Ballot {
    const shares = Float64Array.from(Object.values(powers));
    const ascending = shares.slice().sort();
    const count = shares.length;
    return {
      voters: Int32Array.from(Object.keys(powers), Number),
      shares,
      choices: new Uint32Array(count),
      agreement: undefined,
      ascending,
      capped: cappedShares(shares, ascending),
      validPower: 1,
      knownCount: count,
      fetchedCount: count,
    };
  }

  /** Voters 0 to 2 are the largest, in this order; each pair says who passes which part to which rank. */
  const alike = (passes: Readonly<Record<number, readonly [rank: number, part: number]>>): Alikeness => ({
    rankOfVoter: Int32Array.from({ length: 6 }, (_, voter) => (voter < 3 ? voter : -1)),
    ranksCount: 3,
    receiverOf: Int32Array.from({ length: 6 }, (_, voter) => passes[voter]?.[0] ?? -1),
    partOf: Float64Array.from({ length: 6 }, (_, voter) => passes[voter]?.[1] ?? 0),
  });

  test.each([
    {
      why: "all of it",
      powers: { 0: 0.5, 1: 0.25, 3: 0.25 },
      passes: { 3: [0, 1] as const },
      merged: [0.75, 0.25, 0],
    },
    {
      why: "a part",
      powers: { 0: 0.5, 1: 0.25, 3: 0.25 },
      passes: { 3: [0, 0.5] as const },
      merged: [0.625, 0.25, 0.125],
    },
    {
      why: "with what it received itself, smallest first",
      powers: { 0: 0.5, 1: 0.25, 3: 0.25 },
      passes: { 3: [1, 1] as const, 1: [0, 0.5] as const },
      merged: [0.75, 0.25, 0],
    },
    {
      why: "from a smaller to a larger, though it is not on this ballot",
      powers: { 0: 0.125, 1: 0.875 },
      passes: { 1: [0, 1] as const },
      merged: [1, 0],
    },
  ])("$why", ({ powers, passes, merged }) => {
    const found = createBallotMerger(alike(passes))(ballot(powers));
    expect([...found.shares]).toStrictEqual(merged);
    expect([...found.ascending]).toStrictEqual(merged.toSorted((a, b) => a - b));
  });

  test("where both did not vote nothing is passed, and the ballot is the very same", () => {
    const own = ballot({ 1: 0.5, 3: 0.5 });
    expect(createBallotMerger(alike({ 3: [0, 1] }))(own)).toBe(own);
  });

  test("many small ones add up to the same whatever their order", () => {
    const small = [0.1, 0.2, 0.05];
    const merged = (order: readonly number[]) => {
      const powers = Object.fromEntries([
        [0, 0.65],
        ...order.map((at, index) => [3 + index, small[at] ?? 0]),
      ]);
      return createBallotMerger(alike({ 3: [0, 0.3], 4: [0, 0.3], 5: [0, 0.3] }))(ballot(powers)).shares[0];
    };
    expect(merged([2, 0, 1])).toBe(merged([0, 1, 2]));
  });
});
