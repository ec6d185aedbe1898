import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { unitsWithin } from "../../../../proxy/quota/daily-quota.ts";
import { openQuotaDatabase } from "../../../../proxy/quota/sqlite/open-quota-database.ts";
import { openQuotaLedger, type QuotaFile } from "../../../../proxy/quota/sqlite/quota-ledger.ts";
import { openSqlite } from "../../../../snapshots/base/sqlite.ts";
import { commitRequests } from "../../../support/commit-requests.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();
const [TODAY, TOMORROW] = ["2026-04-01", "2026-04-02"];
const FILES = ["quota.db", "quota.db-wal", "quota.db-shm"];
const coded = (code: string) => expect.objectContaining({ code });

function setUp() {
  const home = mkdtempSync(join(folder, "home-"));
  const path = join(home, "quota.db");
  const ledger = openQuotaLedger(path);
  const grant = (count: number, day = TODAY, file: QuotaFile = ledger) => {
    const request = { account: "acme", day, limit: 10 };
    const answers = commitRequests(
      file,
      Array.from({ length: count }, () => request),
    );
    return answers.filter(({ isGranted }) => isGranted).length;
  };
  return { home, path, ledger, grant };
}

/** Moves all that belongs to the counter. */
function move(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const file of FILES) renameSync(join(from, file), join(to, file));
}

/** A sound counter in which nothing was counted. */
function writeFresh(path: string): void {
  openQuotaLedger(path).close();
}

describe("a counter that is taken away while it is open", () => {
  it("does not touch the counter that lies in its place before the day is over", () => {
    const { home, path, ledger, grant } = setUp();
    grant(4);
    move(home, join(home, "away"));
    writeFresh(path);
    const before = readFileSync(path);
    expect(() => grant(1)).toThrow(coded("QUOTA_FILE_CHANGED"));
    expect(readFileSync(path)).toEqual(before);
    rmSync(path);
    move(join(home, "away"), home);
    expect(grant(10)).toBe(5);
    ledger.close();
  });

  it("keeps its place among several: what one loses, none of them gives again", () => {
    const { path, ledger, grant } = setUp();
    const other = openQuotaLedger(path);
    grant(4);
    grant(4, TODAY, other);
    for (const file of FILES) rmSync(join(path, "..", file));
    for (const file of [ledger, other]) {
      expect(() => grant(1, TODAY, file)).toThrow(coded("QUOTA_FILE_CHANGED"));
    }
    const both = grant(7, TOMORROW) + grant(7, TOMORROW, other);
    expect(both).toBe(10);
    other.close();
    ledger.close();
  });
});

describe("a counter that is damaged", () => {
  it("takes an emptied file for no counter", () => {
    const { path, ledger, grant } = setUp();
    grant(2);
    ledger.close();
    truncateSync(path, 0);
    expect(() => grant(1)).toThrow(coded("STORE_UNUSABLE"));
    expect(readFileSync(path)).toHaveLength(0);
    ledger.close();
  });

  it("counts on when damage was put right, with a handle that is new", () => {
    const { path, ledger, grant } = setUp();
    grant(4);
    ledger.close();
    const right = readFileSync(path);
    writeFileSync(path, Buffer.alloc(right.length, 7));
    expect(() => grant(1)).toThrow(coded("STORE_UNUSABLE"));
    writeFileSync(path, right);
    expect(grant(10)).toBe(6);
    ledger.close();
  });
});

describe("the file", () => {
  it("of an earlier version of this program is counted on", () => {
    const { path, ledger, grant } = setUp();
    grant(4);
    ledger.close();
    const database = openSqlite(path);
    database.exec("DROP TABLE settled");
    database.close();
    const later = openQuotaLedger(path);
    expect(grant(10, TODAY, later)).toBe(6);
    later.close();
  });

  it("is written only where a unit moves", () => {
    const { path, ledger, grant } = setUp();
    const settled = () => {
      const database = openQuotaDatabase(path);
      const { count } = database.prepare<[], { count: number }>("SELECT count FROM settled").get() ?? {};
      database.close();
      return count;
    };
    expect(settled()).toBe(0);
    grant(10);
    expect(settled()).toBe(1);
    expect(grant(10)).toBe(0);
    commitRequests(ledger, [], [{ account: "nobody", day: TODAY }]);
    expect(settled()).toBe(1);
    commitRequests(ledger, [], [{ account: "acme", day: TODAY }]);
    expect(settled()).toBe(2);
    ledger.close();
  });

  it("that raises a count by itself meets the assertion, and the whole turn is rolled back", () => {
    const { path, ledger, grant } = setUp();
    ledger.close();
    const sabotage = openSqlite(path);
    // Between our look and our write, as no other program can: the write lock is ours.
    sabotage.exec(`CREATE TRIGGER sabotage BEFORE INSERT ON quota WHEN NEW.used < 100 AND NEW.account = 'acme'
      BEGIN INSERT OR IGNORE INTO quota VALUES (NEW.account, NEW.day, 100); END`);
    sabotage.close();
    const other = { account: "other", day: TODAY, limit: 10 };
    const both = [other, { ...other, account: "acme" }];
    expect(() => commitRequests(ledger, both)).toThrow(
      "invariant: a grant would raise the count above the limit",
    );
    expect(ledger.usage("other", TODAY)).toEqual([]);
    expect(() => grant(1)).toThrow("invariant");
    ledger.close();
  });
});

const open: { close(): unknown }[] = [];
afterEach(() => {
  for (const opened of open.splice(0)) opened.close();
});

/** A counter in which accounts have used so much of today. */
function counterOf(used: Readonly<Record<string, number>>, sql = "") {
  const { path, ledger } = setUp();
  const database = openQuotaDatabase(path);
  open.push(ledger, database);
  const put = database.prepare("INSERT INTO quota VALUES (?, ?, ?)");
  for (const [account, count] of Object.entries(used)) put.run(account, TODAY, count);
  database.exec(sql);
  const settled = () => database.prepare("SELECT count FROM settled").pluck().get();
  return { ledger, settled, usedBy: (account: string) => ledger.usage(account, TODAY)[0]?.used ?? 0 };
}

const asks = (account: string, limit: number, units = 1, day = TODAY) => ({ account, day, limit, units });

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

function probed() {
  const { path, ledger } = setUp();
  const ask = (day = TODAY) => commitRequests(ledger, [{ account: "acme", day, limit: 2 }])[0]?.isGranted;
  const rename = (to: string, from = path) => {
    for (const end of ["", "-wal", "-shm"]) renameSync(from + end, to + end);
  };
  return { path, ledger, ask, rename };
}

const code = async (act: () => unknown) => {
  try {
    await act();
    return undefined;
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
};

describe("a probe of the counter", () => {
  it("writes, and takes no unit of anybody", async () => {
    const { path, ledger, ask } = probed();
    for (let time = 0; time < 5; time += 1) await ledger.probe(TODAY);
    expect([ask(), ask(), ask()]).toEqual([true, true, false]);
    const other = openSqlite(path, { readonly: true });
    expect(other.prepare("SELECT count FROM settled").pluck().get()).toBe(7);
    expect(other.prepare("SELECT account, used FROM quota").all()).toEqual([{ account: "acme", used: 2 }]);
    other.close();
    ledger.close();
  });

  it.each([
    {
      why: "the file is gone",
      harm: ({ path }: ReturnType<typeof probed>) => {
        for (const end of ["", "-wal", "-shm"]) rmSync(path + end);
      },
      is: "QUOTA_FILE_CHANGED",
    },
    {
      why: "it went back",
      harm: ({ path }: ReturnType<typeof probed>) =>
        openSqlite(path).exec("UPDATE settled SET count = 0").close(),
      is: "QUOTA_WENT_BACK",
    },
  ])("fails as a request does: $why", async ({ harm, is }) => {
    const given = probed();
    await given.ledger.probe(TODAY);
    harm(given);
    expect([await code(() => given.ledger.probe(TODAY)), await code(given.ask)]).toEqual([
      is,
      expect.any(String),
    ]);
    given.ledger.close();
  });

  it("goes on where the file lies there again", async () => {
    const { path, ledger, ask, rename } = probed();
    ask();
    const aside = `${path}.aside`;
    rename(aside);
    expect(await code(() => ledger.probe(TODAY))).toBe("QUOTA_FILE_CHANGED");
    rename(path, aside);
    expect(await code(() => ledger.probe(TODAY))).toBeUndefined();
    expect([ask(), ask()]).toEqual([true, false]);
    ledger.close();
  });

  it("doubts the day it was asked about: what was counted in it may be in what is gone", async () => {
    const { path, ledger, ask } = probed();
    for (const end of ["", "-wal", "-shm"]) rmSync(path + end);
    expect(await code(() => ledger.probe(TODAY))).toBe("QUOTA_FILE_CHANGED");
    expect(await code(ask), "nobody had asked before, and another process may have").toBe(
      "QUOTA_FILE_CHANGED",
    );
    await ledger.probe(TOMORROW);
    expect([ask(TOMORROW), await code(ask)]).toEqual([true, "QUOTA_DAY_GONE"]);
    ledger.close();
  });
});
