import { describe, expect, it } from "vitest";
import type { DailyPoint } from "../../../pipeline/facts/days.ts";
import { createDaoScoring, reconciliationFindings } from "../../../pipeline/stages/score-dao.ts";
import { dayEndMs } from "../../../snapshots/format/ids.ts";
import { AS_OF, LEAF, makeStands } from "../cli/stand.ts";
import { withOpenHome } from "./visited-version.ts";

const { published } = await makeStands();
const stand = published();

/** Scores the DAO of a stand, of which these points are kept. */
const score = (kept: readonly DailyPoint[], asOfMs = dayEndMs(AS_OF.slice(0, 10))) =>
  withOpenHome(stand, async ({ registry, warehouse }) => {
    const dao = registry.daos.find(({ spaceId }) => spaceId === LEAF);
    if (dao === undefined) throw new Error("the stand has that DAO");
    return createDaoScoring(registry, { ...warehouse, dailyPoints: { read: () => kept } })(dao, asOfMs);
  });

const datesOf = (points: readonly DailyPoint[]) => points.map(({ date }) => date);

describe("createDaoScoring", () => {
  it("scores the days that nothing is kept of, and joins them to the kept ones of days that are over", async () => {
    const all = await score([]);
    const [first, second] = all.scored.points;
    if (first === undefined || second === undefined) throw new Error("the stand has scores of two days");
    const old = { ...first, date: "2020-05-01" };
    const kept = { ...second, gvs: 1 };
    const { scored, finalPoints, firstDays } = await score([{ ...first, date: "2999-01-01" }, kept, old]);
    expect(scored.points).toEqual([old, first, kept, ...all.scored.points.slice(2)]);
    expect(datesOf(finalPoints)).toEqual(datesOf(all.finalPoints).filter((date) => date !== second.date));
    expect([all.firstDays, firstDays]).toEqual([all.scored.points.length, 0]);
  });

  it.each([
    { why: "boundary: the week is over", lateMs: 0, isFinal: true },
    { why: "a millisecond is missing", lateMs: -1, isFinal: false },
    { why: "high", lateMs: 3 * 86_400_000, isFinal: true },
  ])("keeps the points of days that ended a week before: $why", async ({ lateMs, isFinal }) => {
    const day = (await score([])).scored.points.at(-1)?.date ?? "";
    const { finalPoints } = await score([], dayEndMs(day) + 7 * 86_400_000 + lateMs);
    expect(datesOf(finalPoints).includes(day)).toBe(isFinal);
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
