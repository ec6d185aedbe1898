import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { unitsWithin } from "../../../../proxy/quota/daily-quota.ts";
import { openQuotaDatabase } from "../../../../proxy/quota/sqlite/open-quota-database.ts";
import { openQuotaLedger } from "../../../../proxy/quota/sqlite/quota-ledger.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();
const TODAY = "2026-04-01";

const open: { close(): unknown }[] = [];
afterEach(() => {
  for (const opened of open.splice(0)) opened.close();
});

/** A counter in which accounts have used so much of today. */
function counterOf(used: Readonly<Record<string, number>>, sql = "") {
  const path = join(mkdtempSync(join(folder, "home-")), "quota.db");
  const ledger = openQuotaLedger(path);
  const database = openQuotaDatabase(path);
  open.push(ledger, database);
  const put = database.prepare("INSERT INTO quota VALUES (?, ?, ?)");
  for (const [account, count] of Object.entries(used)) put.run(account, TODAY, count);
  database.exec(sql);
  const settled = () => database.prepare("SELECT count FROM settled").pluck().get();
  return { ledger, settled, usedBy: (account: string) => ledger.usage(account, TODAY)[0]?.used ?? 0 };
}

const asks = (account: string, limit: number, units = 1) => ({ account, day: TODAY, limit, units });

describe("a group", () => {
  it.each([
    { why: "below", used: 0, limit: 3, units: 2, granted: 2 },
    { why: "up to the limit", used: 1, limit: 3, units: 2, granted: 2 },
    { why: "past it", used: 2, limit: 3, units: 3, granted: 1 },
    { why: "at it", used: 3, limit: 3, units: 2, granted: 0 },
    { why: "above it, after a downgrade", used: 9, limit: 3, units: 2, granted: 0 },
    { why: "a limit of nothing", used: 0, limit: 0, units: 1, granted: 0 },
  ])("grants what is left, and writes only then: $why", ({ used, limit, units, granted }) => {
    const { ledger, usedBy, settled } = counterOf({ acme: used });
    expect(ledger.commit([asks("acme", limit, units)], [])).toEqual([{ used, granted }]);
    expect(settled()).toBe(granted > 0 ? 1 : 0);
    expect(usedBy("acme")).toBe(used + granted);
  });

  it.each([
    { why: "a day after it", closed: "2026-03-31", opened: "", granted: 2 },
    { why: "the day itself", closed: TODAY, opened: "", granted: 0 },
    { why: "a day before it", closed: "2026-04-02", opened: "", granted: 0 },
    { why: "but of an account that was opened again", closed: TODAY, opened: "acme", granted: 2 },
    { why: "and of no other", closed: TODAY, opened: "other", granted: 0 },
  ])("grants nothing of days that are closed, whatever the limit: $why", ({ closed, opened, granted }) => {
    const sql = `INSERT INTO closed VALUES (1, '${closed}'); INSERT INTO opened VALUES ('${opened}', '${TODAY}')`;
    const { ledger, settled } = counterOf({ acme: 1 }, sql);
    const given = ledger.commit([asks("acme", 1_000_000_000, 2)], []);
    expect(given).toEqual([{ used: granted > 0 ? 1 : Number.POSITIVE_INFINITY, granted }]);
    expect(settled()).toBe(granted > 0 ? 1 : 0);
  });

  it("takes refunds first, so that a unit given back goes to who waits, and never below 0", () => {
    const { ledger, usedBy } = counterOf({ acme: 3, other: 1 });
    const back = [
      { account: "acme", day: TODAY, units: 1 },
      { account: "other", day: TODAY, units: 5 },
      { account: "nobody", day: TODAY, units: 1 },
    ];
    expect(ledger.commit([asks("acme", 3, 2)], back)).toEqual([{ used: 2, granted: 1 }]);
    expect(["acme", "other", "nobody"].map(usedBy)).toEqual([3, 0, 0]);
  });

  it("answers in the order in which it was asked, also for one account within two limits", () => {
    const { ledger } = counterOf({ b: 1 });
    const asked = [asks("a", 2, 2), asks("b", 2, 2), asks("a", 1)];
    expect(ledger.commit(asked, [])).toEqual([
      { used: 0, granted: 2 },
      { used: 1, granted: 1 },
      { used: 2, granted: 0 },
    ]);
  });

  it("is rolled back whole where the file raises a count by itself", () => {
    // Between our look and our write, as no other program can: the write lock is ours.
    const { ledger, usedBy } = counterOf(
      {},
      `CREATE TRIGGER sabotage BEFORE INSERT ON quota WHEN NEW.used < 100 AND NEW.account = 'acme'
      BEGIN INSERT OR IGNORE INTO quota VALUES (NEW.account, NEW.day, 100); END`,
    );
    for (const asked of [[asks("other", 10), asks("acme", 10)], [asks("acme", 10)]]) {
      expect(() => ledger.commit(asked, [])).toThrow(
        "invariant: a grant would raise the count above the limit",
      );
      expect(usedBy("other")).toBe(0);
    }
  });

  it("agrees with the arithmetic, whatever is asked in whatever order", () => {
    const ask = fc.record({
      account: fc.constantFrom("a", "b"),
      limit: fc.nat(12),
      units: fc.integer({ min: 1, max: 6 }),
    });
    fc.assert(
      fc.property(fc.array(fc.array(ask, { maxLength: 4 }), { maxLength: 6 }), (commits) => {
        const { ledger, usedBy } = counterOf({ b: 3 });
        const model = new Map([["b", 3]]);
        for (const commit of commits) {
          const want = commit.map((charge) => {
            const used = model.get(charge.account) ?? 0;
            const granted = unitsWithin(charge, used);
            model.set(charge.account, used + granted);
            return { used, granted };
          });
          const asked = commit.map((charge) => ({ ...charge, day: TODAY }));
          expect(ledger.commit(asked, [])).toEqual(want);
        }
        for (const [account, used] of model) expect(usedBy(account)).toBe(used);
      }),
      { numRuns: 40 },
    );
  });
});
