import { describe, expect, it, test } from "vitest";
import { formatTable } from "../../../../snapshots/base/command-line/table.ts";

const columns = [
  { heading: "name", cell: (row: readonly [string, string]) => row[0] },
  { heading: "n", cell: (row: readonly [string, string]) => row[1], align: "right" as const },
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
  expect(formatTable(rows, columns)).toBe(is);
});

describe("a terminal that is too narrow", () => {
  const wide = [
    { heading: "id", cell: () => "0x00112233" },
    { heading: "n", cell: () => "12345", align: "right" as const, fit: "drop" as const },
    { heading: "m", cell: () => "123", fit: "drop" as const },
    { heading: "why", cell: (row: string) => row, fit: "spill" as const },
  ];
  const row = "because of this";
  it.each([
    {
      why: "just wide enough: nothing changes",
      width: 39,
      is: `id              n  m    why\n0x00112233  12345  123  ${row}\n`,
    },
    {
      why: "no width: nothing changes",
      width: undefined,
      is: `id              n  m    why\n0x00112233  12345  123  ${row}\n`,
    },
    {
      why: "one less: the last goes below",
      width: 38,
      is: `id              n  m\n0x00112233  12345  123\n    ${row}\n`,
    },
    {
      why: "narrower: the last that may go is gone",
      width: 21,
      is: `id              n\n0x00112233  12345\n    ${row}\n`,
    },
    { why: "narrower still: all that may", width: 16, is: `id\n0x00112233\n    ${row}\n` },
    { why: "too narrow for an id: it stays whole", width: 3, is: `id\n0x00112233\n    ${row}\n` },
  ])("$why", ({ width, is }) => {
    expect(formatTable([row], wide, width)).toBe(is);
  });

  it("has no line below a row with nothing to say", () => {
    expect(formatTable(["", "y".repeat(40)], wide, 36)).toBe(
      `id              n  m\n0x00112233  12345  123\n0x00112233  12345  123\n    ${"y".repeat(40)}\n`,
    );
  });
});
