import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { jsonExcess } from "../../../../pipeline/sources/upstream/json-excess.ts";
import { addressOf, parseStored, textList } from "../../../../pipeline/sources/upstream/parse-values.ts";

const a = (digits: number) => `0x${"A".repeat(digits)}`;

it.each([
  { why: "an EVM address", given: a(40), want: `0x${"a".repeat(40)}` },
  { why: "a whole Starknet address", given: a(64), want: `0x${"a".repeat(64)}` },
  { why: "one digit less", given: a(63), want: `0x0${"a".repeat(63)}` },
  { why: "one digit more than an EVM address", given: a(41), want: `0x${"0".repeat(23)}${"a".repeat(41)}` },
  { why: "too short for either", given: a(39), want: undefined },
  { why: "too long", given: a(65), want: undefined },
  { why: "a name", given: "x.eth", want: undefined },
])("spells $why", ({ given, want }) => {
  expect(addressOf(given)).toBe(want);
});

const Page = z.object({ basis: z.string(), rows: z.array(z.unknown()) });

it("reads back what was stored", () => {
  const page = { basis: "b", rows: [1, null] };
  expect(parseStored(Page, JSON.stringify(page))).toEqual(page);
});

it.each([{ text: undefined }, { text: "{" }, { text: "{}" }, { text: '{"basis":1}' }])(
  "takes $text for nothing stored",
  ({ text }) => {
    expect(parseStored(Page, text)).toBeUndefined();
  },
);

it.each([
  { why: "no text", given: [], isOne: true },
  { why: "as many as may be", given: ["a", "b"], isOne: true },
  { why: "one too many", given: ["a", "b", "c"], isOne: false },
  { why: "a number among them", given: ["a", 1], isOne: false },
  { why: "no list", given: { 0: "a", length: 1 }, isOne: false },
  { why: "nothing", given: undefined, isOne: false },
])("$why: $isOne", ({ given, isOne }) => {
  expect(textList(2).safeParse(given).success).toBe(isOne);
});

it("describes a million wrong elements as one", () => {
  const { error } = textList().safeParse(Array(1_000_000).fill(1));
  expect(error?.issues).toHaveLength(1);
});

/** Counted on the parsed value, by recursion. */
function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
function valuesOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return 1 + Object.values(value).reduce((sum: number, one) => sum + valuesOf(one), 0);
}

describe("jsonExcess", () => {
  it.each([
    { why: "nothing at all", text: "", depthMax: 1, valuesMax: 1, want: undefined },
    { why: "the deepest that may be", text: "[{}]", depthMax: 2, valuesMax: 9, want: undefined },
    { why: "one deeper", text: "[{}]", depthMax: 1, valuesMax: 9, want: "is nested deeper than 1 levels" },
    { why: "brackets in a text", text: '"[[[{{{,,,"', depthMax: 1, valuesMax: 1, want: undefined },
    { why: "brackets after an escaped quote", text: '"\\"[[["', depthMax: 1, valuesMax: 1, want: undefined },
    {
      why: "a text that ends in a backslash",
      text: '["\\\\",[]]',
      depthMax: 1,
      valuesMax: 9,
      want: "is nested deeper than 1 levels",
    },
    {
      why: "one value too many",
      text: "[1,1,1]",
      depthMax: 9,
      valuesMax: 3,
      want: "contains more than 3 values",
    },
    {
      why: "many values where nobody counts",
      text: "[1,1,1]",
      depthMax: 9,
      valuesMax: undefined,
      want: undefined,
    },
  ])("$why", ({ text, depthMax, valuesMax, want }) => {
    expect(jsonExcess(text, valuesMax === undefined ? { depthMax } : { depthMax, valuesMax })).toBe(want);
  });

  it("agrees with the depth of what JSON.parse gives, and never counts fewer values", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const text = JSON.stringify(value);
        const depth = depthOf(JSON.parse(text));
        expect(jsonExcess(text, { depthMax: depth })).toBeUndefined();
        if (depth > 0) expect(jsonExcess(text, { depthMax: depth - 1 })).toContain("deeper");
        const valuesMax = valuesOf(JSON.parse(text)) - 1;
        if (valuesMax > 0) expect(jsonExcess(text, { depthMax: depth, valuesMax })).toContain("values");
      }),
    );
  });
});
