import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deliberationRows } from "../../../../pipeline/score/components/deliberation.ts";
import { presence, scoreParticipation } from "../../../../pipeline/score/components/participation.ts";
import { cadence } from "../../../../pipeline/score/components/process.ts";
import { scoreRisk } from "../../../../pipeline/score/components/risk.ts";
import { discountThinEvidence, scoreVitality } from "../../../../pipeline/score/components/vitality.ts";
import { points } from "../../../../pipeline/score/method/dao-score.ts";
import { COMPONENT_KEYS, type ComponentKey } from "../../../../snapshots/format/value-sets.ts";
import { DAY, pointsOf, T } from "../sample-facts.ts";

const SLACK = 1e-9;
const score = fc.double({ min: 0, max: 10, noNaN: true });
const share = fc.double({ min: 0, max: 1, noNaN: true });
const components = fc.record({ hpr: score, dei: score, pdi: score, gpi: score });

const scored = (values: Readonly<Record<ComponentKey, number>>) => ({
  hpr: points(values.hpr),
  dei: points(values.dei),
  pdi: points(values.pdi),
  gpi: points(values.gpi),
});

/** Whatever the components: a better one, and the same otherwise. */
function betterOne(
  check: (worse: Record<ComponentKey, number>, better: Record<ComponentKey, number>) => void,
) {
  fc.assert(
    fc.property(components, fc.constantFrom(...COMPONENT_KEYS), score, (values, key, other) => {
      const [low, high] = [Math.min(values[key], other), Math.max(values[key], other)];
      check({ ...values, [key]: low }, { ...values, [key]: high });
    }),
  );
}

const riskOf = (values: Readonly<Record<ComponentKey, number>>, dominated = 0.1, active = 50): number => {
  const risk = scoreRisk({
    measures: { asOfMs: T, attended: [], activeVoterCount: active, members: [] },
    components: scored(values),
    decentralization: {
      score: points(values.dei),
      medianNakamoto: 3,
      medianWhaleShare: 0.6,
      dominatedShare: dominated,
    },
    delegateCentralization: "unknown",
  });
  return risk.kind === "risk" ? risk.score : Number.NaN;
};

describe("a better component", () => {
  test("never lowers the gvs, and raises it unless it is the same", () => {
    betterOne((worse, better) => {
      const [low, high] = [pointsOf(scoreVitality(scored(worse))), pointsOf(scoreVitality(scored(better)))];
      expect(high).toBeGreaterThanOrEqual(low - SLACK);
      const gain = COMPONENT_KEYS.reduce((sum, key) => sum + better[key] - worse[key], 0);
      if (gain > 1e-3) expect(high).toBeGreaterThan(low);
    });
  });

  test("never raises the risk", () => {
    betterOne((worse, better) => {
      expect(riskOf(better)).toBeLessThanOrEqual(riskOf(worse) + SLACK);
    });
  });
});

describe("risk", () => {
  test("never falls as one head decides more often, or fewer vote", () => {
    fc.assert(
      fc.property(components, share, share, fc.nat(60), fc.nat(60), (values, a, b, some, others) => {
        const [rare, often] = [Math.min(a, b), Math.max(a, b)];
        expect(riskOf(values, often)).toBeGreaterThanOrEqual(riskOf(values, rare));
        const [few, many] = [Math.min(some, others), Math.max(some, others)];
        expect(riskOf(values, 0, few)).toBeGreaterThanOrEqual(riskOf(values, 0, many));
      }),
    );
  });

  test("known group: a lone voter is at 75 or more whatever else is good", () => {
    expect(riskOf({ hpr: 10, dei: 10, pdi: 10, gpi: 10 }, 1, 1)).toBe(75);
  });
});

test("more evidence never lowers a score, and none moves one that is at most 5", () => {
  fc.assert(
    fc.property(score, share, share, (value, a, b) => {
      const [thin, full] = [Math.min(a, b), Math.max(a, b)];
      const [low, high] = [
        discountThinEvidence(points(value), thin),
        discountThinEvidence(points(value), full),
      ];
      expect(pointsOf(high)).toBeGreaterThanOrEqual(pointsOf(low) - SLACK);
      if (value <= 5) expect(pointsOf(low)).toBe(value);
    }),
  );
});

describe("deliberation", () => {
  const nothing = {
    hasDiscussionLink: undefined,
    votingPeriodDays: undefined,
    reviewDelayDays: undefined,
    topChoiceShare: undefined,
    rationaleShare: undefined,
    elapsedAtHalfPower: undefined,
    overlappingVotes: 0,
    batchVotes: 0,
  };
  const marksOf = (id: string, measures: object): number => {
    const row = deliberationRows({ ...nothing, ...measures }).find((candidate) => candidate.id === id);
    return row?.value ?? Number.NaN;
  };

  test.each([
    { id: "voting_period", field: "votingPeriodDays", most: 30, sign: 1, why: "more days to vote" },
    { id: "review_delay", field: "reviewDelayDays", most: 9, sign: 1, why: "more days to read" },
    { id: "rationale", field: "rationaleShare", most: 1, sign: 1, why: "more reasons" },
    { id: "contestedness", field: "topChoiceShare", most: 1, sign: -1, why: "a clearer winner" },
    {
      id: "half_power_time",
      field: "elapsedAtHalfPower",
      most: 0.5,
      sign: 1,
      why: "later, up to the middle",
    },
    { id: "not_batch", field: "batchVotes", most: 100, sign: -1, why: "more votes in a batch" },
  ])("$why: $id moves one way", ({ id, field, most, sign }) => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: most, noNaN: true }),
        fc.double({ min: 0, max: most, noNaN: true }),
        (a, b) => {
          const marks = [Math.min(a, b), Math.max(a, b)].map((value) =>
            marksOf(id, { overlappingVotes: 100, [field]: value }),
          );
          expect(sign * ((marks[1] ?? 0) - (marks[0] ?? 0))).toBeGreaterThanOrEqual(-SLACK);
        },
      ),
    );
  });
});

describe("participation", () => {
  const hprOf = (heads: readonly number[], unclustered: readonly number[], expectedHeads: number): number =>
    pointsOf(
      scoreParticipation({
        asOfMs: T,
        expectedHeads,
        isCoordinationAssessed: true,
        attended: heads.map((_, place) => ({ endMs: T - (heads.length - place) * DAY })),
        members: heads.map((count, place) => ({
          attention: 1,
          heads: count,
          unclusteredHeads: unclustered[place] ?? count,
        })),
      }).score,
    );
  const crowds = fc.array(fc.double({ min: 1, max: 5000, noNaN: true }), { minLength: 2, maxLength: 30 });

  test("as many times more people, as loyal as before, never lower it", () => {
    fc.assert(
      fc.property(crowds, fc.double({ min: 1, max: 9, noNaN: true }), share, (heads, factor, spread) => {
        const mean = heads.reduce((sum, count) => sum + count, 0) / heads.length;
        const expected = mean * (1 + 4 * spread);
        const more = heads.map((count) => count * factor);
        expect(hprOf(more, more, expected * factor)).toBeGreaterThanOrEqual(
          hprOf(heads, heads, expected) - SLACK,
        );
      }),
    );
  });

  test("the more of the wallets are likely coordinated, the lower it is", () => {
    fc.assert(
      fc.property(crowds, share, share, (heads, a, b) => {
        const [few, many] = [Math.min(a, b), Math.max(a, b)];
        // The people are the same; what differs is how many wallets they voted with.
        const wallets = (part: number): number[] => heads.map((count) => count * (1 + part));
        const expected = Math.max(...heads) * 2;
        expect(hprOf(heads, wallets(many), expected)).toBeLessThanOrEqual(
          hprOf(heads, wallets(few), expected) + SLACK,
        );
      }),
    );
  });

  test("presence and cadence never rise while nothing happens", () => {
    const ends = fc.array(fc.double({ min: 0, max: 400, noNaN: true }), { maxLength: 12 });
    fc.assert(
      fc.property(ends, fc.double({ min: 31, max: 300, noNaN: true }), (daysAgo, days) => {
        const attended = daysAgo
          .map((ago) => ({ endMs: T - ago * DAY }))
          .sort((one, other) => one.endMs - other.endMs);
        expect(presence(attended, T + days * DAY)).toBeLessThanOrEqual(presence(attended, T));
        // A proposal reaches thirty days; after that there is nothing left to count.
        expect(cadence(attended, T + days * DAY)).toBeLessThanOrEqual(
          cadence(attended, T + 30 * DAY) + SLACK,
        );
      }),
    );
  });
});
