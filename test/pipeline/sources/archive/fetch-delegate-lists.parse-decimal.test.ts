import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDecimal, scaledTo } from "../../../../pipeline/sources/archive/fetch-delegate-lists.ts";

describe("parseDecimal", () => {
  it.each([
    { why: "0", text: "0", want: { digits: 0n, decimals: 0 } },
    { why: "whole", text: "4002000", want: { digits: 4_002_000n, decimals: 0 } },
    { why: "zeros at the end need no decimals", text: "1.500", want: { digits: 15n, decimals: 1 } },
    { why: "a wei", text: "0.000000000000000001", want: { digits: 1n, decimals: 18 } },
    {
      why: "30 digits after the point",
      text: `0.${"1".repeat(30)}`,
      want: { digits: BigInt("1".repeat(30)), decimals: 30 },
    },
  ])("$why", ({ text, want }) => {
    expect(parseDecimal(text, "votes")).toEqual(want);
  });

  it.each([
    "",
    "-1",
    "+1",
    ".5",
    "5.",
    "1e5",
    "0x10",
    "1,000",
    " 1",
    "NaN",
    `0.${"1".repeat(31)}`,
    "9".repeat(79),
  ])("refuses %j", (text) => {
    expect(() => parseDecimal(text, "votes")).toThrow(expect.objectContaining({ code: "POWER_INVALID" }));
  });

  it("loses nothing, in whatever unit the number is wanted", () => {
    const parts = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 60n }), fc.integer({ min: 0, max: 30 }));
    fc.assert(
      fc.property(parts, ([units, decimals]) => {
        const digits = units.toString().padStart(decimals + 1, "0");
        const whole = digits.slice(0, digits.length - decimals);
        const text = decimals === 0 ? whole : `${whole}.${digits.slice(-decimals)}`;
        expect(scaledTo(parseDecimal(text, "votes"), decimals)).toBe(units);
      }),
    );
  });
});
