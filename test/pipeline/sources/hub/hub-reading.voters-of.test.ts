import { expect, it } from "vitest";
import { votersOf } from "../../../../pipeline/sources/hub/hub-reading.ts";

const a = (digits: number) => `0x${"A".repeat(digits)}`;

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
