import { describe, expect, it } from "vitest";
import { diffVersions } from "../../../../pipeline/tools/compare/diff.ts";
import { daysBefore, diffDays, firstDayOf, lastDayOf } from "../../../../pipeline/tools/compare/diff-days.ts";
import { readVersion } from "../../../../snapshots/store/read/read-documents.ts";
import { BEGUN, BUSY, expectReadable, POWERLESS, publishVersions, RULED, UNUSED } from "./versions-stage.ts";

const DAYS = { from: "2026-09-15", to: "2026-10-10" };
const stage = await publishVersions([BUSY, RULED, POWERLESS, BEGUN, UNUSED], [DAYS.from, DAYS.to]);
const [older, whole] = stage.versions.map((version) => readVersion(stage.snapshots, version));
if (older === undefined || whole === undefined) throw new Error("two are published");

describe("two days of one version", () => {
  it("differ as the two versions of these days do, though one of them alone is read", () => {
    const versions = new Map(diffVersions(older, whole, 0).daos.map((dao) => [dao.spaceId, dao]));
    const days = diffDays(whole, DAYS, 0);
    expect(days.daos.length).toBeGreaterThan(2);
    for (const { spaceId, fate, gvs, rank, risk, frame } of days.daos) {
      const other = versions.get(spaceId);
      expect({ fate, rank }).toEqual({ fate: other?.fate, rank: other?.rank });
      for (const side of ["before", "after"] as const) {
        expect(Math.abs((gvs[side] ?? 0) - (other?.gvs[side] ?? 0))).toBeLessThanOrEqual(0.005 + 1e-9);
        expect(Math.abs((risk[side] ?? 0) - (other?.risk[side] ?? 0))).toBeLessThanOrEqual(0.05 + 1e-9);
      }
      if (fate === "moved") expect(frame.entered).toEqual(other?.frame.entered);
    }
    const scored = diffVersions(older, whole, 0);
    expect([days.from.scored, days.to.scored]).toEqual([scored.from.scored, scored.to.scored]);
    expect([days.from.unscored, days.to.unscored]).toEqual([scored.from.unscored, scored.to.unscored]);
  });

  it("account for what each component moved: presence, indicators, what is not known, and what no proposal explains", () => {
    const moved = diffDays(whole, DAYS, 0).daos.filter(({ fate }) => fate === "moved");
    expect(moved.length).toBeGreaterThan(1);
    for (const { gvs, components } of moved) {
      for (const { before, after, presence, indicators, notKnown, unexplained } of components) {
        const rest = presence + notKnown + unexplained;
        const told = indicators.reduce((sum, { points }) => sum + points, rest);
        expect(told).toBeCloseTo(after - before, 9);
      }
      const points = components.reduce((sum, { gvsPoints }) => sum + (gvsPoints ?? Number.NaN), 0);
      const change = (gvs.after ?? Number.NaN) - (gvs.before ?? Number.NaN);
      expect(Math.abs(points - change), "of rounded points").toBeLessThan(0.02);
    }
    expect(moved.some(({ components }) => components.some(({ indicators }) => indicators.length > 0))).toBe(
      true,
    );
  });

  it("leave nothing unexplained of deliberation, whose marks no other proposal moves", () => {
    for (const { components } of diffDays(whole, DAYS, 0).daos) {
      const pdi = components.find(({ key }) => key === "pdi");
      // Two points of the history, each rounded to hundredths.
      expect(Math.abs(pdi?.unexplained ?? 0)).toBeLessThanOrEqual(0.01 + 1e-9);
    }
  });

  it("have nothing to tell of one day twice", () => {
    const same = diffDays(whole, { from: DAYS.to, to: DAYS.to }, 0);
    expect(same).toMatchObject({ daos: [], hidden: 0, unchanged: same.to.scored });
  });

  it("say who got a score and who lost it", () => {
    const { set } = whole;
    const withoutBefore = (spaceId: string, isBefore: boolean) => ({
      ...whole,
      set: {
        ...set,
        histories: set.histories.map((history) =>
          history.space_id === spaceId
            ? { ...history, points: history.points.filter(({ date }) => date > DAYS.from === isBefore) }
            : history,
        ),
      },
    });
    const fateOf = (isBefore: boolean) =>
      diffDays(withoutBefore(RULED, isBefore), DAYS, 10).daos.find(({ spaceId }) => spaceId === RULED)?.fate;
    expect(fateOf(true)).toBe("scored");
    expect(fateOf(false)).toBe("unscored");
  });

  it("ends with the last day that has ended, whatever the hour of the version", () => {
    const dayOf = (asOf: string) => lastDayOf({ manifest: { ...whole.manifest, as_of: asOf } });
    expect(dayOf("2026-10-10T23:59:59.999Z")).toBe("2026-10-10");
    expect(dayOf("2026-10-10T23:59:59.998Z")).toBe("2026-10-09");
    expect(daysBefore("2026-03-01", 1)).toBe("2026-02-28");
  });
});

describe("the command", () => {
  it("tells of 30 days in 80 columns, and what it cannot tell", async () => {
    const end = await stage.govdata("diff", "--days", "30");
    expect(end).toMatchObject({ code: 0, stderr: "" });
    expectReadable(end.stdout);
    expect(end.stdout).toMatch(/^from 2026-09-10, its end, method/m);
    expect(end.stdout).toMatch(/^to {3}2026-10-10, its end, method/m);
    expect(end.stdout).toMatch(/^ {2}entered the frame \(was NOT_ENDED\): 0x/m);
    expect(end.stdout.replaceAll(/\s+/g, " ")).toContain("computed from the proposals as measured now");
  });

  it("takes two days, or one and the last, and means the same by a distance", async () => {
    const json = async (...args: readonly string[]) =>
      JSON.parse((await stage.govdata("--json", "diff", ...args)).stdout);
    const named = await json("--from", DAYS.from, "--to", DAYS.to);
    expect(named).toEqual(JSON.parse(JSON.stringify(diffDays(whole, DAYS, 0))));
    expect(await json("--from", DAYS.from)).toEqual(named);
    expect(await json("--days", "25")).toEqual(named);
    expect(await json("--days", "25", "--to", DAYS.to, "--version", "current")).toEqual(named);
    const before = await json("--from", "2026-08-01", "--version", "previous");
    expect(before.to).toMatchObject({ version: older.version, asOf: older.manifest.as_of });
  });

  it.each([
    { why: "versions and days", args: ["previous", "current", "--days", "3"], code: 2, says: "two days" },
    { why: "one version", args: ["current"], code: 2, says: "two versions or two days" },
    { why: "two beginnings", args: ["--days", "3", "--from", DAYS.from], code: 2, says: "two days" },
    { why: "an end alone", args: ["--to", DAYS.to], code: 2, says: "two days" },
    { why: "no day", args: ["--from", "2026-02-30"], code: 2, says: "is not a day" },
    { why: "no distance", args: ["--days", "0"], code: 2, says: "from 1 to 364" },
    { why: "backwards", args: ["--from", DAYS.to, "--to", DAYS.from], code: 2, says: "is not before" },
    {
      why: "a day to come",
      args: ["--from", DAYS.from, "--to", "2026-10-11"],
      code: 1,
      says: "history goes",
    },
    {
      why: "before the history",
      args: ["--from", "2020-01-01"],
      code: 1,
      says: `goes from ${firstDayOf(whole)} to ${DAYS.to}`,
    },
  ])("$why: ends with $code", async ({ args, code, says }) => {
    const end = await stage.govdata("diff", ...args);
    expect(end.code).toBe(code);
    expect(end.stderr).toContain(says);
  });
});
