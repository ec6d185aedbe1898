import { describe, expect, test } from "vitest";
import { collectVoterVotes } from "../../../../pipeline/score/alike/voter-votes.ts";
import { breadthOf, createLoyaltyMeasurer } from "../../../../pipeline/score/components/participation.ts";
import { type Ballot, cappedShares } from "../../../../pipeline/score/frame/ballot.ts";

/** A ballot of voters with so much power each. */
function ballot(powers: Readonly<Record<number, number>>): Ballot {
  const voters = Int32Array.from(Object.keys(powers), Number);
  const total = Object.values(powers).reduce((sum, power) => sum + power, 0);
  const shares = Float64Array.from(Object.values(powers), (power) => power / total);
  const ascending = shares.slice().sort();
  return {
    voters,
    shares,
    choices: new Uint32Array(voters.length),
    agreement: undefined,
    ascending,
    capped: cappedShares(shares, ascending),
    validPower: total,
    knownCount: voters.length,
    fetchedCount: voters.length,
  };
}
const equal = (from: number, count: number): Ballot =>
  ballot(Object.fromEntries(Array.from({ length: count }, (_, at) => [from + at, 1])));

test.each([
  { why: "low: one", of: equal(0, 1), mark: 0 },
  { why: "boundary: three", of: equal(0, 3), mark: 0 },
  { why: "between", of: equal(0, 10), mark: Math.log(10 / 3) / Math.log(100 / 3) },
  { why: "boundary: a hundred", of: equal(0, 100), mark: 1 },
  { why: "high: a thousand", of: equal(0, 1000), mark: 1 },
  {
    why: "beyond the cap all count alike",
    of: ballot({ 0: 900, 1: 50, 2: 50, 3: 100 }),
    mark: Math.log(4 / 3) / Math.log(100 / 3),
  },
])("breadth: $why", ({ of, mark }) => {
  expect(breadthOf(of)).toBeCloseTo(mark, 9);
});

describe("loyalty", () => {
  const measurerOf = (ballots: readonly Ballot[]) => createLoyaltyMeasurer(collectVoterVotes(ballots, 3000));
  const loyalties = (ballots: readonly Ballot[], attention = 1) =>
    measurerOf(ballots)(ballots.map((merged, index) => ({ index, attention, merged })));
  const all = equal(0, 8);
  const others = equal(100, 8);
  const half = ballot({ 0: 1, 1: 1, 200: 1, 201: 1 });

  test.each([
    { why: "unknown: the first", ballots: [all], attention: 0, mark: undefined },
    { why: "high: the same again", ballots: [all, all], attention: 1, mark: 1 },
    { why: "low: all others", ballots: [all, others], attention: 1, mark: 0 },
    {
      why: "boundary: half of the capped power",
      ballots: [half, ballot({ 0: 1, 1: 1, 300: 1, 301: 1 })],
      attention: 1,
      mark: 1,
    },
    { why: "a quarter", ballots: [half, ballot({ 0: 1, 302: 1, 300: 1, 301: 1 })], attention: 1, mark: 0.5 },
    {
      why: "the mean of two",
      ballots: [others, ballot({ 0: 1, 302: 1, 300: 1, 301: 1 }), half],
      attention: 2,
      mark: 0.25,
    },
    {
      why: "only the last ten",
      ballots: [others, ...Array<Ballot>(11).fill(all)],
      attention: 10,
      mark: 1,
    },
  ])("$why", ({ ballots, attention, mark }) => {
    const last = loyalties(ballots).at(-1);
    expect(last?.attention).toBeCloseTo(attention, 12);
    if (mark === undefined) expect(last?.mark).toBeUndefined();
    else expect(last?.mark?.[0]).toBeCloseTo(mark, 9);
  });

  test("the last of the ten counts with the part that is missing", () => {
    // .7 · 14 = 9.8: of the fifteenth .2.
    const last = loyalties([...Array<Ballot>(15).fill(others), all], 0.7).at(-1);
    expect(last?.attention).toBeCloseTo(10, 12);
    const one = loyalties([...Array<Ballot>(1).fill(all), ...Array<Ballot>(14).fill(others), all], 0.7).at(
      -1,
    );
    expect(one?.mark?.[1]).toBeCloseTo(0.02 / 0.5, 9);
  });

  const then = ballot({ 0: 1, 300: 1, 301: 1, 302: 1 });
  const merged = [
    { index: 0, attention: 1, merged: ballot({ 0: 2, 1: 0, 200: 1, 201: 1 }) },
    { index: 1, attention: 1, merged: ballot({ 0: 1, 300: 3, 301: 0, 302: 0 }) },
  ];

  test("merging gives the other end", () => {
    const [, last] = measurerOf([half, then])(merged);
    expect(last?.mark?.[0]).toBeCloseTo(0.5, 9);
    expect(last?.mark?.[1]).toBeCloseTo(2 / 3, 9);
  });

  test("one frame after another measures what each alone does", () => {
    const ballots = [half, then, others, all];
    const plain = ballots.map((ballot, index) => ({ index, attention: 1, merged: ballot }));
    const frames = [
      // Of these each looks no further than the one before it.
      plain.map((each) => ({ ...each, attention: 10 })),
      plain.slice(0, 3),
      [...merged, ...plain.slice(2)],
      plain,
      [...plain.slice(0, 1), ...plain.slice(2)],
      plain.slice(1).map((each) => ({ ...each, attention: 0.3 })),
    ];
    const measure = measurerOf(ballots);
    for (const frame of frames) expect(measure(frame)).toStrictEqual(measurerOf(ballots)(frame));
  });
});
