import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  concentrationEnds,
  concentrationOf,
  scoreConcentration,
  unknownPowerOf,
} from "../../../../pipeline/score/components/concentration.ts";
import { createDaoMeasurer } from "../../../../pipeline/score/measure-dao.ts";
import type { ConcentrationEnds, DaoMeasures } from "../../../../pipeline/score/method/measures.ts";
import { weightAt } from "../../../../pipeline/score/method/measures.ts";
import { weightedMedian } from "../../../../pipeline/score/method/statistics.ts";
import { DAY, sampleDao, sampleProposal, sampleProposalVotes, T } from "../sample-facts.ts";

const KEYS = ["majorityVoters", "hhiPoints", "gini"] as const;

function sharesOf(powers: readonly number[]): Float64Array {
  const total = powers.reduce((sum, power) => sum + power, 0);
  return Float64Array.from(powers, (power) => power / total).sort();
}

/** What is known of a ballot: fetched powers, and what its source declares. */
interface Known {
  readonly powers: readonly number[];
  /** Fetched votes whose power is not known. */
  readonly shielded?: number;
  readonly total?: number;
  readonly votes?: number;
}

function endsOf({ powers, shielded = 0, total, votes }: Known): ConcentrationEnds {
  const ballot = {
    validPower: powers.reduce((sum, power) => sum + power, 0),
    knownCount: powers.length,
    fetchedCount: powers.length + shielded,
  };
  const isFetched = ballot.fetchedCount > 0;
  const unknown = unknownPowerOf({ scoresTotal: total, votesCount: votes }, isFetched ? ballot : undefined);
  return concentrationEnds(sharesOf(powers), unknown);
}

describe("the ends of one ballot", () => {
  test.each<{ why: string; known: Known; ends: ConcentrationEnds }>([
    {
      why: "known: both ends are the value",
      known: { powers: [1, 1, 2], total: 4, votes: 3 },
      ends: { majorityVoters: [2, 2], hhiPoints: [3750, 3750], gini: [1 / 6, 1 / 6] },
    },
    {
      why: "boundary: a total within rounding leaves nothing open",
      known: { powers: [1, 1, 2], total: 4 * (1 + 1e-7) },
      ends: { majorityVoters: [2, 2], hhiPoints: [3750, 3750], gini: [1 / 6, 1 / 6] },
    },
    {
      why: "low: one voter alone",
      known: { powers: [7] },
      ends: { majorityVoters: [1, 1], hhiPoints: [10_000, 10_000], gini: [0, 0] },
    },
    {
      why: "half of the power is missing, of one vote: it may be anybody's",
      known: { powers: [1, 1], total: 4, votes: 3 },
      ends: { majorityVoters: [1, 2], hhiPoints: [10_000 / 3, 6250], gini: [0, 0.5] },
    },
    {
      why: "high: a hundred votes without any power known",
      known: { powers: [], total: 5, votes: 100 },
      ends: { majorityVoters: [1, 51], hhiPoints: [100, 10_000], gini: [0, 0.99] },
    },
    {
      why: "unknown: not fetched and not counted",
      known: { powers: [], total: 5 },
      ends: { majorityVoters: [1, Infinity], hhiPoints: [0, 10_000], gini: [0, 1] },
    },
    {
      why: "unknown: a missing vote without a declared total may have any power",
      known: { powers: [1, 1, 1], votes: 4 },
      ends: { majorityVoters: [1, 3], hhiPoints: [2500, 10_000], gini: [0, 0.75] },
    },
    {
      why: "impossible: power is missing, but no vote is",
      known: { powers: [1, 1], total: 4, votes: 2 },
      ends: { majorityVoters: [1, 2], hhiPoints: [10_000 / 3, 6250], gini: [0, 0.5] },
    },
  ])("$why", ({ known, ends }) => {
    const computed = endsOf(known);
    for (const key of KEYS)
      ends[key].forEach((end, index) => {
        expect(computed[key][index]).toBeCloseTo(end, 9);
      });
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
      const truth = concentrationOf(sharesOf(whole));
      for (const key of KEYS) expectWithin(truth[key], ends[key], key);
    }),
    { numRuns: 3000 },
  );
});

const [template] = createDaoMeasurer(
  sampleDao({
    proposals: [sampleProposal("a", { endDaysAgo: 0 })],
    held: [sampleProposalVotes("a", [{ voter: 0 }])],
  }),
  () => undefined,
).measureAt(T).proposals as [DaoMeasures["proposals"][number]];

function measuresOf(ballots: readonly (Known & { daysAgo?: number })[]): DaoMeasures {
  const measures = createDaoMeasurer(sampleDao(), () => undefined).measureAt(T);
  const proposals = ballots.map(({ daysAgo = 0, ...known }) => ({
    ...template,
    endMs: T - daysAgo * DAY,
    fetchedShare:
      known.total === undefined
        ? 1
        : Math.min(1, known.powers.reduce((sum, power) => sum + power, 0) / known.total),
    concentrationEnds: endsOf(known),
    concentration:
      known.powers.length === 0
        ? undefined
        : { topShare: 1, mergedTopShare: 1, whaleShare: 1, ...concentrationOf(sharesOf(known.powers)) },
  }));
  return { ...measures, proposals };
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
                value: concentrationOf(sharesOf(whole))[key],
                weight: weightAt(measures.proposals[index] ?? template, T),
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
