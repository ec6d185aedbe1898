import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isPipelineFailure, type PipelineFailure } from "../../../pipeline/facts/errors.ts";
import { openWarehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { openSqlite, type SqliteDatabase } from "../../../snapshots/base/sqlite.ts";
import { compileCopy } from "../../support/compiled-copy.ts";
import { beginGovernor, block } from "./chain-events.ts";
import { address, dao, factsOf, fetchInto, fillSample, transfer } from "./sample-facts.ts";
import { createWarehouseHome, MIGRATIONS, type WarehouseHome } from "./warehouse-home.ts";

const CHILD = fileURLToPath(new URL("./crash-child.ts", import.meta.url));

let home: WarehouseHome;
beforeEach(() => {
  home = createWarehouseHome();
});
afterEach(() => home.remove());

/** Runs a fetch in a process of its own, which is killed at `moment`. */
function crash(moment: "before-commit" | "after-commit" | "after-page" | "after-keep"): void {
  const { signal, stderr } = spawnSync(process.execPath, [compileCopy(CHILD), home.path, moment], {
    encoding: "utf8",
  });
  expect(signal, stderr).toBe("SIGKILL");
}

describe("a process killed in a fetch", () => {
  it("leaves the old facts whole when it had not committed", () => {
    const first = home.open();
    fetchInto(first, "a.eth", fillSample("a.eth"));
    const before = [factsOf(first, "a.eth"), first.fetchRecords(), first.rejections()];
    first.close();

    crash("before-commit");
    expect(statSync(`${home.path}-wal`).size, "the crash came too early to prove anything").toBeGreaterThan(
      1e6,
    );
    const after = home.open();
    expect([factsOf(after, "a.eth"), after.fetchRecords(), after.rejections()]).toEqual(before);
    fetchInto(after, "b.eth", (sink) => expect(sink.internVoter(address(77))).toBe(3));
  });

  it("has kept everything when it had committed", () => {
    crash("after-commit");
    const after = home.open();
    const facts = factsOf(after, "a.eth");
    expect(facts.proposals).toHaveLength(6_002);
    expect(facts.lastCompleteFetchMs).toBe(2_000);
    fetchInto(after, "b.eth", (sink) =>
      expect([1, 2_999, 7_777].map((n) => sink.internVoter(address(n)))).toEqual([1, 2_002, 2_003]),
    );
  });

  it("has kept the pages it had fetched, and nothing else of an unfinished fetch", () => {
    const first = home.open();
    fetchInto(first, "a.eth", fillSample("a.eth"));
    const before = [factsOf(first, "a.eth"), first.fetchRecords(), first.rejections()];
    first.close();

    crash("after-page");
    const after = home.open();
    expect([factsOf(after, "a.eth"), after.fetchRecords(), after.rejections()]).toEqual(before);
    const attempt = { spaceId: "a.eth", sourceId: "snapshot-hub", fetchedAtMs: 3_000 };
    const fetch = after.beginSpaceFetch(attempt);
    expect(fetch.memory?.resumedPage("half", 0)).toBe("kept");
    expect(fetch.internVoter(`0x${"f".repeat(40)}`)).toBe(3);
  });

  it("has kept the logs it had read, shows none of them, and no longer those that it took back; and its names", () => {
    const first = home.open();
    const governor = beginGovernor(first);
    for (const number of [1, 2, 3]) governor.tokenMemory.keep([transfer(number, 0)], block(number));
    governor.commit();
    const before = [first.fetchRecords(), first.holdings()];
    first.close();

    crash("after-keep");
    const after = home.open();
    expect([after.fetchRecords(), after.holdings()]).toEqual(before);
    const facts = factsOf(after, "a.eth");
    expect(facts.proposals).toEqual([]);
    expect(facts.delegationEvents).toEqual([transfer(1, 0), transfer(2, 0)]);
    expect([...facts.names]).toEqual([[address(1), "one.eth"]]);
    const next = beginGovernor(after);
    expect(next.tokenMemory.heldThrough()).toEqual([block(3, "b"), block(2), block(1)]);
    next.commit();
    expect(factsOf(after, "a.eth").delegationEvents).toEqual([
      transfer(1, 0),
      transfer(2, 0),
      transfer(3, 1),
    ]);
  });
});

beforeEach(() => {
  home = createWarehouseHome();
});
afterEach(() => home.remove());

/** What `work` throws, as our own error; fails where it throws nothing or anything else. */
function errorOf(work: () => unknown): PipelineFailure {
  try {
    work();
  } catch (error) {
    if (isPipelineFailure(error)) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

/** Changes the file behind the warehouse's back. */
function tamper(change: (database: SqliteDatabase) => void): void {
  const database = openSqlite(home.path);
  change(database);
  database.close();
}

function fillAndClose(): void {
  const warehouse = home.open();
  fetchInto(warehouse, "a.eth", fillSample("a.eth"));
  warehouse.close();
}

describe("openWarehouse", () => {
  it("makes a file for its owner alone, journal included", () => {
    const warehouse = home.open();
    fetchInto(warehouse, "a.eth", fillSample("a.eth"));
    for (const suffix of ["", "-wal", "-shm"]) {
      expect(statSync(home.path + suffix).mode & 0o777).toBe(0o600);
    }
  });

  it("finds everything again", () => {
    const first = home.open();
    fetchInto(first, "a.eth", fillSample("a.eth"));
    const before = [factsOf(first, "a.eth"), first.fetchRecords(), first.rejections()];
    first.close();
    const second = home.open();
    expect([factsOf(second, "a.eth"), second.fetchRecords(), second.rejections()]).toEqual(before);
  });

  it("leaves one file behind when it closes", () => {
    fillAndClose();
    expect(() => statSync(`${home.path}-wal`)).toThrow("ENOENT");
  });

  it("says so when the folder is missing", () => {
    const path = join(home.directory, "nowhere", "warehouse.db");
    const error = errorOf(() => openWarehouse({ path, migrationsDirectory: MIGRATIONS }));
    expect(error.code).toBe("HOME_MISSING");
    expect(error.message).not.toContain(home.directory);
  });

  it("takes an empty file for a new one: a process may have been killed right after making it", () => {
    writeFileSync(home.path, "");
    expect(home.open().fetchRecords()).toEqual([]);
  });

  it("refuses the file of a newer program and does not touch it", () => {
    fillAndClose();
    tamper((database) => database.pragma("user_version = 99"));
    const before = readFileSync(home.path);
    const error = errorOf(() => home.open());
    expect(error.code).toBe("WAREHOUSE_TOO_NEW");
    expect(error.message).toContain("99");
    expect(error.hint).toBeDefined();
    expect(readFileSync(home.path).equals(before)).toBe(true);
  });

  it.each([
    { why: "text", damage: () => writeFileSync(home.path, "this is no database\n".repeat(100)) },
    {
      why: "an SQLite file of somebody else",
      damage: () => tamper((database) => database.exec("CREATE TABLE theirs (a INTEGER)")),
    },
    {
      why: "an SQLite file that says it is somebody else's",
      damage: () => {
        fillAndClose();
        tamper((database) => database.pragma("application_id = 7"));
      },
    },
    {
      why: "a file cut in half",
      damage: () => {
        fillAndClose();
        truncateSync(home.path, 8_192);
      },
    },
    {
      why: "a file whose first page is overwritten",
      damage: () => {
        fillAndClose();
        const bytes = readFileSync(home.path);
        writeFileSync(home.path, bytes.fill(0xa5, 0, 4_096));
      },
    },
    {
      why: "a file whose pages after the first are overwritten",
      damage: () => {
        fillAndClose();
        const bytes = readFileSync(home.path);
        writeFileSync(home.path, bytes.fill(0xa5, 4_096));
      },
    },
  ])("refuses $why at the opening or at the first reading", ({ damage }) => {
    damage();
    const error = errorOf(() => factsOf(home.open(), "a.eth"));
    expect(error.code).toBe("WAREHOUSE_CORRUPT");
    expect(error.hint).toBeDefined();
  });

  it.each([
    { why: "count", sql: "UPDATE ballots SET votes_count = 1" },
    { why: "bytes", sql: "UPDATE ballots SET packed = zeroblob(length(packed))" },
    { why: "owner", sql: "UPDATE ballots SET proposal_number = proposal_number + 1", name: "2" },
  ])("refuses a ballot with another $why, naming its proposal", ({ sql, name = "1" }) => {
    fillAndClose();
    tamper((database) => database.exec(sql));
    const error = errorOf(() => factsOf(home.open(), "a.eth"));
    expect(error.code).toBe("WAREHOUSE_CORRUPT");
    expect(error.message).toContain(`proposal ${name}:`);
  });

  it("refuses a delegate list under another day", () => {
    fillAndClose();
    tamper((database) => database.exec("UPDATE delegate_lists SET date = '2022-01-03'"));
    expect(errorOf(() => factsOf(home.open(), "a.eth")).message).toContain("a.eth 2022-01-03");
  });

  it.each([
    {
      why: "two have one number",
      sql: "INSERT INTO voter_blocks SELECT 1, voters_count, packed FROM voter_blocks",
    },
    { why: "one is missing", sql: "UPDATE voter_blocks SET voters_count = 1" },
    { why: "the first block is missing", sql: "UPDATE voter_blocks SET block_number = 1" },
    { why: "the bytes are others", sql: "UPDATE voter_blocks SET packed = zeroblob(length(packed))" },
    { why: "there are no bytes", sql: "UPDATE voter_blocks SET packed = x''" },
  ])("refuses to number voters on where $why, and to say whose they are, and changes nothing", ({ sql }) => {
    fillAndClose();
    tamper((database) => database.exec(sql));
    const blocks = () => {
      let rows: unknown;
      tamper((database) => {
        rows = database.prepare("SELECT * FROM voter_blocks").all();
      });
      return rows;
    };
    const before = blocks();
    const warehouse = home.open();
    const fetch = warehouse.beginSpaceFetch({ spaceId: "a.eth", sourceId: "archive", fetchedAtMs: 1 });
    const stranger = `0x${"1".repeat(40)}`;
    for (const _ of ["first", "again"]) {
      expect(errorOf(() => fetch.internVoter(stranger)).code).toBe("WAREHOUSE_CORRUPT");
    }
    fetch.commit();
    expect(blocks()).toEqual(before);
    const entities = [{ entityId: "one", label: "", wallets: [stranger], isOptedOut: false }];
    expect(errorOf(() => warehouse.daoFacts(dao("a.eth"), { daos: [], entities })).code).toBe(
      "WAREHOUSE_CORRUPT",
    );
  });
});

describe("two openings of one file", () => {
  it("let one write at a time and say who must wait", () => {
    const [one, other] = [home.open(), home.open()];
    const attempt = { spaceId: "a.eth", sourceId: "archive", fetchedAtMs: 1 };
    const fetch = one.beginSpaceFetch(attempt);
    expect(errorOf(() => other.beginSpaceFetch(attempt)).code).toBe("WAREHOUSE_BUSY");
    fetch.commit();
    expect(other.beginSpaceFetch(attempt).commit().status).toBe("complete");
  });

  it("number their voters together", () => {
    const [one, other] = [home.open(), home.open()];
    fetchInto(one, "a.eth", (sink) => expect(sink.internVoter(`0x${"1".repeat(40)}`)).toBe(1));
    fetchInto(other, "a.eth", (sink) => expect(sink.internVoter(`0x${"2".repeat(40)}`)).toBe(2));
    fetchInto(one, "a.eth", (sink) => {
      expect(sink.internVoter(`0x${"3".repeat(40)}`)).toBe(3);
      expect(sink.internVoter(`0x${"2".repeat(40)}`)).toBe(2);
    });
  });
});

describe("migrate", () => {
  const migrations = () => join(home.directory, "migrations");
  const newest = readdirSync(MIGRATIONS).length;
  const fileName = (number: number) => `${String(number).padStart(3, "0")}-later.sql`;
  const openWith = (files: Readonly<Record<string, string>>) => {
    mkdirSync(migrations(), { recursive: true });
    cpSync(MIGRATIONS, migrations(), { recursive: true });
    for (const [name, sql] of Object.entries(files)) writeFileSync(join(migrations(), name), sql);
    return openWarehouse({ path: home.path, migrationsDirectory: migrations() });
  };
  const versionAndTables = () => {
    const database = openSqlite(home.path);
    const version = database.pragma("user_version", { simple: true });
    const names = database.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'later%'").pluck().all();
    database.close();
    return { version, names };
  };

  it("brings an older file up to date and keeps what is in it", () => {
    fillAndClose();
    const newer = openWith({ [fileName(newest + 1)]: "CREATE TABLE later (a INTEGER) STRICT;" });
    expect(factsOf(newer, "a.eth").proposals).toHaveLength(2);
    newer.close();
    expect(versionAndTables()).toEqual({ version: newest + 1, names: ["later"] });
    openWith({}).close();
  });

  it("does a migration whole or not at all", () => {
    fillAndClose();
    const broken = {
      [fileName(newest + 1)]: "CREATE TABLE later (a INTEGER) STRICT; CREATE TABLE later (b INTEGER);",
    };
    expect(() => openWith(broken)).toThrow("already exists");
    expect(versionAndTables()).toEqual({ version: newest, names: [] });
    expect(factsOf(home.open(), "a.eth").proposals).toHaveLength(2);
  });

  it("stops on a gap in the numbers of its files", () => {
    const file = fileName(newest + 2);
    expect(() => openWith({ [file]: "" })).toThrow(`${file} is not number ${newest + 1}`);
  });
});
