import { describe, expect, test } from "vitest";
import { type Participation, presence } from "../../../../pipeline/score/components/participation.ts";
import { clamp } from "../../../../pipeline/score/method/statistics.ts";
import { countHeads } from "../heads/plain-heads.ts";
import { everyoneAlone, pointsOf, type SampleVote, sampleFrame, sampleMember } from "../sample-facts.ts";
import { loyaltyOf, participationOf } from "../score-frame.ts";

/** A frame in which proposal i, ended i + 1 days ago, was voted on by the voters given, of equal power. */
function frameOf(voters: readonly (readonly number[])[], changes: { readonly endDaysAgo?: number } = {}) {
  return sampleFrame(
    voters
      .map((who, index) =>
        sampleMember(
          who.map((voter): SampleVote => ({ voter })),
          { id: `p${index}`, endDaysAgo: 1 + index, ...changes },
        ),
      )
      .reverse(),
  );
}

function scoreOf(frame: ReturnType<typeof frameOf>, humanOfVoter = everyoneAlone(2000), isAssessed = true) {
  return participationOf({
    frame,
    humans: countHeads(frame.members, humanOfVoter),
    unclustered: countHeads(frame.members, everyoneAlone(2000)),
    isCoordinationAssessed: isAssessed,
  });
}

/** An indicator as it was measured, limited to 0–1. */
const clampedRaw = ({ indicators }: Participation, id: string): number =>
  clamp(indicators.find((row) => row.id === id)?.raw ?? 0);

const range = (count: number, from = 0): number[] =>
  Array.from({ length: count }, (_, index) => from + index);

describe("loyalty, by rarefaction", () => {
  // Two proposals, n_e = 2: r0 = 1 / (2·(1 − 1/32)) = 16/31.
  test.each([
    { why: "low: nobody comes twice", voters: [range(10), range(10, 10)], expected: 0 },
    { why: "high: everybody comes always", voters: [range(10), range(10)], expected: 1 },
    {
      // H_p = 10; 5 come always, 10 once: H(5) = 5 + 10·31/32 = 14.6875; r = .680851; (r − 16/31)/(15/31).
      why: "half come again",
      voters: [range(10), range(10, 5)],
      expected: (10 / 14.6875 - 16 / 31) / (15 / 31),
    },
    { why: "gap: one proposal says nothing", voters: [range(10)], expected: 0 },
  ])("$why", ({ voters, expected }) => {
    expect(clampedRaw(scoreOf(frameOf(voters)), "loyalty")).toBeCloseTo(expected, 12);
  });

  test("does not hang on the number of proposals where nobody comes twice or everybody always", () => {
    for (const count of [2, 5, 40]) {
      expect(
        clampedRaw(scoreOf(frameOf(range(count).map((index) => range(8, 8 * index)))), "loyalty"),
      ).toBeCloseTo(0, 12);
      expect(clampedRaw(scoreOf(frameOf(range(count).map(() => range(8)))), "loyalty")).toBeCloseTo(1, 12);
    }
  });

  test.each([1 + 1e-12, 1 + 1e-10, 1 + 1e-8, 1.001])(
    "is a number in 0..1 with %d effective proposals",
    (n) => {
      const heads = countHeads(frameOf([range(3)]).members, everyoneAlone(3));
      const found = loyaltyOf(heads, 3, n);
      expect(found).toBeGreaterThanOrEqual(0);
      expect(found).toBeLessThanOrEqual(1);
    },
  );
});

describe("breadth", () => {
  // Loyal and present: HPR = 5 + 5·b.
  test.each([
    { why: "low: fewer than five", count: 3, points: 5 },
    { why: "boundary: five earn nothing", count: 5, points: 5 },
    { why: "between: ln(50/5)/ln(1000/5)", count: 50, points: 5 + (5 * Math.log(10)) / Math.log(200) },
    { why: "boundary: a thousand earn all", count: 1000, points: 10 },
    { why: "high: more earn no more", count: 1900, points: 10 },
  ])("$why", ({ count, points }) => {
    expect(pointsOf(scoreOf(frameOf([range(count), range(count)])).score)).toBeCloseTo(points, 9);
  });
});

describe("presence", () => {
  test.each([
    { why: "high: two just now", days: [0, 0], expected: 1 },
    { why: "boundary: 120 days", days: [120, 120], expected: 1 },
    { why: "fading: half way at 150", days: [150, 150], expected: 0.5 },
    { why: "boundary: gone at 180", days: [180, 180], expected: 0 },
    { why: "the last but one counts as much", days: [170, 1], expected: 0.5 + 0.5 / 6 },
    { why: "one proposal is half a presence", days: [1], expected: 0.5 },
    { why: "fractions of days count", days: [120.6, 120.6], expected: 0.99 },
    { why: "low: none", days: [], expected: 0 },
    { why: "long ago", days: [700, 300], expected: 0 },
  ])("$why", ({ days, expected }) => {
    const frame = sampleFrame(days.map((endDaysAgo) => sampleMember([], { endDaysAgo })));
    expect(presence(frame.attended, frame.asOfMs)).toBeCloseTo(expected, 9);
  });
});

describe("independence", () => {
  const both = frameOf([range(10), range(10)]);

  test("a cluster of five among ten: 6 of 10 heads", () => {
    const human = Int32Array.from(range(2000), (voter) => (voter < 5 ? 0 : voter));
    expect(clampedRaw(scoreOf(both, human), "independence")).toBeCloseTo(0.6, 12);
  });

  test("never raises: two wallets near dust weigh more together than apart", () => {
    const votes = [
      { voter: 0, power: 3e-7 },
      { voter: 1, power: 3e-7 },
      { voter: 2, power: 1 },
    ];
    const frame = sampleFrame([sampleMember(votes, { id: "a" }), sampleMember(votes, { id: "b" })]);
    expect(clampedRaw(scoreOf(frame, Int32Array.from([0, 0, 2])), "independence")).toBe(1);
  });

  test.each([
    { why: "not assessed: at most 5", isAssessed: false, points: 5 },
    { why: "assessed: all of it", isAssessed: true, points: 10 },
  ])("$why", ({ isAssessed, points }) => {
    const frame = frameOf([range(1000), range(1000)]);
    expect(pointsOf(scoreOf(frame, everyoneAlone(2000), isAssessed).score)).toBeCloseTo(points, 9);
  });

  test("not assessed never raises a low score", () => {
    const score = pointsOf(scoreOf(frameOf([range(3), range(3, 3)]), everyoneAlone(2000), false).score);
    expect(score).toBe(0);
  });
});

test.each([
  { why: "no members", frame: sampleFrame([]) },
  { why: "nobody on any of them", frame: frameOf([[], []]) },
])("gap: $why", ({ frame }) => {
  expect(scoreOf(frame).score).toStrictEqual({ kind: "gap", reason: "NO_VOTERS" });
});
