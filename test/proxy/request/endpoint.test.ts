import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { isTierEnough, readParameters } from "../../../proxy/request/endpoint.ts";

const RULES = {
  period: { shape: z.enum(["30d", "90d"]), invalid: "period-invalid", description: "" },
  limit: { shape: z.string().regex(/^\d+$/).transform(Number), invalid: "limit-invalid", description: "" },
} as const;
const read = (query: string) => readParameters(new URLSearchParams(query), RULES);

describe("readParameters", () => {
  it.each([
    { why: "nothing", query: "", values: {} },
    { why: "one", query: "period=30d", values: { period: "30d" } },
    { why: "both, in any order", query: "limit=7&period=90d", values: { limit: 7, period: "90d" } },
    { why: "escaped", query: "%70eriod=%330d", values: { period: "30d" } },
    { why: "empty parts are nothing", query: "&&limit=7&", values: { limit: 7 } },
  ])("reads: $why", ({ query, values }) => {
    expect(read(query)).toEqual(values);
  });

  it.each([
    { why: "an unknown name", query: "x=1", problem: "parameter-unknown" },
    { why: "an unknown name after a good one", query: "limit=7&x", problem: "parameter-unknown" },
    { why: "a name of every object", query: "constructor=1", problem: "parameter-unknown" },
    { why: "the prototype", query: "__proto__=1", problem: "parameter-unknown" },
    { why: "brackets", query: "limit[]=1", problem: "parameter-unknown" },
    { why: "a bad value", query: "period=1d", problem: "period-invalid" },
    { why: "an empty value", query: "period=", problem: "period-invalid" },
    { why: "no value", query: "limit", problem: "limit-invalid" },
    { why: "twice, the same", query: "limit=7&limit=7", problem: "limit-invalid" },
    { why: "twice, the second bad", query: "limit=7&limit=x", problem: "limit-invalid" },
    { why: "an escape that is none", query: "limit=%zz", problem: "limit-invalid" },
  ])("refuses: $why", ({ query, problem }) => {
    expect(read(query)).toBe(problem);
  });

  it("never drops what was sent: values only when every name is known and given once", () => {
    const pairs = fc.array(
      fc.tuple(fc.constantFrom("period", "limit", "x", ""), fc.constantFrom("30d", "7", "")),
    );
    fc.assert(
      fc.property(pairs, (sent) => {
        const result = readParameters(new URLSearchParams(sent), RULES);
        if (typeof result === "object") expect(Object.keys(result)).toHaveLength(sent.length);
      }),
    );
  });
});

describe("isTierEnough", () => {
  it.each([
    { tier: "free", needed: "free", want: true },
    { tier: "free", needed: "pro", want: false },
    { tier: "pro", needed: "pro", want: true },
    { tier: "pro", needed: "enterprise", want: false },
    { tier: "enterprise", needed: "pro", want: true },
  ] as const)("$tier for $needed: $want", ({ tier, needed, want }) => {
    expect(isTierEnough(tier, needed)).toBe(want);
  });
});
