import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { VotingType } from "../../../../pipeline/facts/proposal.ts";
import type { Choice } from "../../../../pipeline/facts/proposal-votes.ts";
import { agreementOf } from "../../../../pipeline/score/alike/agreement.ts";
import type { ChoiceShares } from "../../../../pipeline/score/frame/allotment.ts";

const single = (option: number): Choice => ({ kind: "single", option });
const list = (...options: readonly number[]): Choice => ({ kind: "list", options });
const weights = (...all: readonly (readonly [option: number, weight: number])[]): Choice => ({
  kind: "weights",
  weights: all,
});

/** Shares of choices, each with as much power as its place in the list says. */
const chosenBy = (...powers: readonly number[]): ChoiceShares => {
  const whole = powers.reduce((sum, power) => sum + power, 0);
  return {
    shares: Float64Array.from(powers, (power) => power / (whole || 1)),
    isChosen: Uint8Array.from(powers, () => 1),
  };
};

describe("how far two choices agree", () => {
  test.each<{ why: string; type: VotingType | undefined; one: Choice; other: Choice; part: number }>([
    {
      why: "the same option with another weight is the same",
      type: "weighted",
      one: weights([1, 1]),
      other: weights([1, 250]),
      part: 1,
    },
    {
      why: "weights of nothing in common",
      type: "weighted",
      one: weights([1, 1]),
      other: weights([2, 1]),
      part: 0,
    },
    {
      why: "half of one and all of the other",
      type: "quadratic",
      one: weights([1, 3], [2, 3]),
      other: weights([2, 9]),
      part: 0.5,
    },
    {
      why: "the smaller part of each option: .25 + .5",
      type: "weighted",
      one: weights([1, 1], [2, 3]),
      other: weights([1, 4], [2, 4]),
      part: 0.75,
    },
    {
      why: "options in any order",
      type: "weighted",
      one: weights([3, 1], [1, 1]),
      other: weights([1, 2], [3, 2]),
      part: 1,
    },
    {
      why: "a divided vote of a Governor and a whole one",
      type: "fractional",
      one: weights([1, 8], [2, 2]),
      other: single(1),
      part: 0.8,
    },
    {
      why: "approvals: two of four named options",
      type: "approval",
      one: list(1, 2, 3),
      other: list(2, 3, 4),
      part: 0.5,
    },
    {
      why: "approvals share none",
      type: "approval",
      one: list(1),
      other: list(2, 3),
      part: 0,
    },
    {
      why: "orders by the first option",
      type: "ranked-choice",
      one: list(2, 1, 3),
      other: list(2, 3, 1),
      part: 1,
    },
    {
      why: "orders of the same options, another first",
      type: "copeland",
      one: list(2, 1),
      other: list(1, 2),
      part: 0,
    },
    {
      why: "lists of an unknown type may be approvals",
      type: "unknown",
      one: list(2, 1),
      other: list(1, 2),
      part: 1,
    },
    {
      why: "or orders",
      type: undefined,
      one: list(1, 2),
      other: list(1, 3),
      part: 1,
    },
    {
      why: "nobody gave anything to anything",
      type: "weighted",
      one: weights([1, 0]),
      other: weights([1, 1]),
      part: 0,
    },
  ])("$why", ({ type, one, other, part }) => {
    expect(agreementOf([one, other], type, chosenBy(1, 1))?.(0, 1)).toBeCloseTo(part, 12);
  });

  test("single choices need no comparison but of their indexes, and neither does what nobody can read", () => {
    const choices = [single(1), single(2), { kind: "unreadable" } as const];
    expect(agreementOf(choices, "basic", chosenBy(1, 1, 1))).toBeUndefined();
    expect(agreementOf([], "weighted", chosenBy())).toBeUndefined();
  });

  test.each<{
    why: string;
    type: VotingType | undefined;
    choices: readonly Choice[];
    powers: readonly number[];
    parts: readonly number[] | undefined;
  }>([
    {
      why: "with a side by what it has of the power for any side",
      type: "basic",
      choices: [single(3), single(1), single(2)],
      powers: [50, 30, 10],
      parts: [1, 0.75, 0.25],
    },
    {
      why: "in a Governor as well, and in part",
      type: "fractional",
      choices: [weights([1, 1], [3, 1]), single(1), single(2)],
      powers: [0, 90, 10],
      parts: [1, 0.95, 0.05],
    },
    {
      why: "what is divided between sides and abstention counts for the sides as far as it names them",
      type: "fractional",
      choices: [single(3), weights([1, 1], [3, 1]), single(2)],
      powers: [9, 4, 2],
      parts: [1, 0.75, 0.5],
    },
    {
      why: "with nobody but themselves where nobody takes a side",
      type: "basic",
      choices: [single(3), single(3), single(1)],
      powers: [1, 1, 0],
      parts: [1, 1, 0],
    },
    {
      why: "option 3 is a side like any other where the type does not say that it abstains",
      type: "single-choice",
      choices: [single(3), single(1)],
      powers: [1, 1],
      parts: undefined,
    },
    {
      why: "a choice that nobody made makes no ballot one of abstentions",
      type: "basic",
      choices: [single(1), single(2)],
      powers: [1, 1],
      parts: undefined,
    },
  ])("abstentions agree: $why", ({ type, choices, powers, parts }) => {
    const agreement = agreementOf(choices, type, chosenBy(...powers));
    expect(agreement && choices.map((_, other) => agreement(0, other))).toEqual(
      parts?.map((part) => expect.closeTo(part, 12)),
    );
  });
});

const option = fc.integer({ min: 1, max: 6 });
const anyChoice: fc.Arbitrary<Choice> = fc.oneof(
  option.map(single),
  fc.uniqueArray(option, { minLength: 1 }).map((options) => list(...options)),
  fc
    .uniqueArray(fc.tuple(option, fc.double({ min: 0, max: 1e9, noNaN: true })), { selector: ([key]) => key })
    .map((all) => weights(...all)),
);

test("it is symmetrical, between 0 and 1, and 1 for a choice and itself", () => {
  const anyType = fc.constantFrom<VotingType | undefined>(
    "approval",
    "ranked-choice",
    "copeland",
    "weighted",
    "quadratic",
    "basic",
    "fractional",
    "unknown",
    undefined,
  );
  fc.assert(
    fc.property(fc.array(anyChoice, { minLength: 2, maxLength: 6 }), anyType, (choices, type) => {
      const agreement = agreementOf(choices, type, chosenBy(...choices.map((_, index) => index + 1)));
      for (const one of agreement === undefined ? [] : choices.keys()) {
        expect(agreement?.(one, one)).toBe(1);
        for (const other of choices.keys()) {
          const part = agreement?.(one, other) ?? Number.NaN;
          expect(part).toBe(agreement?.(other, one));
          expect(part).toBeGreaterThanOrEqual(0);
          expect(part).toBeLessThanOrEqual(1);
        }
      }
    }),
  );
});
