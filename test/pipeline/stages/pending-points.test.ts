import fs, { readdirSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { DailyPoint } from "../../../pipeline/facts/days.ts";
import { type PendingPoints, withPendingPoints } from "../../../pipeline/stages/pending-points.ts";
import { testHome } from "../home/test-home.ts";

const settings = testHome();
const { homeDirectory } = settings;

const { appendFileSync } = fs;
afterEach(() => {
  fs.appendFileSync = appendFileSync;
  syncBuiltinESMExports();
});

const pointsOf = (days: number): readonly DailyPoint[] =>
  Array.from({ length: days }, (_, day) => ({
    date: `2026-01-${String(day + 1).padStart(2, "0")}`,
    methodologyVersion: "1.0.0",
    gvs: day / 3,
    components: { hpr: 1, dei: 2, pdi: 3, gpi: 4 },
    riskScore: day === 0 ? undefined : 5,
    completenessPct: 90,
    indexWeight: 20,
  }));

/** What the batches hold, each DAO's points read while it is the turn of its batch. */
const batchesOf = (pending: PendingPoints, size: number) =>
  [...pending.inBatches(size)].map((batch) => [...batch]);

describe("withPendingPoints", () => {
  it("yields the points of each DAO in their order, some at a time, as often as asked", () =>
    withPendingPoints(settings, async (pending) => {
      expect([batchesOf(pending, 2), pending.bytes()]).toEqual([[], 0]);
      const added = [
        ["b.example", pointsOf(31)],
        ["a.example", pointsOf(1)],
        ["c.example", pointsOf(2)],
      ] as const;
      for (const [spaceId, points] of added) pending.add(spaceId, points);
      expect(batchesOf(pending, 2)).toEqual([added.slice(0, 2), added.slice(2)]);
      expect(batchesOf(pending, 3)).toEqual([added]);
      expect(pending.bytes()).toBeGreaterThan(34 * 64);
    }));

  it("leaves no file in the home, not even while it is open, and ignores one that a crash left", async () => {
    writeFileSync(join(homeDirectory, `.points-${process.pid}`), "");
    const before = readdirSync(homeDirectory);
    await withPendingPoints(settings, async (pending) => {
      pending.add("a.example", pointsOf(1));
      expect(readdirSync(homeDirectory)).toEqual(before);
    });
    expect(readdirSync(homeDirectory)).toEqual(before);
  });

  it("closes the file in the end, also if the work fails", async () => {
    let kept: PendingPoints | undefined;
    const failing = withPendingPoints(settings, async (pending) => {
      kept = pending;
      throw new Error("the work failed");
    });
    await expect(failing).rejects.toThrow("the work failed");
    expect(() => kept?.add("a.example", pointsOf(1))).toThrow("EBADF");
  });

  it.each([
    { why: "is missing", home: join(homeDirectory, "nowhere"), code: "ENOENT" },
    { why: "is a file", home: join(homeDirectory, `.points-${process.pid}`), code: "ENOTDIR" },
  ])("throws HOME_INVALID if the home $why, before the work", async ({ home, code }) => {
    let isBegun = false;
    const opened = withPendingPoints(testHome({}, { homeDirectory: home }), async () => {
      isBegun = true;
    });
    await expect(opened).rejects.toMatchObject({
      code: "HOME_INVALID",
      message: expect.stringContaining(`(${code})`),
    });
    expect(isBegun).toBe(false);
  });

  it("throws HOME_INVALID if the disk is full", async () => {
    const full = Object.assign(new Error("ENOSPC: no space left on device, write"), {
      code: "ENOSPC",
      syscall: "write",
    });
    const end = withPendingPoints(settings, async (pending) => {
      fs.appendFileSync = () => {
        throw full;
      };
      syncBuiltinESMExports();
      pending.add("a.example", pointsOf(1));
    });
    await expect(end).rejects.toMatchObject({
      code: "HOME_INVALID",
      message: expect.stringContaining("(ENOSPC)"),
      hint: expect.stringContaining("full"),
      cause: full,
    });
  });
});
