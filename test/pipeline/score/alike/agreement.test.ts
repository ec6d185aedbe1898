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

type Type = VotingType | undefined;

describe("how far two choices agree", () => {
  test.each<[why: string, type: Type, one: Choice, other: Choice, part: number]>([
    ["the same option with another weight is the same", "weighted", weights([1, 1]), weights([1, 250]), 1],
    ["weights of nothing in common", "weighted", weights([1, 1]), weights([2, 1]), 0],
    ["half of one and all of the other", "quadratic", weights([1, 3], [2, 3]), weights([2, 9]), 0.5],
    ["the smaller part of each option", "weighted", weights([1, 1], [2, 3]), weights([1, 4], [2, 4]), 0.75],
    ["options in any order", "weighted", weights([3, 1], [1, 1]), weights([1, 2], [3, 2]), 1],
    ["a divided vote of a Governor and a whole one", "fractional", weights([1, 8], [2, 2]), single(1), 0.8],
    ["approvals: two of four named options", "approval", list(1, 2, 3), list(2, 3, 4), 0.5],
    ["rankings by the first option", "ranked-choice", list(2, 1, 3), list(2, 3, 1), 1],
    ["rankings of the same options, another first", "copeland", list(2, 1), list(1, 2), 0],
    ["lists of an unknown type may be approvals", "unknown", list(2, 1), list(1, 2), 1],
    ["or rankings", undefined, list(1, 2), list(1, 3), 1],
    ["weights that are all 0", "weighted", weights([1, 0]), weights([1, 1]), 0],
  ])("%s", (_, type, one, other, part) => {
    expect(agreementOf([one, other], type, chosenBy(1, 1))?.(0, 1)).toBeCloseTo(part, 12);
  });

  test("single and unreadable choices are compared by their indexes alone", () => {
    const choices = [single(1), single(2), { kind: "unreadable" } as const];
    expect(agreementOf(choices, "basic", chosenBy(1, 1, 1))).toBeUndefined();
    expect(agreementOf([], "weighted", chosenBy())).toBeUndefined();
  });

  const divided = weights([1, 1], [3, 1]);
  test.each<[why: string, type: Type, choices: Choice[], powers: number[], parts: number[] | undefined]>([
    [
      "with a side by its part of the power for any side",
      "basic",
      [single(3), single(1), single(2)],
      [50, 30, 10],
      [1, 0.75, 0.25],
    ],
    ["in part, in a Governor", "fractional", [divided, single(1), single(2)], [0, 90, 10], [1, 0.95, 0.05]],
    [
      "a divided vote counts for the sides that it names",
      "fractional",
      [single(3), divided, single(2)],
      [9, 4, 2],
      [1, 0.75, 0.5],
    ],
    ["only with each other if no side has power", "basic", [3, 3, 1].map(single), [1, 1, 0], [1, 1, 0]],
    ["not where option 3 is a side like any other", "single-choice", [3, 1].map(single), [1, 1], undefined],
    ["only if somebody abstained", "basic", [1, 2].map(single), [1, 1], undefined],
  ])("abstentions agree %s", (_, type, choices, powers, parts) => {
    const agreement = agreementOf(choices, type, chosenBy(...powers));
    expect(agreement && choices.map((_, other) => agreement(0, other))).toEqual(
      parts?.map((part) => expect.closeTo(part, 12)),
    );
  });
});

const option = fc.integer({ min: 1, max: 6 });
const weight = fc.tuple(option, fc.double({ min: 0, max: 1e9, noNaN: true }));
const anyChoice: fc.Arbitrary<Choice> = fc.oneof(
  option.map(single),
  fc.uniqueArray(option, { minLength: 1 }).map((options) => list(...options)),
  fc.uniqueArray(weight, { selector: ([key]) => key }).map((all) => weights(...all)),
);
const TYPES = [
  "approval",
  "ranked-choice",
  "copeland",
  "weighted",
  "quadratic",
  "basic",
  "fractional",
] as const;
const anyType = fc.constantFrom<Type>(...TYPES, "unknown", undefined);

test("agreement is symmetrical, between 0 and 1, and 1 for a choice and itself", () => {
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
