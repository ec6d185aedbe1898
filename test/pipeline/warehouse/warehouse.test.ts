import { spawnSync } from "node:child_process";
import { readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isPipelineFailure, type PipelineFailure } from "../../../pipeline/facts/errors.ts";
import { openWarehouse, type Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { inspectWarehouse, openWarehouseReader } from "../../../pipeline/warehouse/warehouse-reader.ts";
import { openSqlite, type SqliteDatabase } from "../../../snapshots/base/sqlite.ts";
import { compileCopy } from "../../support/compiled-copy.ts";
import { address, beginGovernor, block, factsOf, fetchInto, fillSample, transfer } from "./sample-facts.ts";
import { createWarehouseHome, type WarehouseHome } from "./warehouse-home.ts";

const CHILD = fileURLToPath(new URL("./crash-child.ts", import.meta.url));

let home: WarehouseHome;
beforeEach(() => {
  home = createWarehouseHome();
});
afterEach(() => home.remove());

const allOf = (warehouse: Warehouse) => [
  factsOf(warehouse, "a.eth"),
  warehouse.fetchRecords(),
  warehouse.rejections(),
];

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
    const before = allOf(first);
    first.close();

    crash("before-commit");
    const { size } = statSync(`${home.path}-wal`);
    expect(size, "the crash came too early to prove anything").toBeGreaterThan(1e6);
    const after = home.open();
    expect(allOf(after)).toEqual(before);
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
    const before = allOf(first);
    first.close();

    crash("after-page");
    const after = home.open();
    expect(allOf(after)).toEqual(before);
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
    const events = [transfer(1, 0), transfer(2, 0), transfer(3, 1)];
    expect(factsOf(after, "a.eth").delegationEvents).toEqual(events);
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

  it("leaves one file behind when it closes, and finds everything in it again", () => {
    const first = home.open();
    fetchInto(first, "a.eth", fillSample("a.eth"));
    const before = allOf(first);
    first.close();
    expect(() => statSync(`${home.path}-wal`)).toThrow("ENOENT");
    expect(allOf(home.open())).toEqual(before);
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
    ["a newer program", 99, "WAREHOUSE_TOO_NEW", "newer program"],
    ["an older program", 6, "WAREHOUSE_TOO_OLD", "fetch again"],
  ])("refuses the file of %s and does not touch it", (_why, version, code, hint) => {
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

  const fillAnd = (damage: () => unknown) => () => {
    fillAndClose();
    damage();
  };
  /** Overwrites a part of the file. */
  const overwrite = (from: number, to?: number) =>
    fillAnd(() => writeFileSync(home.path, readFileSync(home.path).fill(0xa5, from, to)));
  it.each<readonly [why: string, damage: () => unknown]>([
    ["text", () => writeFileSync(home.path, "this is no database\n".repeat(100))],
    [
      "an SQLite file of somebody else",
      () => tamper((database) => database.exec("CREATE TABLE theirs (a INTEGER)")),
    ],
    [
      "an SQLite file that says it is somebody else's",
      fillAnd(() => tamper((database) => database.pragma("application_id = 7"))),
    ],
    ["a file cut in half", fillAnd(() => truncateSync(home.path, 8_192))],
    ["a file whose first page is overwritten", overwrite(0, 4_096)],
    ["a file whose pages after the first are overwritten", overwrite(4_096)],
  ])("refuses %s at the opening or at the first reading", (_why, damage) => {
    damage();
    const error = errorOf(() => factsOf(home.open(), "a.eth"));
    expect(error.code).toBe("WAREHOUSE_CORRUPT");
    expect(error.hint).toBeDefined();
  });

  it.each([
    ["a ballot with another count", "UPDATE ballots SET votes_count = 1", "proposal 1:"],
    ["a ballot of other bytes", "UPDATE ballots SET packed = zeroblob(length(packed))", "proposal 1:"],
    [
      "a ballot of another proposal",
      "UPDATE ballots SET proposal_number = proposal_number + 1",
      "proposal 2:",
    ],
    [
      "a delegate list under another day",
      "UPDATE delegate_lists SET date = '2022-01-03'",
      "a.eth 2022-01-03",
    ],
  ])("refuses %s, naming it", (_why, sql, name) => {
    fillAndClose();
    tamper((database) => database.exec(sql));
    const error = errorOf(() => factsOf(home.open(), "a.eth"));
    expect(error.code).toBe("WAREHOUSE_CORRUPT");
    expect(error.message).toContain(name);
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
});
