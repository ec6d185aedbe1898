import { expect, it } from "vitest";
import { paddedAddress, votersOf } from "../../../../pipeline/sources/hub/hub-reading.ts";

const a = (digits: number) => `0x${"A".repeat(digits)}`;

it.each([
  { why: "an EVM address", given: a(40), padded: a(40) },
  { why: "a whole Starknet address", given: a(64), padded: a(64) },
  { why: "one digit less", given: a(63), padded: `0x0${"A".repeat(63)}` },
  { why: "one digit more than an EVM address", given: a(41), padded: `0x${"0".repeat(23)}${"A".repeat(41)}` },
  { why: "too short for either", given: a(39), padded: a(39) },
  { why: "too long", given: a(65), padded: a(65) },
  { why: "a name", given: "x.eth", padded: "x.eth" },
])("pads $why", ({ given, padded }) => {
  expect(paddedAddress(given)).toBe(padded);
});

it("finds the voters of rows once each and passes over what is none", () => {
  const rows = [
    { voter: a(40) },
    { voter: a(40).toLowerCase() },
    { voter: a(63) },
    { voter: 7 },
    {},
    null,
    "x",
  ];
  expect(votersOf([...rows, { voter: "x.eth" }])).toEqual([`0x${"a".repeat(40)}`, `0x0${"a".repeat(63)}`]);
});
