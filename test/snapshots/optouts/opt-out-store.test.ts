import { randomBytes } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openSqlite } from "../../../snapshots/base/sqlite.ts";
import { followDenyList, readDenyList } from "../../../snapshots/optouts/deny-list.ts";
import {
  createOptOuts,
  isBusy,
  OPT_OUTS_MODES,
  openOptOutDatabase,
  openOptOutStore,
} from "../../../snapshots/optouts/opt-out-store.ts";

const folder = mkdtempSync(join(tmpdir(), "govdata-opt-outs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ONE = `ent_${"a".repeat(26)}`;
const OTHER = `ent_${"b".repeat(26)}`;

function newList(): string {
  const path = join(mkdtempSync(join(folder, "list-")), "optouts.db");
  expect(createOptOuts({ path, mode: OPT_OUTS_MODES.owner, randomBytes })).toBe(true);
  return path;
}

function add(path: string, ...ids: readonly string[]): void {
  const book = openOptOutStore(path);
  for (const [index, id] of ids.entries()) expect(book.add(id, 1000 + index)).toBe(true);
  book.close();
}

const MISSING = /^there is no list of live opt-outs$/;
const FOREIGN = /^the file is not a list of live opt-outs of this release$/;

/** Files that this process holds open; always none where the system does not say. */
const descriptors = (): number => (existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd").length : 0);

/** How many are open after a list that cannot be used was tried ten times. */
function readAgain(path: string): number {
  const followed = followDenyList({ path, nowMs: () => 0, onChange: () => undefined });
  for (let time = 0; time < 10; time += 1) {
    expect(() => readDenyList(path)).toThrow();
    followed.close();
    followed.current();
  }
  followed.close();
  return descriptors();
}

describe("a list of live opt-outs", () => {
  it("is made empty, for its owner or a group, with a secret of its own, and never over another", () => {
    const [first, second] = [newList(), newList()];
    expect(readDenyList(first).count).toBe(0);
    expect(statSync(first).mode & 0o777).toBe(0o600);
    add(first, ONE);
    expect(createOptOuts({ path: first, mode: OPT_OUTS_MODES.owner, randomBytes })).toBe(false);
    expect(readDenyList(first).count).toBe(1);
    const shared = join(folder, "shared.db");
    createOptOuts({ path: shared, mode: OPT_OUTS_MODES.group, randomBytes });
    expect(statSync(shared).mode & 0o777).toBe(0o660);
    const digestIn = (path: string) => {
      const book = openOptOutStore(path);
      const digest = book.digestOf(ONE).toString("hex");
      book.close();
      return digest;
    };
    expect(digestIn(first)).not.toBe(digestIn(second));
    // Nothing half made is left beside it.
    expect(readdirSync(join(first, ".."))).toEqual(["optouts.db"]);
  });

  it.each([
    { why: "its folder is not there", path: join(folder, "nowhere", "optouts.db"), draw: randomBytes },
    {
      why: "chance fails",
      path: join(folder, "no-chance.db"),
      draw: (count: number) => {
        if (count > 4) throw new Error("no entropy");
        return randomBytes(count);
      },
    },
  ])("is not made where $why, and that is told", ({ path, draw }) => {
    const before = descriptors();
    const making = () => createOptOuts({ path, mode: OPT_OUTS_MODES.owner, randomBytes: draw });
    expect(making).toThrow(expect.objectContaining({ name: "Failure", cause: expect.anything() }));
    expect(existsSync(path)).toBe(false);
    expect(descriptors()).toBe(before);
  });

  it("is read by whom may not change it, and holds no file open afterwards", () => {
    const before = descriptors();
    const path = newList();
    add(path, ONE);
    expect(readDenyList(path).count).toBe(1);
    expect(descriptors()).toBe(before);
    const database = openOptOutDatabase(path, { isWriter: false, busyTimeoutMs: 0 });
    expect(() => database.exec("DELETE FROM opted_out")).toThrow("readonly");
    database.close();
  });

  const sqliteError = (code: string) => Object.assign(new Error(), { name: "SqliteError", code });

  it.each([
    { why: "a writer holds it", error: sqliteError("SQLITE_BUSY"), busy: true },
    {
      why: "a writer left it half done",
      error: sqliteError("SQLITE_BUSY_RECOVERY"),
      busy: true,
    },
    { why: "it is damaged", error: sqliteError("SQLITE_CORRUPT"), busy: false },
    {
      why: "it is no error of SQLite",
      error: Object.assign(new Error(), { code: "SQLITE_BUSY" }),
      busy: false,
    },
    { why: "it is no error", error: "SQLITE_BUSY", busy: false },
  ])("is busy or not: $why", ({ error, busy }) => {
    expect(isBusy(error)).toBe(busy);
  });

  it("lets whoever opens it while a writer holds it know just that", () => {
    const path = newList();
    const writer = openSqlite(path);
    writer.exec("BEGIN EXCLUSIVE");
    expect(() => openOptOutDatabase(path, { isWriter: false, busyTimeoutMs: 0 })).toThrow(
      expect.objectContaining({ code: "SQLITE_BUSY" }),
    );
    writer.close();
  });

  it("adds and removes, says whether that changed anything, and keeps no id", () => {
    const path = newList();
    add(path, ONE, OTHER);
    const book = openOptOutStore(path);
    expect([book.add(ONE, 5), book.has(ONE), book.rows().map((row) => row.sinceMs)]).toEqual([
      false,
      true,
      [1000, 1001],
    ]);
    const digest = book.digestOf(ONE);
    expect([book.remove(ONE), book.remove(ONE), book.has(ONE), book.has(OTHER)]).toEqual([
      true,
      false,
      false,
      true,
    ]);
    expect(() => book.add("ent_short", 1)).toThrow();
    book.close();
    const bytes = readFileSync(path);
    expect(bytes.includes(ONE.slice(4)) || bytes.includes(OTHER.slice(4))).toBe(false);
    // Who opted in again is not left in a free page either.
    expect(bytes.includes(digest)).toBe(false);
    const list = readDenyList(path);
    expect([list.count, list.has(ONE), list.has(OTHER)]).toEqual([1, false, true]);
  });

  it.each([
    { why: "there is none", harm: (path: string) => rmSync(path), code: "OPT_OUTS_MISSING", says: MISSING },
    {
      why: "its folder is a file",
      harm: (path: string) => {
        rmSync(join(path, ".."), { recursive: true });
        writeFileSync(join(path, ".."), "");
      },
      code: "OPT_OUTS_MISSING",
      says: MISSING,
    },
    {
      why: "it is empty",
      harm: (path: string) => truncateSync(path),
      code: "OPT_OUTS_UNREADABLE",
      says: FOREIGN,
    },
    {
      why: "it is cut",
      harm: (path: string) => truncateSync(path, 5000),
      code: "OPT_OUTS_UNREADABLE",
      says: /^the list of live opt-outs cannot be used \(SQLITE_CORRUPT\)$/,
    },
    {
      why: "it is text",
      harm: (path: string) => writeFileSync(path, "no list"),
      code: "OPT_OUTS_UNREADABLE",
      says: /^the list of live opt-outs cannot be used \(SQLITE_NOTADB\)$/,
    },
    {
      why: "a later release made it",
      harm: (path: string) => openSqlite(path).exec("PRAGMA user_version = 2").close(),
      code: "OPT_OUTS_UNREADABLE",
      says: FOREIGN,
    },
    {
      why: "another program made one that looks like it",
      harm: (path: string) => openSqlite(path).exec("PRAGMA application_id = 1").close(),
      code: "OPT_OUTS_UNREADABLE",
      says: FOREIGN,
    },
    {
      why: "it is another program's",
      harm: (path: string) => {
        rmSync(path);
        openSqlite(path).exec("CREATE TABLE secret (bytes)").close();
      },
      code: "OPT_OUTS_UNREADABLE",
      says: FOREIGN,
    },
    {
      why: "its secret is gone",
      harm: (path: string) => openSqlite(path).exec("DELETE FROM secret").close(),
      code: "OPT_OUTS_UNREADABLE",
      says: /^the list of live opt-outs is damaged$/,
    },
    {
      why: "its table is gone",
      harm: (path: string) => openSqlite(path).exec("DROP TABLE opted_out").close(),
      code: "OPT_OUTS_UNREADABLE",
      says: /^the list of live opt-outs cannot be used \(SQLITE_ERROR\)$/,
    },
  ])("refuses where $why, and makes none", ({ harm, code, says }) => {
    const path = newList();
    add(path, ONE);
    harm(path);
    const was = existsSync(path);
    const refusal = { name: "Failure", code, message: expect.stringMatching(says) };
    expect(() => readDenyList(path)).toThrow(expect.objectContaining(refusal));
    const commands = () => openOptOutStore(path).add(OTHER, 1);
    expect(commands).toThrow(expect.objectContaining(refusal));
    expect(readAgain(path)).toBe(descriptors());
    const problems: unknown[] = [];
    const followed = followDenyList({ path, nowMs: () => 0, onChange: (problem) => problems.push(problem) });
    expect([followed.current().has(ONE), followed.current().has(OTHER)]).toEqual([true, true]);
    expect([followed.problem(), problems]).toEqual([code, [code]]);
    expect(existsSync(path)).toBe(was);
    followed.close();
  });
});

describe("a followed list", () => {
  function follow(path: string) {
    const clock = { nowMs: 10_000 };
    const changes: unknown[] = [];
    const list = followDenyList({
      path,
      nowMs: () => clock.nowMs,
      onChange: (problem) => changes.push(problem),
    });
    const denied = () => [ONE, OTHER].map((id) => list.current().has(id));
    return { clock, changes, list, denied };
  }

  it("obeys within a second, and is the same object until something changes", () => {
    const path = newList();
    const { clock, changes, list, denied } = follow(path);
    expect(denied()).toEqual([false, false]);
    const before = list.current();
    clock.nowMs += 500;
    expect(list.current()).toBe(before);
    add(path, ONE);
    clock.nowMs += 999;
    expect(denied()).toEqual([true, false]);
    expect(changes).toEqual([undefined]);
    const book = openOptOutStore(path);
    book.remove(ONE);
    book.close();
    // A clock set back does not stretch anything.
    clock.nowMs -= 3_600_000;
    expect(denied()).toEqual([false, false]);
    list.close();
  });

  it("looks four times a second, and not more often", () => {
    const path = newList();
    const { clock, list, denied } = follow(path);
    expect(denied()).toEqual([false, false]);
    add(path, ONE);
    expect(denied(), "in the same millisecond").toEqual([false, false]);
    clock.nowMs += 249;
    expect(denied()).toEqual([false, false]);
    clock.nowMs += 1;
    expect(denied()).toEqual([true, false]);
    list.close();
  });

  it("denies everybody when another list stands there that is held by a writer", () => {
    const path = newList();
    const { clock, list, denied } = follow(path);
    expect(denied()).toEqual([false, false]);
    const other = newList();
    renameSync(other, path);
    const writer = openSqlite(path);
    writer.exec("BEGIN EXCLUSIVE");
    clock.nowMs += 300;
    expect([...denied(), list.problem()]).toEqual([true, true, "OPT_OUTS_UNREADABLE"]);
    writer.close();
    list.close();
  });

  it("notices a list that is taken away, put back, or replaced by another", () => {
    const path = newList();
    add(path, ONE);
    const { clock, changes, list, denied } = follow(path);
    expect(denied()).toEqual([true, false]);
    renameSync(path, `${path}.away`);
    clock.nowMs += 300;
    expect([...denied(), list.problem()]).toEqual([true, true, "OPT_OUTS_MISSING"]);
    renameSync(`${path}.away`, path);
    clock.nowMs += 300;
    expect([...denied(), list.problem()]).toEqual([true, false, undefined]);
    const other = newList();
    add(other, OTHER);
    copyFileSync(other, `${path}.other`);
    renameSync(`${path}.other`, path);
    clock.nowMs += 300;
    expect(denied()).toEqual([false, true]);
    expect(changes).toEqual([undefined, "OPT_OUTS_MISSING", undefined]);
    list.close();
  });

  it("goes by what it knew for one second while a writer holds the file, and by nothing after that", () => {
    const path = newList();
    add(path, ONE);
    const { clock, list, denied } = follow(path);
    expect(denied()).toEqual([true, false]);
    const writer = openSqlite(path);
    writer.exec("BEGIN EXCLUSIVE");
    clock.nowMs += 999;
    expect(denied()).toEqual([true, false]);
    clock.nowMs += 1;
    expect([...denied(), list.problem()]).toEqual([true, true, "OPT_OUTS_UNREADABLE"]);
    writer.exec("COMMIT");
    writer.close();
    clock.nowMs += 300;
    expect([...denied(), list.problem()]).toEqual([true, false, undefined]);
    list.close();
  });
});
