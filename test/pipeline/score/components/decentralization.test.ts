import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { concentration } from "../../../../pipeline/score/heads/heads.ts";
import { everyoneAlone, pointsOf, sampleMember, sampleVotes } from "../sample-facts.ts";
import { decentralizationOf } from "../score-frame.ts";

const sharesOf = (powers: readonly number[]): Float64Array => {
  const sum = powers.reduce((a, b) => a + b, 0);
  return Float64Array.from(powers, (power) => power / sum);
};
const equal = (count: number): number[] => Array<number>(count).fill(1);

const scoreOf = (proposals: readonly (readonly number[])[], weights: readonly number[] = []) =>
  decentralizationOf(
    proposals.map((powers, index) =>
      sampleMember(
        powers.map((power, voter) => ({ voter, power })),
        { id: `p${index}`, attention: weights[index] ?? 1 },
      ),
    ),
    everyoneAlone(300),
  );

describe("concentration of one proposal", () => {
  test.each([
    { why: "alone", powers: [7], n: 1, k: 1, top: 1, four: 1 },
    { why: "two equal voters: neither is a majority", powers: [1, 1], n: 2, k: 2, top: 0.5, four: 1 },
    { why: "exactly half is no majority", powers: [50, 25, 25], n: 8 / 3, k: 2, top: 0.5, four: 1 },
    { why: "a hair more is", powers: [50.001, 25, 24.999], n: undefined, k: 1, top: 0.50001, four: 1 },
    { why: "three equal", powers: equal(3), n: 3, k: 2, top: 1 / 3, four: 1 },
    { why: "HHI 30/30/20/20 = 2600", powers: [30, 30, 20, 20], n: 10_000 / 2600, k: 2, top: 0.3, four: 1 },
    { why: "ten equal, sums that round", powers: equal(10), n: 10, k: 6, top: 0.1, four: 0.4 },
    {
      why: "a hundred equal: 51 hold more than half",
      powers: equal(100),
      n: 100,
      k: 51,
      top: 0.01,
      four: 0.04,
    },
    { why: "order is nothing", powers: [20, 30, 20, 30], n: 10_000 / 2600, k: 2, top: 0.3, four: 1 },
  ])("$why", ({ powers, n, k, top, four }) => {
    const found = concentration(sharesOf(powers));
    if (n !== undefined) expect(found.effectiveVoters).toBeCloseTo(n, 9);
    expect(found.nakamoto).toBe(k);
    expect(found.topShare).toBeCloseTo(top, 9);
    expect(found.whaleShare).toBeCloseTo(four, 9);
  });

  test("impossible: nobody", () => {
    expect(() => concentration(new Float64Array())).toThrow("invariant");
  });

  test("2n equal voters need n + 1, whatever their shares round to", () => {
    for (let count = 2; count <= 400; count += 2)
      expect(concentration(sharesOf(equal(count))).nakamoto).toBe(count / 2 + 1);
  });
});

describe("points", () => {
  test.each([
    { why: "low: a lone voter", proposals: [[5]], points: 0 },
    {
      why: "two equal: (ln2/ln50 + ln2/ln25 + 0)·10/3",
      proposals: [equal(2)],
      points: (10 / 3) * Math.LN2 * (1 / Math.log(50) + 1 / Math.log(25)),
    },
    { why: "three equal", proposals: [equal(3)], points: 2.89 },
    { why: "high: 200 equal voters", proposals: [equal(200)], points: 10 },
    // The smallest value that reaches half: N_eff and K of the lone voter, the top share of the crowd.
    { why: "boundary: half of the weight reaches the median", proposals: [[5], equal(200)], points: 10 / 3 },
    { why: "more weight on the other", proposals: [[5], equal(200)], weights: [1, 1.01], points: 10 },
  ])("$why", ({ proposals, weights, points }) => {
    expect(pointsOf(scoreOf(proposals, weights).score)).toBeCloseTo(points, 2);
  });

  test.each([
    { why: "top share .05 earns all", top: 0.05, part: 1 },
    { why: "half way", top: 0.275, part: 0.5 },
    { why: "top share .5 earns nothing", top: 0.5, part: 0 },
  ])("top share: $why", ({ top, part }) => {
    // One of `top` and a crowd of equals: K and N_eff are taken out by hand.
    const count = 250;
    const powers = [top, ...Array<number>(count).fill((1 - top) / count)];
    const { effectiveVoters, nakamoto } = concentration(sharesOf(powers));
    const others =
      Math.min(1, Math.log(effectiveVoters) / Math.log(50)) + Math.min(1, Math.log(nakamoto) / Math.log(25));
    expect(pointsOf(scoreOf([powers]).score)).toBeCloseTo((10 / 3) * (others + part), 9);
  });

  test("shares are those of heads, within one proposal", () => {
    const member = sampleMember([1, 1, 1, 1].map((power, voter) => ({ voter, power })));
    const merged = decentralizationOf([member], Int32Array.from([0, 0, 0, 3]));
    expect(merged).toMatchObject({ medianNakamoto: 1, dominatedShare: 1 });
  });

  test("dominated: the share of attention, not of proposals", () => {
    expect(scoreOf([[5, 1], equal(9)], [1, 3]).dominatedShare).toBe(0.25);
    expect(scoreOf([[1, 1]]).dominatedShare).toBe(0);
  });

  test.each([
    { why: "no proposals", members: [] },
    { why: "power unknown", members: [sampleMember([{ voter: 0, isPowerUnknown: true }])] },
    { why: "no vote that counts", members: [sampleMember([{ voter: 0, power: 0 }])] },
  ])("gap: $why", ({ members }) => {
    expect(decentralizationOf(members, everyoneAlone(1))).toStrictEqual({
      score: { kind: "gap", reason: "POWER_UNKNOWN" },
      medianNakamoto: undefined,
      medianWhaleShare: undefined,
      dominatedShare: undefined,
    });
  });

  test("a proposal of unknown power says nothing, beside one of known power", () => {
    const unknown = sampleMember([{ voter: 0, isPowerUnknown: true }], { id: "q", attention: 9 });
    const known = sampleMember(equal(200).map((power, voter) => ({ voter, power })));
    expect(pointsOf(decentralizationOf([unknown, known], everyoneAlone(200)).score)).toBe(10);
  });
});

const powers = fc.array(
  fc.oneof(fc.constantFrom(1, 2, 5, 100), fc.double({ min: 1e-2, max: 1e4, noNaN: true })),
  { minLength: 1, maxLength: 40 },
);

test("splitting a wallet in equal halves never lowers DEI", () => {
  fc.assert(
    fc.property(fc.array(powers, { minLength: 1, maxLength: 5 }), fc.nat(39), (proposals, voter) => {
      const split = proposals.map((list) => {
        const own = list[voter];
        return own === undefined
          ? list
          : [...list.slice(0, voter), own / 2, ...list.slice(voter + 1), own / 2];
      });
      expect(pointsOf(scoreOf(split).score)).toBeGreaterThanOrEqual(
        pointsOf(scoreOf(proposals).score) - 1e-9,
      );
    }),
  );
});

test("a dust voter moves K not at all and N_eff by nothing measurable", () => {
  fc.assert(
    fc.property(powers, fc.double({ min: 0, max: 2.4e-7, noNaN: true }), (list, share) => {
      const sum = list.reduce((a, b) => a + b, 0);
      const votes = list.map((power, voter) => ({ voter, power }));
      const before = sampleVotes(votes).shares ?? new Float64Array();
      const after = sampleVotes([...votes, { voter: 99, power: share * sum }]).shares ?? new Float64Array();
      expect(after).toHaveLength(before.length);
      const [one, other] = [concentration(before), concentration(after)];
      expect(other.effectiveVoters / one.effectiveVoters).toBeCloseTo(1, 5);
      // A majority that hangs on less than a millionth may need one more head.
      const isKnifeEdge = concentration(before.map((value) => value * (1 - 1e-6))).nakamoto !== one.nakamoto;
      if (!isKnifeEdge) expect(other.nakamoto).toBe(one.nakamoto);
    }),
  );
});
