import { expect, test } from "vitest";
import { formatTable } from "../../../pipeline/cli/table.ts";

const columns = [
  { heading: "name", of: (row: readonly [string, string]) => row[0] },
  { heading: "n", of: (row: readonly [string, string]) => row[1], align: "right" as const },
];

test.each([
  { why: "no rows: headings alone", rows: [], is: "name  n\n" },
  { why: "narrow cells: as wide as the heading", rows: [["a", "1"]], is: "name  n\na     1\n" },
  {
    why: "wide cells: the heading follows, each on its side",
    rows: [
      ["harbour", "1"],
      ["a", "1000"],
    ],
    is: "name        n\nharbour     1\na        1000\n",
  },
  { why: "no spaces at the end of a line", rows: [["a", ""]], is: "name  n\na\n" },
] as const)("$why", ({ rows, is }) => {
  expect(formatTable(columns, rows)).toBe(is);
});
