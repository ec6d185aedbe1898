import { describe, expect, it } from "vitest";
import { strategiesKey } from "../../../pipeline/facts/proposal.ts";

describe("strategiesKey", () => {
  it.each([
    { why: "none given", strategies: undefined, want: undefined },
    { why: "null", strategies: null, want: undefined },
    { why: "an empty list is none of its own", strategies: [], want: undefined },
    {
      why: "keys in order",
      strategies: [{ b: 1, a: { d: 2, c: [3] } }],
      want: '[{"a":{"c":[3],"d":2},"b":1}]',
    },
  ])("$why", ({ strategies, want }) => {
    expect(strategiesKey(strategies)).toBe(want);
  });
});
