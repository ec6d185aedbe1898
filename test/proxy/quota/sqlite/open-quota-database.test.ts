import { existsSync, mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  assertDurable,
  isBusy,
  openQuotaDatabase,
} from "../../../../proxy/quota/sqlite/open-quota-database.ts";
import { openQuotaLedger } from "../../../../proxy/quota/sqlite/quota-ledger.ts";
import { openSqlite, type SqliteDatabase } from "../../../../snapshots/base/sqlite.ts";
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

  it("is WAL with FULL at every open, and waits for others for a tenth of a second", () => {
    const path = newPath();
    for (let turn = 0; turn < 2; turn += 1) {
      const database = openQuotaDatabase(path);
      const settings = ["journal_mode", "synchronous", "busy_timeout"];
      expect(settings.map((name) => database.pragma(name, { simple: true }))).toEqual(["wal", 2, 100]);
      database.close();
    }
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

it.each([
  { why: "another program writes", error: { code: "SQLITE_BUSY" }, busy: true },
  { why: "another program puts a log in order", error: { code: "SQLITE_BUSY_RECOVERY" }, busy: true },
  { why: "below another error", error: { code: "X", cause: { code: "SQLITE_BUSY" } }, busy: true },
  { why: "a table of this very handle", error: { code: "SQLITE_LOCKED" }, busy: false },
  { why: "the word elsewhere", error: { code: "NO_SQLITE_BUSY" }, busy: false },
  { why: "a code that is a number", error: { code: 5 }, busy: false },
  { why: "no code", error: new Error("SQLITE_BUSY"), busy: false },
  { why: "a word", error: "SQLITE_BUSY", busy: false },
  { why: "nothing", error: undefined, busy: false },
  { why: "null", error: null, busy: false },
])("isBusy: $why", ({ error, busy }) => {
  expect(isBusy(error)).toBe(busy);
});

/** A handle on a counter as the binding opens it, with a setting of its own. */
function handleWith(setting: string): SqliteDatabase {
  const path = newPath();
  openQuotaDatabase(path).close();
  const database = openSqlite(path);
  database.pragma(setting);
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
    const database = handleWith(set);
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

/** A file that something was done to. */
function fileOf(make: (path: string) => unknown): string {
  const path = newPath();
  make(path);
  return path;
}

describe("of a counter that cannot be opened, the operator is told", () => {
  const cannotOpen = ": its folder or its permissions do not allow it (SQLITE_CANTOPEN)";
  it.each([
    { why: "a folder that is not there", path: join(folder, "nowhere", "quota.db"), because: /^ENOENT/ },
    {
      why: "a folder in its place",
      path: fileOf(mkdirSync),
      because: /unable to open database file/,
      says: cannotOpen,
    },
    {
      why: "it is missing, where none may be made",
      path: newPath(),
      mayCreate: false,
      because: /unable to open database file/,
      says: cannotOpen,
    },
    {
      why: "it was emptied",
      path: fileOf((path) => writeFileSync(path, "")),
      mayCreate: false,
      because: /^quota\.db was emptied$/,
    },
    {
      why: "another program's",
      path: fileOf((path) => openSqlite(path).exec("PRAGMA application_id = 7").close()),
      because: /^quota\.db belongs to another program$/,
    },
    {
      why: "no database",
      path: fileOf((path) => writeFileSync(path, "text, and no database ".repeat(500))),
      because: /file is not a database/,
      says: ": it is not a database (SQLITE_NOTADB)",
    },
    {
      why: "a counter whose tables are another release's",
      path: fileOf((path) => {
        openQuotaDatabase(path).close();
        openSqlite(path).exec("DROP TABLE settled; CREATE TABLE settled (word TEXT)").close();
      }),
      because: /table settled has 1 columns/,
    },
  ])("$why", ({ path, mayCreate = true, because, says = "" }) => {
    expect(() => openQuotaDatabase(path, { mayCreate })).toThrow(
      expect.objectContaining({
        code: "STORE_UNUSABLE",
        message: `quota.db cannot be opened${says}.`,
        hint: "Check that the file is a counter of this program, and that its disk can be written.",
        cause: expect.objectContaining({ message: expect.stringMatching(because) }),
      }),
    );
  });
});
