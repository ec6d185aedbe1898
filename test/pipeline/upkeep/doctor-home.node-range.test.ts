import { expect, test } from "vitest";
import { isInNodeRange } from "../../../pipeline/upkeep/doctor-home.ts";

const RANGE = ">=20.19 <21 || >=22.12";

test.each([
  { why: "the lowest", version: "20.19.0", is: true },
  { why: "just below it", version: "20.18.9", is: false },
  { why: "the highest of the first span", version: "20.99.99", is: true },
  { why: "the gap between", version: "21.0.0", is: false },
  { why: "the gap's end", version: "22.11.0", is: false },
  { why: "the second span's lowest", version: "22.12.0", is: true },
  { why: "numbers, not letters", version: "100.0.0", is: true },
  { why: "no version", version: "v20", is: undefined },
])("$why: $version", ({ version, is }) => {
  expect(isInNodeRange(version, RANGE)).toBe(is);
});

test.each(["", "^20.19.0", "20.x", ">=20 <=21"])("a range we do not write is not guessed at: %j", (range) => {
  expect(isInNodeRange("20.19.0", range)).toBeUndefined();
});
