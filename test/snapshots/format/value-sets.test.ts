import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { byMonth, lineSpans, monthOf } from "../../../snapshots/format/delegates.ts";
import { documentsOfDaos } from "../../../snapshots/format/documents.ts";
import { dayOf } from "../../../snapshots/format/ids.ts";
import {
  captureRiskOf,
  delegateCentralizationOf,
  labelledPoints,
  labelOf,
  riskLevelOf,
  velocityOf,
  weightTierOf,
} from "../../../snapshots/format/value-sets.ts";
import { graphOf } from "../../support/delegation-graph.ts";
import { datedListing, publishedSet } from "../../support/published-set.ts";

describe("words for numbers", () => {
  it.each([
    {
      what: "label",
      of: labelOf,
      rows: [
        [0, "Critical"],
        [1.99, "Critical"],
        [2, "Weak"],
        [3.99, "Weak"],
        [4, "Moderate"],
        [5.99, "Moderate"],
        [6, "Strong"],
        [7.99, "Strong"],
        [8, "Excellent"],
        [10, "Excellent"],
      ],
    },
    {
      what: "risk level",
      of: riskLevelOf,
      rows: [
        [0, "low"],
        [24.9, "low"],
        [25, "moderate"],
        [49.9, "moderate"],
        [50, "high"],
        [74.9, "high"],
        [75, "critical"],
        [100, "critical"],
      ],
    },
    {
      what: "capture risk",
      of: captureRiskOf,
      rows: [
        [1, "critical"],
        [2, "high"],
        [3, "high"],
        [4, "moderate"],
        [9, "moderate"],
        [10, "low"],
        [1000, "low"],
      ],
    },
    {
      what: "delegate centralization",
      of: delegateCentralizationOf,
      rows: [
        [0, "low"],
        [999.9, "low"],
        [1000, "moderate"],
        [1799.9, "moderate"],
        [1800, "high"],
        [2499.9, "high"],
        [2500, "critical"],
        [10000, "critical"],
      ],
    },
    {
      what: "velocity",
      of: velocityOf,
      rows: [
        [0, "dormant"],
        [0.001, "low"],
        [0.999, "low"],
        [1, "moderate"],
        [7.99, "moderate"],
        [8, "high"],
        [19.99, "high"],
        [20, "very_high"],
        [500, "very_high"],
      ],
    },
  ] as { what: string; of: (value: number) => string; rows: [number, string][] }[])(
    "$what",
    ({ of, rows }) => {
      for (const [value, word] of rows) expect([value, of(value)]).toEqual([value, word]);
    },
  );
});

describe("weightTierOf", () => {
  it.each([
    { why: "exactly 1 %", votes: 10n, total: 1000n, want: "T1" },
    { why: "a hair below 1 %", votes: 9n, total: 1000n, want: "T2" },
    { why: "exactly 0.1 %", votes: 1n, total: 1000n, want: "T2" },
    { why: "a hair below 0.1 %", votes: 999n, total: 1_000_000n, want: "T3" },
    { why: "beyond what a double can tell apart", votes: 10n ** 28n - 1n, total: 10n ** 30n, want: "T2" },
    { why: "no votes", votes: 0n, total: 1000n, want: "T3" },
  ])("$why", ({ votes, total, want }) => {
    expect(weightTierOf(votes, total)).toBe(want);
  });

  it("never gives more votes a lighter tier", () => {
    const amount = fc.bigInt({ min: 0n, max: 10n ** 30n });
    fc.assert(
      fc.property(amount, amount, fc.bigInt({ min: 1n, max: 10n ** 31n }), (a, b, total) => {
        const [less, more] = a < b ? [a, b] : [b, a];
        expect(weightTierOf(more, total) <= weightTierOf(less, total)).toBe(true);
      }),
    );
  });
});

it.each([
  { why: "no praise on what is unknown", low: 5, high: 10, points: 5 },
  { why: "nor blame", low: 0, high: 6, points: 5 },
  { why: "at least so good", low: 8.2, high: 9, points: 8.2 },
  { why: "at most so bad", low: 0, high: 1.9, points: 1.9 },
])("a label rests on the number nearest to 5: $why", ({ low, high, points }) => {
  expect(labelledPoints({ low, high })).toBe(points);
});

const DAY_MS = 86_400_000;

describe("byMonth", () => {
  it("keeps each month's days, in order, and holes between them", () => {
    const days = ["2026-01-30", "2026-01-31", "2026-03-01", "2026-03-03"].map((date) => ({ date }));
    expect(byMonth(days)).toEqual([
      { month: "2026-01", days: days.slice(0, 2) },
      { month: "2026-03", days: days.slice(2) },
    ]);
    expect(byMonth([])).toEqual([]);
    expect(monthOf("2024-02-29")).toBe("2024-02");
  });

  it("puts 1,000 DAOs with 365 dated listings each into at most 25,000 files", () => {
    const set = publishedSet();
    const [listing] = set.listings;
    const { latest } = listing!;
    const files = documentsOfDaos({
      details: set.details.slice(0, 1),
      risks: set.risks.slice(0, 1),
      histories: set.histories.slice(0, 1),
      graphs: [graphOf(latest, set.asOf)],
      emptyFrames: [],
      evidence: [{ evidence: { space_id: latest.dao } as never, proposals: [] }],
      listings: [
        {
          ...listing!,
          // No year has its 365 days in more months than this one.
          dated: Array.from({ length: 365 }, (_, day) =>
            datedListing(dayOf(Date.parse("2025-10-15T00:00:00Z") + day * DAY_MS), latest),
          ),
        },
      ],
    });
    expect(files.filter(({ kind }) => kind === "delegateMonth")).toHaveLength(13);
    expect(files).toHaveLength(22);
    expect(1_000 * files.length).toBeLessThanOrEqual(25_000);
  });
});

describe("lineSpans", () => {
  it.each([
    { why: "nothing", text: "", want: [] },
    { why: "one line", text: "ab\n", want: ["ab\n"] },
    { why: "an empty line", text: "a\n\nb\n", want: ["a\n", "\n", "b\n"] },
    { why: "a line that was cut", text: "a\nb", want: ["a\n", "b"] },
    { why: "letters of more than a byte", text: "é\nü\n", want: ["é\n", "ü\n"] },
  ])("finds the lines of $why", ({ text, want }) => {
    const bytes = Buffer.from(text);
    const lines = lineSpans(bytes).map(({ offset, bytes: length }) =>
      bytes.subarray(offset, offset + length).toString(),
    );
    expect(lines).toEqual(want);
  });

  it("leaves no byte out and takes none twice", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (array) => {
        let end = 0;
        for (const { offset, bytes } of lineSpans(Buffer.from(array))) {
          expect(offset).toBe(end);
          end += bytes;
        }
        expect(end).toBe(array.length);
      }),
    );
  });
});
