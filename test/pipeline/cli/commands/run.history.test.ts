import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { METHODOLOGY } from "../../../../pipeline/score/method/methodology.ts";
import { DaoHistory } from "../../../../snapshots/format/dao.ts";
import { RunReport } from "../../../../snapshots/format/manifest.ts";
import { publishedFiles } from "../../../support/published-files.ts";
import { lastKeptDate, tamperPoints } from "../../warehouse/tamper-points.ts";
import { LEAF, makeStands, type Stand } from "../stand.ts";

const { published } = await makeStands();

const historyOf = (setup: Stand) =>
  DaoHistory.parse(publishedFiles(setup.snapshots).json(`history/${LEAF}.json`)).points;
const findingsOf = (setup: Stand) =>
  RunReport.parse(publishedFiles(setup.snapshots).json("run.json")).findings.map(({ code }) => code);

const warehouseOf = (setup: Stand) => join(setup.home, "warehouse.db");

const publish = (setup: Stand) => setup.govdata(["publish", "--as-of", "2026-10-31"]);

describe("history", () => {
  it("is a year of days, ascending, up to the moment of the version", () => {
    const points = historyOf(published());
    expect([points.at(0)?.date, points.at(-1)?.date]).toEqual(["2025-11-01", "2026-10-31"]);
    expect(points.every(({ methodology_version }) => methodology_version === METHODOLOGY.version)).toBe(true);
  });

  it("keeps what was published of a day that is over for good, and scores the last week anew", async () => {
    const setup = published();
    const before = historyOf(setup);
    tamperPoints(warehouseOf(setup), (point) => {
      if (point.date === "2026-10-23") return undefined;
      return point.date === "2026-10-24" ? { ...point, gvs: 1.25 } : point;
    });
    expect(await publish(setup)).toMatchObject({ code: 0 });
    const changed = historyOf(setup).filter((point, index) => point.gvs !== before[index]?.gvs);
    expect(
      changed.map(({ date, gvs }) => [date, gvs]),
      "a missing day is filled as it was",
    ).toEqual([["2026-10-24", 1.25]]);
    expect(lastKeptDate(warehouseOf(setup)), "later days may still change").toBe("2026-10-24");
  });

  it("is made anew, and says so, when a constant of the method changed", async () => {
    const setup = published();
    const before = historyOf(setup);
    expect(findingsOf(setup)).not.toContain("HISTORY_RECOMPUTED");
    tamperPoints(
      warehouseOf(setup),
      (point) => ({ ...point, gvs: 1.25 }),
      () => "0.9.0+0123456789abcdef",
    );
    expect(await publish(setup)).toMatchObject({ code: 0 });
    expect(historyOf(setup)).toEqual(before);
    expect(findingsOf(setup)).toContain("HISTORY_RECOMPUTED");
  });

  it("is scored again for the days that are asked for", async () => {
    const setup = published();
    const before = historyOf(setup);
    tamperPoints(warehouseOf(setup), (point) =>
      point.date >= "2026-01-01" && point.date <= "2026-01-10" ? { ...point, gvs: 1.25 } : point,
    );
    const end = await setup.govdata([
      "--json",
      "backfill",
      LEAF,
      "--from",
      "2025-01-01",
      "--to",
      "2026-01-07",
    ]);
    expect(end.code, end.stderr).toBe(0);
    const [result] = JSON.parse(end.stdout);
    expect(result).toMatchObject({ spaceId: LEAF, days: 372 });
    await publish(setup);
    const points = historyOf(setup);
    const wrong = points.filter(({ gvs }) => gvs === 1.25).map(({ date }) => date);
    expect(wrong, "days that nobody asked for stay").toEqual(["2026-01-08", "2026-01-09", "2026-01-10"]);
    expect(points.length, "older days join the history").toBe(before.length + result.scored - 68);
  });

  it.each([
    { why: "days that may still change", from: "2026-10-01", to: "2026-10-25", says: "2026-10-24" },
    { why: "an end before the beginning", from: "2026-05-02", to: "2026-05-01", says: "is after" },
    { why: "more days than any DAO has", from: "2001-01-01", to: "2026-01-01", says: "more than" },
    { why: "no day", from: "2026-02-30", to: "2026-03-01", says: "--from" },
  ])("refuses $why", async ({ from, to, says }) => {
    const end = await published().govdata(["backfill", "--from", from, "--to", to]);
    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining(says) });
  });
});
