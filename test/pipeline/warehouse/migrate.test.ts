import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDatabase, WAREHOUSE_APPLICATION_ID } from "../../../pipeline/warehouse/database.ts";
import { packDelegates } from "../../../pipeline/warehouse/delegate-lists.ts";
import { migrate } from "../../../pipeline/warehouse/migrate.ts";
import { packVotes } from "../../../pipeline/warehouse/votes.ts";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { openSqlite, type SqliteDatabase } from "../../../snapshots/base/sqlite.ts";
import { beginGovernor, block } from "./chain-events.ts";
import { address, ballot, delegateList, factsOf, proposal, TOKEN, transfer } from "./sample-facts.ts";
import { createWarehouseHome, MIGRATIONS, type WarehouseHome } from "./warehouse-home.ts";

let home: WarehouseHome;
beforeEach(() => {
  home = createWarehouseHome();
});
afterEach(() => home.remove());

const bytes = (hex: string) => Buffer.from(hex.slice(2), "hex");
const VOTES = ballot({ internVoter: (voter: string) => Number(voter) } as never, "1", [
  address(1),
  address(2),
]);

/** A file as the program before this one left it, with a row of everything; `fill` says it in that program's words. */
function oldFile(through: number, fill: (database: SqliteDatabase) => void): void {
  const database = openSqlite(home.path);
  // Nobody cuts the power of this test, which waits for the disk otherwise.
  database.pragma("synchronous = OFF");
  const files = readdirSync(MIGRATIONS).sort().slice(0, through);
  for (const file of files) database.exec(readFileSync(join(MIGRATIONS, file), "utf8"));
  database.pragma(`application_id = ${WAREHOUSE_APPLICATION_ID}`);
  database.pragma(`user_version = ${through}`);
  database.pragma("foreign_keys = ON");
  fill(database);
  database.close();
}

/** Two DAOs: one that an archive gave and a hub half gave and failed since, one that never came. */
function fillSecond(database: SqliteDatabase): void {
  database.exec(`
    INSERT INTO daos VALUES (1, 'a.eth', 4, 'archive', 1000), (2, 'b.eth', 0, NULL, NULL);
    INSERT INTO fetch_attempts VALUES (1, 'snapshot-hub', 'failed', 2000, 'SOURCE_FAILED', 'cut', 0, 0, 0, 0, 0),
                                      (2, 'archive', 'failed', 3000, 'SOURCE_FAILED', 'gone', 0, 0, 0, 0, 0);
    INSERT INTO rejection_counts VALUES (1, 'MORE', 4), (1, 'ODD', 7), (2, 'BAD', 1);
    INSERT INTO rejections VALUES (1, 0, 'votes/1', 7, 'ODD', 'odd'), (1, 1, 'votes/1', NULL, 'ODD', 'odder'),
                                  (2, 0, 'space', NULL, 'BAD', 'bad');
    INSERT INTO spaces (dao_number, source_id, name) VALUES (1, 'archive', 'Sample');
    INSERT INTO strategies VALUES (5, '[]');
    INSERT INTO proposals (proposal_number, dao_number, proposal_id, source_id, strategies_number,
                           is_quorum_rejection, is_shutter, is_flagged, is_deleted)
    VALUES (9, 1, '1', 'archive', 5, 0, 0, 0, 0);
    INSERT INTO fetch_notes VALUES (1, 'snapshot-hub', 'noted');`);
  const voter = database.prepare("INSERT INTO voters VALUES (?, ?)");
  for (const number of [1, 2]) voter.run(bytes(address(number)), number);
  database.prepare("INSERT INTO ballots VALUES (9, 2, ?, 0)").run(packVotes(VOTES));
  const list = delegateList("a.eth", "2022-01-02");
  // Nobody confirmed it: it is read no more.
  const claimed = { ...list, delegates: list.delegates.map((each) => ({ ...each, ens: "claimed.eth" })) };
  database
    .prepare("INSERT INTO delegate_lists VALUES (3, 1, '2022-01-02', ?, 1, 18, 7, ?)")
    .run(list.asOfMs, packDelegates(claimed));
  database.prepare("INSERT INTO tokens VALUES (6, 1, ?)").run(bytes(TOKEN));
  const event = database.prepare(
    "INSERT INTO delegation_events VALUES (6, 5, ?, 4, NULL, 'transfer', NULL, NULL, ?, ?, NULL, NULL, '1')",
  );
  for (const logIndex of [0, 1]) event.run(logIndex, bytes(address(1)), bytes(address(2)));
  database
    .prepare("INSERT INTO fetch_pages VALUES (1, 'snapshot-hub', '0x1', 0, ?)")
    .run(deflateSync("half a page"));
}

function expectSample(warehouse: Warehouse): void {
  expect(factsOf(warehouse, "a.eth")).toEqual({
    space: {
      name: "Sample",
      website: undefined,
      forum: undefined,
      isProposingGated: undefined,
      hasFixedPeriod: undefined,
      quorum: undefined,
      adminsAndModeratorsCount: undefined,
      isFlagged: undefined,
      isHibernated: undefined,
      isVerified: undefined,
    },
    proposals: [proposal("1", { strategiesKey: "[]" })],
    ballots: new Map([["1", VOTES]]),
    entityIdOfVoter: new Map(),
    delegateLists: [delegateList("a.eth", "2022-01-02")],
    delegationEvents: [transfer(5, 0), transfer(5, 1)],
    confirmations: [],
    names: new Map(),
    lastCompleteFetchMs: 1_000,
    isArchive: true,
  });
}

describe("a file from before facts were kept per source", () => {
  it("comes through with everything in it", () => {
    oldFile(2, fillSecond);
    const warehouse = home.open();
    expectSample(warehouse);
    expect(warehouse.fetchRecords()).toMatchObject([
      { spaceId: "a.eth", sourceId: "snapshot-hub", status: "failed", rejected: { MORE: 4, ODD: 7 } },
      { spaceId: "b.eth", sourceId: "archive", fetchedAtMs: 3_000, error: { message: "gone" } },
    ]);
    expect(warehouse.rejections()).toEqual([
      { spaceId: "a.eth", sourceId: "snapshot-hub", file: "votes/1", line: 7, code: "ODD", message: "odd" },
      {
        spaceId: "a.eth",
        sourceId: "snapshot-hub",
        file: "votes/1",
        line: undefined,
        code: "ODD",
        message: "odder",
      },
      { spaceId: "b.eth", sourceId: "archive", file: "space", line: undefined, code: "BAD", message: "bad" },
    ]);
    expect(warehouse.holdings()).toEqual([
      { spaceId: "a.eth", sourceId: "archive", fetchedAtMs: 1_000, proposals: 1, votes: 2 },
    ]);
  });

  it("is fetched on from there: voters, notes, logs and numbers of fetches go on", () => {
    oldFile(2, fillSecond);
    const warehouse = home.open();
    const hub = warehouse.beginSpaceFetch({ spaceId: "a.eth", sourceId: "snapshot-hub", fetchedAtMs: 5_000 });
    expect(hub.memory?.resumedPage("0x1", 0)).toBe("half a page");
    expect([hub.memory?.note(), hub.internVoter(address(2)), hub.internVoter(address(3))]).toEqual([
      "noted",
      2,
      3,
    ]);
    hub.put({ kind: "delegation-events", token: TOKEN, events: [transfer(5, 1, 9n)] });
    hub.commit();
    expect(factsOf(warehouse, "a.eth").delegationEvents).toEqual([transfer(5, 0), transfer(5, 1, 9n)]);
    const governor = beginGovernor(warehouse);
    expect(governor.tokenMemory.heldThrough(), "an archive's logs were never known to be all").toEqual([]);
    governor.tokenMemory.keep([transfer(5, 0)], block(5));
    governor.commit();
    expect(factsOf(warehouse, "a.eth").delegationEvents).toEqual([transfer(5, 0)]);
  });

  it("keeps what hangs on a DAO hanging on it", () => {
    oldFile(2, fillSecond);
    home.open().close();
    const database = openSqlite(home.path);
    database.pragma("foreign_keys = ON");
    database.exec("DELETE FROM daos");
    const left = (table: string) => database.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
    const tables = database
      .prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('voter_blocks', 'strategies')",
      )
      .pluck()
      .all() as string[];
    expect(tables.length).toBeGreaterThan(12);
    expect(tables.filter((table) => left(table) !== 0)).toEqual([]);
    database.close();
  });

  it("is refused if rows refer to missing rows, and stays as it was", () => {
    oldFile(2, (database) => {
      fillSecond(database);
      database.pragma("foreign_keys = OFF");
      database.exec("UPDATE proposals SET dao_number = 77");
    });
    expect(() => home.open()).toThrow("rows refer to missing rows");
    const database = openSqlite(home.path);
    expect(database.pragma("user_version", { simple: true })).toBe(2);
    expect(database.prepare("SELECT complete_source_id FROM daos").pluck().all()).toEqual(["archive", null]);
    database.close();
  });
});

describe("a file from before voters lay in blocks", () => {
  const fillFourth = (numbers: readonly number[]) => (database: SqliteDatabase) => {
    const voter = database.prepare("INSERT INTO voters VALUES (?, ?)");
    // In no order of their numbers, as the old tree gave them.
    for (const number of numbers.toSorted((a, b) => (a % 97) - (b % 97))) {
      voter.run(bytes(number % 4 === 0 ? starknet(number) : address(number)), number);
    }
  };
  const starknet = (n: number) => `0x${n.toString(16).padStart(64, "0")}`;
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

  it.each([0, 1, 1_024, 1_025, 3_000])("keeps the number of each of %i voters", (count) => {
    oldFile(4, fillFourth(upTo(count)));
    const fetch = home.open().beginSpaceFetch({ spaceId: "a.eth", sourceId: "archive", fetchedAtMs: 1 });
    const asked = upTo(count + 1);
    expect(asked.map((n) => fetch.internVoter(n % 4 === 0 ? starknet(n) : address(n)))).toEqual(asked);
    fetch.commit();
  });

  it.each([
    { why: "one is missing", numbers: [1, 3] },
    { why: "two have one number", numbers: [1, 2, 2] },
    { why: "they begin at 0", numbers: [0, 1] },
  ])("is refused where $why, and stays as it was", ({ numbers }) => {
    const fill = (database: SqliteDatabase) => {
      const voter = database.prepare("INSERT INTO voters VALUES (?, ?)");
      for (const [index, number] of numbers.entries()) voter.run(bytes(address(index)), number);
    };
    oldFile(4, fill);
    expect(() => home.open()).toThrow("its voters are not numbered from 1 to their count");
    const database = openSqlite(home.path);
    expect(database.pragma("user_version", { simple: true })).toBe(4);
    expect(database.prepare("SELECT count(*) FROM voters").pluck().get()).toBe(numbers.length);
    database.close();
  });
});

describe("a file from before a DAO's points lay in one row", () => {
  it("keeps every point of every DAO and method, bit by bit", () => {
    const numbers = [0.1, 1 / 3, 2e-9, 55.5, 100, 99.9, 7.25];
    oldFile(5, (database) => {
      const point = database.prepare(
        "INSERT INTO daily_points VALUES (?, ?, ?, '1.0.0', ?, ?, ?, ?, ?, ?, ?, ?)",
      );
      const row = (spaceId: string, date: string, methodKey: string, riskScore: number | null) =>
        point.run(spaceId, date, methodKey, ...numbers.slice(0, 5), riskScore, ...numbers.slice(5));
      row("b.eth", "2026-01-03", "m", 3);
      row("a.eth", "2026-01-02", "m", null);
      row("a.eth", "2026-01-01", "m", 1 / 7);
      row("c.eth", "2026-01-01", "older", 5);
    });
    const { dailyPoints } = home.open();
    const [gvs = 0, hpr = 0, dei = 0, pdi = 0, gpi = 0, completenessPct = 0, indexWeight = 0] = numbers;
    const want = (date: string, riskScore: number | undefined) => ({
      date,
      methodologyVersion: "1.0.0",
      gvs,
      components: { hpr, dei, pdi, gpi },
      riskScore,
      completenessPct,
      indexWeight,
    });
    expect(dailyPoints.read("a.eth", "m")).toEqual([
      want("2026-01-01", 1 / 7),
      want("2026-01-02", undefined),
    ]);
    expect(dailyPoints.read("b.eth", "m")).toEqual([want("2026-01-03", 3)]);
    expect(dailyPoints.read("c.eth", "m")).toEqual([]);
    expect([dailyPoints.hasOtherMethod("c.eth", "m"), dailyPoints.hasOtherMethod("a.eth", "m")]).toEqual([
      true,
      false,
    ]);
  });
});

it.each(["a new file", "an old file", "a file of today"])(
  "leaves the connection to %s holding rows together",
  (why) => {
    if (why === "an old file") oldFile(2, fillSecond);
    if (why === "a file of today") home.open().close();
    const database = openDatabase(home.path);
    migrate(database, MIGRATIONS);
    expect(database.pragma("foreign_keys", { simple: true })).toBe(1);
    database.close();
  },
);
