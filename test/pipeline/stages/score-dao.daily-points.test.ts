import { describe, expect, it } from "vitest";
import type { DailyPoint } from "../../../pipeline/facts/days.ts";
import {
  historyDayEndsMs,
  joinPoints,
  missingDayEndsMs,
  standingPoints,
} from "../../../pipeline/stages/score-dao.ts";
import { dayEndMs, dayOf } from "../../../snapshots/format/ids.ts";

const at = (moment: string): number => Date.parse(moment);
const pointOn = (date: string, gvs = 5): DailyPoint => ({
  date,
  methodologyVersion: "1.0.0",
  gvs,
  components: { hpr: 1, dei: 2, pdi: 3, gpi: 4 },
  riskScore: undefined,
  completenessPct: 90,
  attentionSum: 20,
});

describe("the days that are scored", () => {
  it.each([
    {
      why: "a year, and back to the day on which its first quarter's members were chosen",
      asOf: "2026-10-31T23:59:59.999Z",
      first: "2025-09-30",
      last: "2026-10-31",
    },
    {
      why: "the running day is not over",
      asOf: "2026-10-31T23:59:59.998Z",
      first: "2025-09-30",
      last: "2026-10-30",
    },
    {
      why: "the first day of a quarter needs the day before it",
      asOf: "2026-12-31T23:59:59.999Z",
      first: "2025-12-31",
      last: "2026-12-31",
    },
  ])("are $why", ({ asOf, first, last }) => {
    const days = historyDayEndsMs(at(asOf)).map(dayOf);
    expect([days.at(0), days.at(-1)]).toEqual([first, last]);
    expect(days.length).toBe(1 + (dayEndMs(last) - dayEndMs(first)) / 86_400_000);
  });

  it("are those that nothing is kept of", () => {
    const ends = ["2026-01-01", "2026-01-02", "2026-01-03"].map(dayEndMs);
    expect(missingDayEndsMs(ends, [pointOn("2026-01-02")]).map(dayOf)).toEqual(["2026-01-01", "2026-01-03"]);
  });
});

describe("the points of a version", () => {
  it("are kept and scored ones by date, none of a day that is not over", () => {
    const kept = [pointOn("2020-05-01"), pointOn("2026-01-03")];
    const joined = joinPoints(kept, [pointOn("2026-01-01")], at("2026-01-02T12:00:00.000Z"));
    expect(joined.map(({ date }) => date)).toEqual(["2020-05-01", "2026-01-01"]);
  });

  it.each([
    { why: "boundary: the week is over", asOf: "2026-01-08T23:59:59.999Z", stands: true },
    { why: "a millisecond is missing", asOf: "2026-01-08T23:59:59.998Z", stands: false },
    { why: "high", asOf: "2027-01-01T00:00:00.000Z", stands: true },
  ])("stand a week after their day: $why", ({ asOf, stands }) => {
    expect(standingPoints([pointOn("2026-01-01")], at(asOf))).toHaveLength(stands ? 1 : 0);
  });
});
