import { existsSync, mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openQuotaDatabase } from "../../../../proxy/quota/sqlite/open-quota-database.ts";
import { openQuotaLedger } from "../../../../proxy/quota/sqlite/quota-ledger.ts";
import { openSqlite } from "../../../../snapshots/base/sqlite.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();
const newPath = () => join(mkdtempSync(join(folder, "home-")), "quota.db");

describe("openQuotaDatabase", () => {
  it("makes nothing where it may not, and leaves nothing behind", () => {
    const path = newPath();
    expect(() => openQuotaDatabase(path, { mayCreate: false })).toThrow(
      expect.objectContaining({ code: "STORE_UNUSABLE" }),
    );
    expect(readdirSync(join(path, ".."))).toEqual([]);
  });

  it("opens what is there without the right to make it", () => {
    const path = newPath();
    openQuotaDatabase(path).close();
    const database = openQuotaDatabase(path, { mayCreate: false });
    expect(database.prepare("SELECT count FROM settled").get()).toEqual({ count: 0 });
    database.close();
  });

  it("claims an empty file where it may make one: a start that was killed left it so", () => {
    const path = newPath();
    writeFileSync(path, "");
    openQuotaDatabase(path).close();
    openQuotaDatabase(path, { mayCreate: false }).close();
  });

  it("writes nothing to a counter that is there: others count in it, and each write is a flush", () => {
    const path = newPath();
    const ledger = openQuotaLedger(path);
    const size = () => statSync(`${path}-wal`).size;
    const before = size();
    expect(before).toBeGreaterThan(0);
    openQuotaDatabase(path).close();
    expect(size()).toBe(before);
    ledger.close();
  });

  it("lets go of a file that it refuses", () => {
    const path = newPath();
    openSqlite(path).exec("PRAGMA application_id = 7").close();
    expect(() => openQuotaDatabase(path)).toThrow();
    // A handle that stays would keep its logs beside the file.
    expect([existsSync(`${path}-wal`), existsSync(`${path}-shm`)]).toEqual([false, false]);
  });

  it("lets only its owner read what it makes, and leaves rights that were given as they are", () => {
    const path = newPath();
    mkdirSync(join(path, "..", "given"));
    const given = join(path, "..", "given", "quota.db");
    writeFileSync(given, "", { mode: 0o640 });
    for (const file of [path, given]) openQuotaDatabase(file).close();
    expect([path, given].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o640]);
  });
});

describe("the database", () => {
  it("is WAL with FULL on every open, and its owner's alone", () => {
    const path = newPath();
    for (let turn = 0; turn < 3; turn += 1) {
      const database = openQuotaDatabase(path);
      expect(database.pragma("journal_mode", { simple: true })).toBe("wal");
      expect(database.pragma("synchronous", { simple: true })).toBe(2);
      expect(database.pragma("busy_timeout", { simple: true })).toBe(100);
      database.close();
    }
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("shows why it must be set: the binding alone reopens at NORMAL", () => {
    const path = newPath();
    openQuotaDatabase(path).close();
    const plain = openSqlite(path);
    plain.prepare("SELECT count(*) FROM quota").get();
    expect(plain.pragma("synchronous", { simple: true })).toBe(1);
    plain.close();
  });

  it.each([
    { why: "no database", make: (path: string) => writeFileSync(path, "x".repeat(5000)) },
    {
      why: "another program's",
      make: (path: string) => {
        const other = openSqlite(path);
        other.pragma("application_id = 7");
        other.close();
      },
    },
  ])("refuses a file that is $why", ({ make }) => {
    const path = newPath();
    make(path);
    expect(() => openQuotaDatabase(path)).toThrow(expect.objectContaining({ code: "STORE_UNUSABLE" }));
  });
});
