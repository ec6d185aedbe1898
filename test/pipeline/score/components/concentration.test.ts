import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  concentrationEnds,
  concentrationOf,
  scoreConcentration,
  unknownPowerOf,
} from "../../../../pipeline/score/components/concentration.ts";
import type { ConcentrationEnds, DaoMeasures } from "../../../../pipeline/score/method/measures.ts";
import { weightAt } from "../../../../pipeline/score/method/measures.ts";
import { weightedMedian } from "../../../../pipeline/score/method/statistics.ts";
import { ballotOf, DAY, sampleMeasures, T } from "../sample-facts.ts";

const KEYS = ["majorityVoters", "hhiPoints", "gini"] as const;

/** What is known of a ballot: fetched powers, and what its source declares. */
interface Known {
  readonly powers: readonly number[];
  readonly total?: number;
  readonly votes?: number;
}

function endsOf({ powers, total, votes }: Known): ConcentrationEnds {
  const ballot = powers.length === 0 ? undefined : ballotOf(powers);
  const unknown = unknownPowerOf({ scoresTotal: total, votesCount: votes }, ballot);
  return concentrationEnds(ballot?.ascending ?? new Float64Array(), unknown);
}

describe("the ends of one ballot", () => {
  type End = readonly [low: number, high: number];
  test.each<[why: string, known: Known, majorityVoters: End, hhiPoints: End, gini: End]>([
    ["known: its value", { powers: [1, 1, 2], total: 4, votes: 3 }, [2, 2], [3750, 3750], [1 / 6, 1 / 6]],
    [
      "boundary: its value, if the total differs by rounding",
      { powers: [1, 1, 2], total: 4 * (1 + 1e-7) },
      [2, 2],
      [3750, 3750],
      [1 / 6, 1 / 6],
    ],
    ["low: one voter alone", { powers: [7] }, [1, 1], [10_000, 10_000], [0, 0]],
    [
      "half of the power is missing, of one vote: it may be anybody's",
      { powers: [1, 1], total: 4, votes: 3 },
      [1, 2],
      [10_000 / 3, 6250],
      [0, 0.5],
    ],
    [
      "a sixth of the power is missing, of two votes: it may be the largest voter's, or theirs alone",
      { powers: Array<number>(8).fill(1), total: 9.5, votes: 10 },
      [4, 5],
      [(10_000 * (8 + 2 * 0.75 ** 2)) / 9.5 ** 2, (10_000 * (7 + 2.5 ** 2)) / 9.5 ** 2],
      [0, (7 * (1.5 / 9.5) + 2) / 10],
    ],
    [
      "a little is missing beside a large voter",
      { powers: [1, 1, 8], total: 10.5, votes: 4 },
      [1, 1],
      [(10_000 * (66 + 0.5 ** 2)) / 10.5 ** 2, (10_000 * (2 + 8.5 ** 2)) / 10.5 ** 2],
      [(7 / 15) * (10 / 10.5) - (0.5 / 10.5) * (2 / 3), ((7 / 5) * (10 / 10.5) + 2 * (0.5 / 10.5) + 1) / 4],
    ],
    [
      "high: a hundred votes without any power known",
      { powers: [], total: 5, votes: 100 },
      [1, 51],
      [100, 10_000],
      [0, 0.99],
    ],
    ["unknown: not fetched and not counted", { powers: [], total: 5 }, [1, Infinity], [0, 10_000], [0, 1]],
    [
      "unknown: a missing vote without a declared total may have any power",
      { powers: [1, 1, 1], votes: 4 },
      [1, 3],
      [2500, 10_000],
      [0, 0.75],
    ],
    [
      "impossible: power is missing, but no vote is",
      { powers: [1, 1], total: 4, votes: 2 },
      [1, 2],
      [10_000 / 3, 6250],
      [0, 0.5],
    ],
  ])("%s", (_, known, ...ends) => {
    const computed = endsOf(known);
    expect(KEYS.map((key) => computed[key])).toEqual(
      ends.map((end) => end.map((value) => (value === Infinity ? value : expect.closeTo(value, 9)))),
    );
  });
});

/** Votes that are not known: a power, and the known voter of whose entity the wallet is, if it is of one. */
const HIDDEN = fc.array(
  fc.record({
    // Dust below a millionth of all power counts as no vote.
    power: fc.oneof(fc.constant(0), fc.double({ min: 1e-3, max: 30, noNaN: true })),
    voter: fc.option(fc.nat(6), { nil: undefined }),
  }),
  { maxLength: 5 },
);
const POWERS = fc.array(fc.oneof(fc.constant(1), fc.double({ min: 1e-3, max: 20, noNaN: true })), {
  maxLength: 6,
});

interface Possible {
  readonly powers: readonly number[];
  readonly hidden: readonly { readonly power: number; readonly voter: number | undefined }[];
  /** Power that the source counts, but of invalid votes. */
  readonly invalid: number;
  readonly isTotalDeclared: boolean;
  readonly isCountDeclared: boolean;
}

const POSSIBLE: fc.Arbitrary<Possible> = fc.record({
  powers: POWERS,
  hidden: HIDDEN,
  invalid: fc.constantFrom(0, 0, 2),
  isTotalDeclared: fc.boolean(),
  isCountDeclared: fc.boolean(),
});

/** A ballot as the source has it, and what a fetch would leave unknown of it. */
function completed({ powers, hidden, invalid, isTotalDeclared, isCountDeclared }: Possible) {
  const whole = [...powers];
  for (const { power, voter } of hidden)
    if (voter !== undefined && voter < powers.length) whole[voter] = (whole[voter] ?? 0) + power;
    else if (power > 0) whole.push(power);
  const total = whole.reduce((sum, power) => sum + power, 0) + invalid;
  // Without any count nothing says that a vote is missing, so there is no unknown vote either.
  const isOpen = isTotalDeclared || isCountDeclared || powers.length === 0;
  const known: Known = {
    powers,
    ...(isTotalDeclared ? { total } : {}),
    ...(isCountDeclared ? { votes: powers.length + hidden.length } : {}),
  };
  return { whole: isOpen ? whole : powers, known };
}

/** Doubles of sums in another order. */
const ROUNDING = 1e-9;

function expectWithin(value: number, [low, high]: readonly [number, number], key: string): void {
  expect(value, key).toBeGreaterThanOrEqual(low - ROUNDING * (key === "hhiPoints" ? 10_000 : 1));
  expect(value, key).toBeLessThanOrEqual(high + ROUNDING * (key === "hhiPoints" ? 10_000 : 1));
}

test("no completion of a ballot is outside its ends", () => {
  fc.assert(
    fc.property(POSSIBLE, (possible) => {
      const { whole, known } = completed(possible);
      fc.pre(whole.length > 0);
      const ends = endsOf(known);
      const truth = concentrationOf(ballotOf(whole).ascending);
      for (const key of KEYS) expectWithin(truth[key], ends[key], key);
    }),
    { numRuns: 3000 },
  );
});

function measuresOf(ballots: readonly (Known & { daysAgo?: number })[]): DaoMeasures {
  return sampleMeasures(
    ballots.map(({ daysAgo = 0, ...known }) => ({
      endMs: T - daysAgo * DAY,
      fetchedShare:
        known.total === undefined
          ? 1
          : Math.min(1, known.powers.reduce((sum, power) => sum + power, 0) / known.total),
      concentrationEnds: endsOf(known),
      concentration:
        known.powers.length === 0
          ? undefined
          : {
              topShare: 1,
              mergedTopShare: 1,
              whaleShare: 1,
              ...concentrationOf(ballotOf(known.powers).ascending),
            },
    })),
  );
}

describe("the concentration of a DAO", () => {
  test("is the weighted median of its ballots", () => {
    const alone = { powers: [1] };
    const ten = { powers: Array<number>(10).fill(1) };
    const known = scoreConcentration(measuresOf([alone, ten, { ...ten, daysAgo: 30 }]));
    expect(known?.majorityVoters).toEqual({ low: 6, point: 6, high: 6 });
    expect(known?.hhiPoints.point).toBeCloseTo(1000, 9);
    expect(known?.gini.point).toBeCloseTo(0, 9);
  });

  test("counts a ballot by the part that was fetched, and its ends whole", () => {
    const partly = { powers: Array<number>(10).fill(1), total: 100, votes: 100 };
    const known = scoreConcentration(measuresOf([{ powers: [1] }, partly, partly]));
    expect(known?.majorityVoters).toEqual({ low: 1, point: 1, high: 51 });
  });

  test("has an open end while most ballots are neither fetched nor counted", () => {
    const missing = { powers: [], total: 3 };
    expect(scoreConcentration(measuresOf([{ powers: [1, 1, 1] }, missing, missing]))).toEqual({
      majorityVoters: { low: 1, point: 2, high: Infinity },
      hhiPoints: { low: 0, point: expect.closeTo(10_000 / 3, 6), high: 10_000 },
      gini: { low: 0, point: 0, high: 1 },
    });
  });

  test("keeps the point within what small ballots that are missing allow", () => {
    const missing = { powers: [], total: 3, votes: 3 };
    const figures = scoreConcentration(measuresOf([{ powers: Array<number>(40).fill(1) }, missing, missing]));
    expect(figures?.majorityVoters).toEqual({ low: 1, point: 2, high: 2 });
  });

  test("unknown: no power on any ballot, or no ballot", () => {
    expect(scoreConcentration(measuresOf([{ powers: [], total: 3, votes: 2 }]))).toBeUndefined();
    expect(scoreConcentration(measuresOf([]))).toBeUndefined();
  });

  test("no completion of its ballots is outside its intervals, nor is the point", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(POSSIBLE, fc.integer({ min: 0, max: 700 })), { minLength: 1, maxLength: 6 }),
        (drawn) => {
          const ballots = drawn
            .map(([possible, daysAgo]) => ({ ...completed(possible), daysAgo }))
            .filter(({ whole }) => whole.length > 0);
          const measures = measuresOf(ballots.map(({ known, daysAgo }) => ({ ...known, daysAgo })));
          const figures = scoreConcentration(measures);
          fc.pre(figures !== undefined);
          for (const key of KEYS) {
            const truth = weightedMedian(
              ballots.map(({ whole }, index) => ({
                value: concentrationOf(ballotOf(whole).ascending)[key],
                weight: weightAt({ endMs: T, attention: 0, ...measures.proposals[index] }, T),
              })),
            );
            const { low, point, high } = figures[key];
            expectWithin(truth ?? Number.NaN, [low, high], key);
            expect(low).toBeLessThanOrEqual(point);
            expect(point).toBeLessThanOrEqual(high);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});
