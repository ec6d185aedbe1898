import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { byMonth, lineSpans, monthOf } from "../../../snapshots/format/delegate-months.ts";
import { documentsOfDaos } from "../../../snapshots/format/documents.ts";
import { dayOf } from "../../../snapshots/format/ids.ts";
import { graphOf } from "../../support/delegation-graph.ts";
import { datedListing, publishedSet } from "../../support/published-set.ts";

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
