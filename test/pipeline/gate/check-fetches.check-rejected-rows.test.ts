import { describe, expect, it } from "vitest";
import { checkRejectedRows } from "../../../pipeline/gate/check-fetches.ts";

const rows = (taken: number, rejected: number, spaceId = "orchard") => ({ spaceId, taken, rejected });
type Rows = readonly ReturnType<typeof rows>[];

const ALL_AND_ONE = ["all", "orchard"];
const whose = (now: Rows, before: Rows) =>
  checkRejectedRows(now, before).map(({ spaceId }) => spaceId ?? "all");

describe("checkRejectedRows", () => {
  it.each<{ why: string; now: Rows; before?: Rows; want: string[] }>([
    { why: "nothing was fetched", now: [], want: [] },
    { why: "nothing was refused", now: [rows(1000, 0)], want: [] },
    { why: "exactly a twentieth", now: [rows(1900, 100)], want: [] },
    { why: "a row more than a twentieth", now: [rows(1899, 101)], want: ALL_AND_ONE },
    { why: "few rows, whatever their share", now: [rows(0, 99)], want: [] },
    { why: "all rows of a fetch", now: [rows(0, 100)], want: ALL_AND_ONE },
    { why: "as many as before, which was looked at", now: [rows(0, 100)], before: [rows(0, 100)], want: [] },
    {
      why: "a point more than before",
      now: [rows(890, 110)],
      before: [rows(900, 100)],
      want: [],
    },
    {
      why: "over a point more than before",
      now: [rows(889, 111)],
      before: [rows(900, 100)],
      want: ALL_AND_ONE,
    },
    { why: "less than before", now: [rows(800, 200)], before: [rows(500, 500)], want: [] },
    {
      why: "one DAO among many that are fine",
      now: [rows(0, 100), rows(100_000, 0, "tidewater")],
      want: ["orchard"],
    },
    {
      why: "many DAOs, each with too few to name",
      now: Array.from({ length: 10 }, (_, index) => rows(10, 10, `dao-${index}`)),
      want: ["all"],
    },
    {
      why: "two sources of one DAO count together",
      now: [rows(0, 60), rows(0, 60)],
      want: ALL_AND_ONE,
    },
  ])("$why", ({ now, before = [], want }) => {
    expect(whose(now, before)).toEqual(want);
  });

  it("says what and where, what it was, and what is allowed", () => {
    const [finding] = checkRejectedRows([rows(300, 100)], [rows(900, 100)]);
    expect(finding).toEqual({
      code: "REJECTED_ROWS_ROSE",
      severity: "refuse",
      override: "rejected-rows",
      message: "100 of 400 rows were rejected",
      compared: { was: "10.00 %", is: "25.00 %", limit: "5 %, or 1 point above the version before" },
    });
  });
});
