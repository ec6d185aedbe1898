import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { unitsWithin } from "../../../../proxy/quota/daily-quota.ts";
import { openQuotaDatabase } from "../../../../proxy/quota/sqlite/open-quota-database.ts";
import { prepareQuotaRows } from "../../../../proxy/quota/sqlite/quota-rows.ts";
import type { SqliteDatabase } from "../../../../snapshots/base/sqlite.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();
const DAY = "2026-04-01";
const open: SqliteDatabase[] = [];
afterEach(() => {
  for (const database of open.splice(0)) database.close();
});

/** An open counter in which accounts have used so much of the day. */
function rowsOf(used: Readonly<Record<string, number>>, sql = "") {
  const database = openQuotaDatabase(join(mkdtempSync(join(folder, "home-")), "quota.db"));
  open.push(database);
  const put = database.prepare("INSERT INTO quota VALUES (?, ?, ?)");
  for (const [account, count] of Object.entries(used)) put.run(account, DAY, count);
  database.exec(sql);
  const rows = prepareQuotaRows(database);
  const usedBy = (account: string) => rows.usage(account, DAY)[0]?.used ?? 0;
  return { rows, usedBy };
}

const asks = (account: string, limit: number, units = 1, day = DAY) => ({ account, day, limit, units });

describe("settle", () => {
  it.each([
    { why: "below", used: 0, limit: 3, units: 2, granted: 2 },
    { why: "up to the limit", used: 1, limit: 3, units: 2, granted: 2 },
    { why: "past it", used: 2, limit: 3, units: 3, granted: 1 },
    { why: "at it", used: 3, limit: 3, units: 2, granted: 0 },
    { why: "above it, after a downgrade", used: 9, limit: 3, units: 2, granted: 0 },
    { why: "a limit of nothing", used: 0, limit: 0, units: 1, granted: 0 },
  ])("grants what is left, and writes only then: $why", ({ used, limit, units, granted }) => {
    const { rows, usedBy } = rowsOf({ acme: used });
    const done = rows.settle([asks("acme", limit, units)], [], 0);
    expect(done).toEqual({
      granted: [{ used, granted }],
      settled: granted > 0 ? 1 : 0,
      hasWritten: granted > 0,
    });
    expect(usedBy("acme")).toBe(used + granted);
  });

  it.each([
    { why: "a day after it", closed: "2026-03-31", opened: "", granted: 2 },
    { why: "the day itself", closed: DAY, opened: "", granted: 0 },
    { why: "a day before it", closed: "2026-04-02", opened: "", granted: 0 },
    { why: "but of an account that was opened again", closed: DAY, opened: "acme", granted: 2 },
    { why: "and of no other", closed: DAY, opened: "other", granted: 0 },
  ])("grants nothing of days that are closed, whatever the limit: $why", ({ closed, opened, granted }) => {
    const sql = `INSERT INTO closed VALUES (1, '${closed}'); INSERT INTO opened VALUES ('${opened}', '${DAY}')`;
    const { rows } = rowsOf({ acme: 1 }, sql);
    const done = rows.settle([asks("acme", 1_000_000_000, 2)], [], 0);
    expect(done.granted).toEqual([{ used: granted > 0 ? 1 : Number.POSITIVE_INFINITY, granted }]);
    expect(done.hasWritten).toBe(granted > 0);
  });

  it("takes refunds first, so that a unit given back goes to who waits, and never below 0", () => {
    const { rows, usedBy } = rowsOf({ acme: 3, other: 1 });
    const back = [
      { account: "acme", day: DAY, units: 1 },
      { account: "other", day: DAY, units: 5 },
      { account: "nobody", day: DAY, units: 1 },
    ];
    expect(rows.settle([asks("acme", 3, 2)], back, 0).granted).toEqual([{ used: 2, granted: 1 }]);
    expect(["acme", "other", "nobody"].map(usedBy)).toEqual([3, 0, 0]);
  });

  it("counts itself where it writes, and only there", () => {
    const { rows } = rowsOf({ acme: 3 });
    const back = [{ account: "acme", day: DAY, units: 1 }];
    expect(rows.settle([], back, 0)).toEqual({ granted: [], settled: 1, hasWritten: true });
    expect(rows.settle([], [], 1)).toEqual({ granted: [], settled: 1, hasWritten: false });
    expect(rows.probe(1)).toEqual({ granted: [], settled: 2, hasWritten: true });
  });

  it("answers in the order in which it was asked, also for one account within two limits", () => {
    const { rows } = rowsOf({ b: 1 });
    const asked = [asks("a", 2, 2), asks("b", 2, 2), asks("a", 1)];
    expect(rows.settle(asked, [], 0).granted).toEqual([
      { used: 0, granted: 2 },
      { used: 1, granted: 1 },
      { used: 2, granted: 0 },
    ]);
  });

  it("refuses a file that settled less than was seen, and changes nothing", () => {
    const { rows, usedBy } = rowsOf({ acme: 1 });
    const wentBack = expect.objectContaining({ code: "QUOTA_WENT_BACK" });
    expect(() => rows.settle([asks("acme", 3)], [], 1)).toThrow(wentBack);
    expect(() => rows.probe(1)).toThrow(wentBack);
    expect(usedBy("acme")).toBe(1);
  });

  it("agrees with the arithmetic, whatever is asked in whatever order", () => {
    const ask = fc.record({
      account: fc.constantFrom("a", "b"),
      limit: fc.nat(12),
      units: fc.integer({ min: 1, max: 6 }),
    });
    fc.assert(
      fc.property(fc.array(fc.array(ask, { maxLength: 4 }), { maxLength: 6 }), (commits) => {
        const { rows, usedBy } = rowsOf({ b: 3 });
        const model = new Map([["b", 3]]);
        for (const commit of commits) {
          const want = commit.map((charge) => {
            const used = model.get(charge.account) ?? 0;
            const granted = unitsWithin(charge, used);
            model.set(charge.account, used + granted);
            return { used, granted };
          });
          const asked = commit.map((charge) => ({ ...charge, day: DAY }));
          expect(rows.settle(asked, [], 0).granted).toEqual(want);
        }
        for (const [account, used] of model) expect(usedBy(account)).toBe(used);
      }),
      { numRuns: 40 },
    );
  });
});
