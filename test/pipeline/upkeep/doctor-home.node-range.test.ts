import { join } from "node:path";
import { expect, test } from "vitest";
import { readPackage } from "../../../pipeline/home/settings.ts";
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
])("$why: $version", ({ version, is }) => {
  expect(isInNodeRange(version, RANGE)).toBe(is);
});

test("the range of the package is written as it is read", () => {
  const { engines } = readPackage(join(import.meta.dirname, "../../.."));
  for (const bound of engines.node.split(/ (?:\|\| )?/)) expect(bound).toMatch(/^(>=|<)\d+(\.\d+)*$/);
});
