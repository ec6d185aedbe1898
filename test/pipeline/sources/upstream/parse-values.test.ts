import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  addressOf,
  type CastPower,
  jsonExcess,
  parseStored,
  quorumOf,
  sumOfPower,
  textList,
  VOTE_OPTIONS,
  type VoteOption,
} from "../../../../pipeline/sources/upstream/parse-values.ts";

const a = (digits: number) => `0x${"A".repeat(digits)}`;

it.each<[why: string, given: string, want: string | undefined]>([
  ["an EVM address", a(40), `0x${"a".repeat(40)}`],
  ["a whole Starknet address", a(64), `0x${"a".repeat(64)}`],
  ["one digit less", a(63), `0x0${"a".repeat(63)}`],
  ["one digit more than an EVM address", a(41), `0x${"0".repeat(23)}${"a".repeat(41)}`],
  ["too short for either", a(39), undefined],
  ["too long", a(65), undefined],
  ["a name", "x.eth", undefined],
])("spells %s", (_why, given, want) => {
  expect(addressOf(given)).toBe(want);
});

it.each<[text: string | undefined, want: object | undefined]>([
  ['{"basis":"b","rows":[1,null]}', { basis: "b", rows: [1, null] }],
  [undefined, undefined],
  ["{", undefined],
  ["{}", undefined],
  ['{"basis":1}', undefined],
])("takes %s for what was stored, or for nothing", (text, want) => {
  const Page = z.object({ basis: z.string(), rows: z.array(z.unknown()) });
  expect(parseStored(Page, text)).toEqual(want);
});

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
  const deeper = "is nested deeper than 1 levels";
  it.each<[why: string, text: string, depthMax: number, valuesMax: number | undefined, want?: string]>([
    ["nothing at all", "", 1, 1],
    ["the deepest that may be", "[{}]", 2, 9],
    ["one deeper", "[{}]", 1, 9, deeper],
    ["brackets in a text", '"[[[{{{,,,"', 1, 1],
    ["brackets after an escaped quote", '"\\"[[["', 1, 1],
    ["a text that ends in a backslash", '["\\\\",[]]', 1, 9, deeper],
    ["one value too many", "[1,1,1]", 9, 3, "contains more than 3 values"],
    ["many values where nobody counts", "[1,1,1]", 9, undefined],
  ])("%s", (_why, text, depthMax, valuesMax, want) => {
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

const CAST: CastPower = { for: 50n, against: 30n, abstain: 20n, other: 0n };
const UNKNOWN = { quorum: undefined, quorumPower: undefined };

it.each<
  [why: string, options: readonly VoteOption[] | undefined, want: object, power?: object, amount?: bigint]
>([
  ["Bravo: votes for only", ["for"], { quorum: 60, quorumPower: 50 }],
  ["OpenZeppelin: abstentions too", ["for", "abstain"], { quorum: 60, quorumPower: 70 }],
  ["high: all that is cast", VOTE_OPTIONS, { quorum: 60, quorumPower: 100 }],
  ["low: nobody voted for", ["for"], { quorum: 60, quorumPower: 0 }, { for: 0n }],
  ["none is required", ["for"], { quorum: 0, quorumPower: 50 }, {}, 0n],
  ["unknown: what counts", undefined, UNKNOWN],
  ["unknown: what some power was cast for", ["for"], UNKNOWN, { other: 1n }],
])("a quorum of 60: %s", (_why, options, want, power = {}, amount = 60n) => {
  expect(quorumOf(amount, { ...CAST, ...power }, options, 0)).toEqual(want);
});

it("a quorum is unknown where nobody knows how much is required", () => {
  expect(quorumOf(undefined, CAST, ["for"], 0)).toEqual(UNKNOWN);
});

it("never more counts than was cast, and power against changes nothing where it does not count", () => {
  const amount = fc.bigInt({ min: 0n, max: 10n ** 40n });
  const cast = fc.record({ for: amount, against: amount, abstain: amount, other: fc.constant(0n) });
  fc.assert(
    fc.property(cast, fc.subarray([...VOTE_OPTIONS]), fc.nat(30), (power, options, decimals) => {
      const { quorumPower } = quorumOf(1n, power, options, decimals);
      expect(quorumPower).toBeLessThanOrEqual(Number(`${sumOfPower(power)}e-${decimals}`));
      const without = quorumOf(1n, { ...power, against: 0n }, options, decimals).quorumPower ?? 0;
      if (options.includes("against")) expect(quorumPower).toBeGreaterThanOrEqual(without);
      else expect(quorumPower).toBe(without);
    }),
  );
});
