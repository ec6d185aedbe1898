import { spawnSync } from "node:child_process";
import { readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isPipelineFailure, type PipelineFailure } from "../../../pipeline/facts/errors.ts";
import { openWarehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { inspectWarehouse, openWarehouseReader } from "../../../pipeline/warehouse/warehouse-reader.ts";
import { openSqlite, type SqliteDatabase } from "../../../snapshots/base/sqlite.ts";
import { compileCopy } from "../../support/compiled-copy.ts";
import { beginGovernor, block } from "./chain-events.ts";
import { address, dao, factsOf, fetchInto, fillSample, transfer } from "./sample-facts.ts";
import { createWarehouseHome, type WarehouseHome } from "./warehouse-home.ts";

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
function tamper<Result>(change: (database: SqliteDatabase) => Result): Result {
  const database = openSqlite(home.path);
  try {
    return change(database);
  } finally {
    database.close();
  }
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
    const error = errorOf(() => openWarehouse(path));
    expect(error.code).toBe("HOME_MISSING");
    expect(error.message).not.toContain(home.directory);
  });

  it("takes an empty file for a new one: a process may have been killed right after making it", () => {
    writeFileSync(home.path, "");
    expect(home.open().fetchRecords()).toEqual([]);
  });

  it.each([
    { why: "a newer program", version: 99, code: "WAREHOUSE_TOO_NEW", hint: "newer program" },
    { why: "an older program", version: 6, code: "WAREHOUSE_TOO_OLD", hint: "fetch again" },
  ])("refuses the file of $why and does not touch it", ({ version, code, hint }) => {
    fillAndClose();
    tamper((database) => database.pragma(`user_version = ${version}`));
    const before = readFileSync(home.path);
    for (const open of [home.open, () => openWarehouseReader(home.path), () => inspectWarehouse(home.path)]) {
      const error = errorOf(open);
      expect(error.code).toBe(code);
      expect(error.message).toContain(`has version ${version}`);
      expect(error.hint).toContain(hint);
    }
    expect(readFileSync(home.path).equals(before)).toBe(true);
  });

  it("deletes with a DAO everything that refers to it", () => {
    fillAndClose();
    const left = tamper((database) => {
      database.pragma("foreign_keys = ON");
      database.exec("DELETE FROM daos");
      const tables = database
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
        .pluck()
        .all() as string[];
      return tables.filter((table) => database.prepare(`SELECT count(*) FROM ${table}`).pluck().get() !== 0);
    });
    // Voters are shared by all DAOs.
    expect(left).toEqual(["voter_blocks"]);
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
