import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createGroupCommit } from "../../../../proxy/quota/group-commit.ts";
import {
  assertDurable,
  isBusy,
  openQuotaDatabase,
} from "../../../../proxy/quota/sqlite/open-quota-database.ts";
import { openQuotaLedger } from "../../../../proxy/quota/sqlite/quota-ledger.ts";
import { openSqlite, type SqliteDatabase } from "../../../../snapshots/base/sqlite.ts";
import { commitRequests } from "../../../support/commit-requests.ts";
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
});

it.each([
  { why: "another program writes", error: { code: "SQLITE_BUSY" }, busy: true },
  { why: "another program puts a log in order", error: { code: "SQLITE_BUSY_RECOVERY" }, busy: true },
  { why: "a picture that is too old to write on", error: { code: "SQLITE_BUSY_SNAPSHOT" }, busy: true },
  { why: "a table of this very handle", error: { code: "SQLITE_LOCKED" }, busy: false },
  { why: "a full disk", error: { code: "SQLITE_FULL" }, busy: false },
  { why: "the word elsewhere", error: { code: "NO_SQLITE_BUSY" }, busy: false },
  { why: "a device, as the system says it", error: { code: "EBUSY" }, busy: false },
  { why: "a code that is a number", error: { code: 5 }, busy: false },
  { why: "no code", error: new Error("SQLITE_BUSY"), busy: false },
  { why: "a word", error: "SQLITE_BUSY", busy: false },
  { why: "nothing", error: undefined, busy: false },
  { why: "null", error: null, busy: false },
])("isBusy: $why", ({ error, busy }) => {
  expect(isBusy(error)).toBe(busy);
});

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

const [TODAY, TOMORROW] = ["2026-04-01", "2026-04-02"];
const requestOf = (day: string) => ({ account: "acme", day, limit: 10 });

/** A running counter with one unit, of which `harm` is told the path. */
function harmed(harm: (path: string) => unknown, { isClosed = false } = {}) {
  const path = newPath();
  const ledger = openQuotaLedger(path);
  const ask = (day = TODAY) => commitRequests(ledger, [requestOf(day)]);
  ask();
  if (isClosed) ledger.close();
  harm(path);
  return { path, ledger, ask };
}

const without = (path: string) => {
  for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
};

async function told(action: () => unknown) {
  try {
    await action();
  } catch (error) {
    const { name, message, code, hint, cause } = error as Record<string, unknown>;
    return { name, message, code, hint, cause: cause instanceof Error ? cause.message : undefined };
  }
  throw new Error("nothing was refused");
}

describe("of a counter that changed under the program, the log says", () => {
  it.each([
    {
      why: "it is gone, and this was noticed after counting",
      ask: () => harmed(without).ask(),
      code: "QUOTA_FILE_CHANGED",
      says: "the counter was taken away while it counted",
    },
    {
      why: "it is gone, and this was noticed before",
      ask: () => harmed(without, { isClosed: true }).ask(),
      code: "QUOTA_FILE_CHANGED",
      says: "what lies there is not the counter that was counted in",
    },
    {
      why: "it is an older state",
      ask: () => harmed((path) => openSqlite(path).exec("UPDATE settled SET count = 0").close()).ask(),
      code: "QUOTA_WENT_BACK",
      says: "quota.db holds an older state than was counted in before",
    },
    {
      why: "its day is over and it is gone",
      ask: () => {
        const { ask } = harmed(without, { isClosed: true });
        expect(() => ask()).toThrow();
        ask(TOMORROW);
        ask(TODAY);
      },
      code: "QUOTA_DAY_GONE",
      says: "that day was counted in a file that is gone",
    },
  ])("$why", async ({ ask, code, says }) => {
    expect(await told(ask)).toMatchObject({ name: "Failure", code, message: says });
  });
});

describe("of a counter that cannot be opened, the terminal says", () => {
  it.each([
    {
      why: "a folder that is not there",
      open: () => openQuotaDatabase(join(folder, "nowhere", "quota.db")),
      because: /^ENOENT/,
    },
    {
      why: "a folder in its place",
      open: () => {
        const path = newPath();
        mkdirSync(path);
        openQuotaDatabase(path);
      },
      because: /unable to open database file/,
      says: ": its folder or its permissions do not allow it (SQLITE_CANTOPEN)",
    },
    {
      why: "it is missing, where none may be made",
      open: () => openQuotaDatabase(newPath(), { mayCreate: false }),
      because: /unable to open database file/,
      says: ": its folder or its permissions do not allow it (SQLITE_CANTOPEN)",
    },
    {
      why: "it was emptied",
      open: () => harmed((path) => truncateSync(path, 0), { isClosed: true }).ask(),
      because: /^quota\.db was emptied$/,
    },
    {
      why: "another program's",
      open: () => {
        const path = newPath();
        openSqlite(path).exec("PRAGMA application_id = 7").close();
        openQuotaDatabase(path);
      },
      because: /^quota\.db belongs to another program$/,
    },
    {
      why: "no database",
      open: () => {
        const path = newPath();
        writeFileSync(path, "text, and no database ".repeat(500));
        openQuotaDatabase(path);
      },
      because: /file is not a database/,
      says: ": it is not a database (SQLITE_NOTADB)",
    },
    {
      why: "a counter whose tables are another release's",
      open: () => {
        const path = newPath();
        openQuotaDatabase(path).close();
        const copy = join(path, "..", "copy.db");
        copyFileSync(path, copy);
        openSqlite(copy).exec("DROP TABLE settled; CREATE TABLE settled (word TEXT)").close();
        openQuotaDatabase(copy);
      },
      because: /table settled has 1 columns/,
    },
  ])("$why", async ({ open, because, says = "" }) => {
    const { cause, ...words } = await told(open);
    expect(words).toEqual({
      name: "Failure",
      code: "STORE_UNUSABLE",
      message: `quota.db cannot be opened${says}.`,
      hint: "Check that the file is a counter of this program, and that its disk can be written.",
    });
    expect(cause).toMatch(because);
  });
});

it("tells who asks a counter that was closed", async () => {
  const ledger = { settle: async () => [], close: () => {} };
  const quota = createGroupCommit({ ledger, tickMs: () => 0, onError: () => {} });
  await quota.close();
  const said = { name: "Error", message: "the quota counter is closed" };
  expect(await told(() => quota.charge(requestOf(TODAY)))).toMatchObject(said);
  expect(await told(() => quota.refund(requestOf(TODAY)))).toMatchObject(said);
});
