import { expect, test } from "vitest";
import type { Alikeness } from "../../../../pipeline/score/alike/find-alike.ts";
import { createBallotMerger } from "../../../../pipeline/score/alike/merge-ballot.ts";
import { type Ballot, cappedShares } from "../../../../pipeline/score/frame/ballot.ts";

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
    const powers = Object.fromEntries([[0, 0.65], ...order.map((at, index) => [3 + index, small[at] ?? 0])]);
    return createBallotMerger(alike({ 3: [0, 0.3], 4: [0, 0.3], 5: [0, 0.3] }))(ballot(powers)).shares[0];
  };
  expect(merged([2, 0, 1])).toBe(merged([0, 1, 2]));
});
