import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
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

it("loses no day for what was asked of it while the counter was gone", () => {
  const { home, ledger, grant } = setUp();
  expect(grant(1)).toBe(1);
  for (const file of FILES) rmSync(join(home, file));
  expect(() => grant(1)).toThrow(coded("QUOTA_FILE_CHANGED"));
  const both = [TODAY, TOMORROW].map((day) => ({ account: "acme", day, limit: 10 }));
  expect(() => commitRequests(ledger, both)).toThrow(coded("QUOTA_FILE_CHANGED"));
  expect(grant(1, TOMORROW)).toBe(1);
});

describe("a counter that is taken away while it is open", () => {
  it.each([
    {
      why: "deleted with its log",
      take: (home: string) => {
        for (const file of FILES) rmSync(join(home, file));
      },
    },
    { why: "deleted alone", take: (home: string) => rmSync(join(home, "quota.db")) },
    {
      why: "only its log deleted: a new process would see an older state",
      take: (home: string) => rmSync(join(home, "quota.db-wal")),
    },
    {
      why: "another counter in its place",
      take: (home: string) => {
        move(home, join(home, "away"));
        writeFresh(join(home, "quota.db"));
      },
    },
    {
      why: "a folder in its place",
      take: (home: string) => {
        move(home, join(home, "away"));
        mkdirSync(join(home, "quota.db"));
      },
    },
  ])("gives nobody a unit a second time: $why", ({ take }) => {
    const { home, path, ledger, grant } = setUp();
    expect(grant(4)).toBe(4);
    take(home);
    for (let turn = 0; turn < 3; turn += 1) {
      expect(() => grant(1)).toThrow(coded("QUOTA_FILE_CHANGED"));
      expect(() => commitRequests(ledger, [], [{ account: "acme", day: TODAY }])).toThrow(
        coded("QUOTA_FILE_CHANGED"),
      );
    }
    rmSync(path, { recursive: true, force: true });
    expect(grant(11, TOMORROW), "nothing of a new day was counted anywhere").toBe(10);
    ledger.close();
  });

  it("is counted in again at once when it comes back", () => {
    const { home, ledger, grant } = setUp();
    grant(4);
    move(home, join(home, "away"));
    expect(() => grant(1)).toThrow(coded("QUOTA_FILE_CHANGED"));
    move(join(home, "away"), home);
    expect(grant(10), "one unit was counted and released nobody: it had moved by then").toBe(5);
    ledger.close();
  });

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

  it("counts from the new day on, and no earlier day any more", () => {
    const { path, ledger, grant } = setUp();
    grant(4);
    for (const file of FILES) rmSync(join(path, "..", file));
    expect(() => grant(1)).toThrow(coded("QUOTA_FILE_CHANGED"));
    expect(grant(3, TOMORROW)).toBe(3);
    expect(() => grant(1, TODAY), "the clock went back").toThrow(coded("QUOTA_DAY_GONE"));
    // A late refund has nothing to take from, least of all another process's count of that day.
    const other = openQuotaLedger(path);
    grant(2, TODAY, other);
    const refund = { account: "acme", day: TODAY };
    commitRequests(ledger, [{ account: "acme", day: TOMORROW, limit: 10 }], [refund]);
    expect(other.usage("acme", TODAY)).toEqual([
      { day: TOMORROW, used: 4 },
      { day: TODAY, used: 2 },
    ]);
    other.close();
    ledger.close();
  });

  it("waits for the day after the latest it was ever asked about", () => {
    const { path, ledger, grant } = setUp();
    grant(1, TOMORROW);
    for (const file of FILES) rmSync(join(path, "..", file));
    expect(() => grant(1, TODAY)).toThrow(coded("QUOTA_FILE_CHANGED"));
    expect(() => grant(1, TOMORROW)).toThrow(coded("QUOTA_FILE_CHANGED"));
    expect(grant(11, "2026-04-03")).toBe(10);
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

describe("a counter that goes back in time under the same name", () => {
  /** Copies an earlier state over the file, as `cp backup quota.db` does. */
  function copyOver(path: string, backup: string): void {
    copyFileSync(backup, path);
    for (const file of ["-wal", "-shm"]) rmSync(path + file, { force: true });
  }

  it("gives nobody a unit a second time, and goes on when the right state is put back", () => {
    const { home, path, ledger, grant } = setUp();
    grant(2);
    ledger.close();
    copyFileSync(path, join(home, "backup.db"));
    expect(grant(3), "a closed handle is opened anew").toBe(3);
    ledger.close();
    copyFileSync(path, join(home, "right.db"));
    copyOver(path, join(home, "backup.db"));
    expect(() => grant(1)).toThrow(coded("QUOTA_WENT_BACK"));
    expect(() => grant(1)).toThrow(coded("QUOTA_WENT_BACK"));
    ledger.close();
    copyOver(path, join(home, "right.db"));
    expect(grant(10)).toBe(5);
    ledger.close();
  });

  it("counts in the older state from the next day on", () => {
    const { home, path, ledger, grant } = setUp();
    grant(2);
    ledger.close();
    copyFileSync(path, join(home, "backup.db"));
    grant(3);
    ledger.close();
    copyOver(path, join(home, "backup.db"));
    expect(() => grant(1)).toThrow(coded("QUOTA_WENT_BACK"));
    expect(grant(11, TOMORROW)).toBe(10);
    ledger.close();
  });

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
