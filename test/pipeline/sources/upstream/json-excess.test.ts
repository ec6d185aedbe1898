import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonExcess } from "../../../../pipeline/sources/upstream/json-excess.ts";

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
