import { describe, expect, it } from "vitest";
import type { DailyPoint } from "../../../pipeline/facts/days.ts";
import {
  finalPointsOf,
  joinPoints,
  missingDayEndsMs,
  reconciliationFindings,
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
  indexWeight: 20,
});

describe("the days that are scored", () => {
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
    expect(finalPointsOf([pointOn("2026-01-01")], at(asOf))).toHaveLength(stands ? 1 : 0);
  });
});

const nothing = {
  powerCompared: 30,
  powerDiffers: [],
  votersCompared: 29,
  votersDiffer: [],
  ballotsMissing: [],
};
const ids = (count: number) => Array.from({ length: count }, (_, index) => `p${index + 1}`);

it.each([
  { why: "everything adds up", found: nothing, is: [] },
  {
    why: "power that does not",
    found: { ...nothing, powerDiffers: ["p1"] },
    is: [["POWER_NOT_RECONCILED", "1 of 30 ballots do not add up to the declared power: p1"]],
  },
  {
    why: "voters that are not as many",
    found: { ...nothing, votersDiffer: ["p1", "p2"] },
    is: [["VOTERS_NOT_RECONCILED", "2 of 29 ballots do not have the declared number of voters: p1, p2"]],
  },
  {
    why: "twenty are named",
    found: { ...nothing, ballotsMissing: ids(20) },
    is: [["BALLOTS_MISSING", `20 proposals have votes of which none was fetched: ${ids(20).join(", ")}`]],
  },
  {
    why: "the twenty-first is counted",
    found: { ...nothing, ballotsMissing: ids(21) },
    is: [
      [
        "BALLOTS_MISSING",
        `21 proposals have votes of which none was fetched: ${ids(20).join(", ")} and 1 more`,
      ],
    ],
  },
  {
    why: "all at once, in one order",
    found: { ...nothing, powerDiffers: ["p1"], votersDiffer: ["p2"], ballotsMissing: ["p3"] },
    is: [
      ["POWER_NOT_RECONCILED", expect.stringContaining("p1")],
      ["VOTERS_NOT_RECONCILED", expect.stringContaining("p2")],
      ["BALLOTS_MISSING", expect.stringContaining("p3")],
    ],
  },
])("$why", ({ found, is }) => {
  expect(reconciliationFindings("a.example", found)).toEqual(
    is.map(([code, message]) => ({ code, space_id: "a.example", message })),
  );
});
