import { expect, it } from "vitest";
import { addressOf } from "../../../../pipeline/sources/upstream/parse-values.ts";

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
