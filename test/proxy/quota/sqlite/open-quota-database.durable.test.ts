import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { assertDurable, openQuotaDatabase } from "../../../../proxy/quota/sqlite/open-quota-database.ts";
import { openSqlite, type SqliteDatabase } from "../../../../snapshots/base/sqlite.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();
let files = 0;

function handleOn(set: (database: SqliteDatabase) => unknown): SqliteDatabase {
  files += 1;
  const path = join(folder, `quota-${files}.db`);
  openQuotaDatabase(path).close();
  const database = openSqlite(path);
  set(database);
  database.prepare("SELECT count(*) FROM quota").get();
  return database;
}

describe("assertDurable", () => {
  it.each([
    { why: "WAL and FULL", set: "synchronous = FULL", refused: undefined },
    { why: "what the binding reopens at", set: "trusted_schema = OFF", refused: "synchronous is not FULL" },
    { why: "no flush at all", set: "synchronous = OFF", refused: "synchronous is not FULL" },
    { why: "one flush too many is another setting", set: "synchronous = 3", refused: "is not FULL" },
    { why: "a journal that is no WAL", set: "journal_mode = DELETE", refused: "cannot be used in WAL mode" },
  ])("judges a handle by what it does, not by what it was told: $why", ({ set, refused }) => {
    const database = handleOn((handle) => handle.pragma(set));
    if (refused === undefined) expect(() => assertDurable(database)).not.toThrow();
    else expect(() => assertDurable(database)).toThrow(refused);
    database.close();
  });

  it("refuses what lies in no file", () => {
    const database = openSqlite(":memory:");
    expect(() => assertDurable(database)).toThrow("quota.db cannot be used in WAL mode");
    database.close();
  });
});
