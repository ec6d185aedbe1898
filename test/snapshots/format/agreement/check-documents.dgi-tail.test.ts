import { describe, expect, it } from "vitest";
import { dgiTail, endedDays } from "../../../../snapshots/format/agreement/check-documents.ts";

describe("endedDays", () => {
  it.each([
    {
      why: "the last millisecond of a day ends it",
      asOf: "2026-03-31T23:59:59.999Z",
      days: 1,
      first: "2026-03-31",
      last: "2026-03-31",
    },
    {
      why: "a millisecond earlier it has not ended",
      asOf: "2026-03-31T23:59:59.998Z",
      days: 1,
      first: "2026-03-30",
      last: "2026-03-30",
    },
    { why: "midnight", asOf: "2026-04-01T00:00:00.000Z", days: 30, first: "2026-03-02", last: "2026-03-31" },
    {
      why: "over a leap day",
      asOf: "2024-03-01T12:00:00.000Z",
      days: 2,
      first: "2024-02-28",
      last: "2024-02-29",
    },
    { why: "a year", asOf: "2026-03-31T23:59:59.999Z", days: 365, first: "2025-04-01", last: "2026-03-31" },
  ])("$why", ({ asOf, days, first, last }) => {
    expect(endedDays(asOf, days)).toEqual({ first, last });
  });
});

describe("dgiTail", () => {
  const components = { hpr: 1, dei: 1, pdi: 1, gpi: 1 };
  const point = (date: string) => ({ date, composite: 1, components });
  const asOf = "2026-03-31T23:59:59.999Z";

  it("counts calendar days, not points: missing days are missing", () => {
    const points = ["2025-12-01", "2026-03-01", "2026-03-02", "2026-03-31"].map(point);
    expect(dgiTail(points, "30d", asOf).values.map((each) => each.date)).toEqual([
      "2026-03-02",
      "2026-03-31",
    ]);
    expect(dgiTail(points, "90d", asOf).values).toHaveLength(3);
    expect(dgiTail(points, "365d", asOf)).toEqual({ period: "365d", values: points });
  });

  it("may be empty", () => {
    expect(dgiTail([point("2026-01-01")], "30d", asOf)).toEqual({ period: "30d", values: [] });
  });
});
