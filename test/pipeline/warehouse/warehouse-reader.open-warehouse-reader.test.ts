import { copyFileSync, existsSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { openWarehouseReader } from "../../../pipeline/warehouse/warehouse-reader.ts";
import { openSqlite } from "../../../snapshots/base/sqlite.ts";
import { address, dao, fetchInto, fillSample, proposal } from "./sample-facts.ts";
import { createWarehouseHome, MIGRATIONS, type WarehouseHome } from "./warehouse-home.ts";

let home: WarehouseHome;
let warehouse: Warehouse;
const readers: ReturnType<typeof openWarehouseReader>[] = [];
beforeEach(() => {
  home = createWarehouseHome();
  warehouse = home.open();
  fetchInto(warehouse, "a.eth", fillSample("a.eth"));
});
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
  home.remove();
});

function openReader(path = home.path) {
  const reader = openWarehouseReader({ path, migrationsDirectory: MIGRATIONS });
  readers.push(reader);
  return reader;
}

const entity = (entityId: string, wallets: readonly string[]) => ({
  entityId,
  label: "",
  wallets,
  isOptedOut: false,
});
const REGISTRY = { daos: [], entities: [entity("one", [address(1), address(3)])] };

describe("a reader beside the warehouse", () => {
  it("tells the same of a DAO, and sees what is committed later", () => {
    const reader = openReader();
    const both = (spaceId: string) => [warehouse, reader].map((one) => one.daoFacts(dao(spaceId), REGISTRY));
    const [first, second] = both("a.eth");
    expect(second).toEqual(first);
    expect(second?.ballots.size).toBe(1);
    expect(second?.entityIdOfVoter).toEqual(new Map([[1, "one"]]));

    const fetch = warehouse.beginSpaceFetch({ spaceId: "b.eth", sourceId: "archive", fetchedAtMs: 1_000 });
    fetch.put({ kind: "proposal", proposal: proposal("9") });
    expect([fetch.internVoter(address(4)), fetch.internVoter(address(3))]).toEqual([3, 4]);
    expect(reader.daoFacts(dao("b.eth"), REGISTRY).proposals, "not committed yet").toEqual([]);
    fetch.commit();
    for (const facts of both("b.eth")) {
      expect(facts.proposals).toEqual([proposal("9")]);
      expect(facts.entityIdOfVoter).toEqual(new Map([1, 4].map((voter) => [voter, "one"])));
    }
    const others = { daos: [], entities: [entity("two", [address(2)])] };
    expect(reader.daoFacts(dao("a.eth"), others).entityIdOfVoter, "another registry").toEqual(
      new Map([[2, "two"]]),
    );
  });

  it("reads the points of past days", () => {
    const point = {
      date: "2026-01-01",
      methodologyVersion: "1.0.0",
      gvs: 5,
      components: { hpr: 1, dei: 2, pdi: 3, gpi: 4 },
      riskScore: undefined,
      completenessPct: 90,
      indexWeight: 20,
    };
    const reader = openReader();
    warehouse.dailyPoints.keep("m", new Map([["a.eth", [point]]]));
    expect(reader.dailyPoints.read("a.eth", "m")).toEqual([point]);
    expect(reader.dailyPoints.read("a.eth", "other")).toEqual([]);
  });
});

describe("a file that a reader does not open", () => {
  it("is one that is not there, and it is not made", () => {
    const path = `${home.path}.none`;
    expect(() => openReader(path)).toThrow();
    expect(existsSync(path)).toBe(false);
  });

  it.each([
    { why: "of an older program", sql: "PRAGMA user_version = 1", says: "version 1 of the warehouse" },
    { why: "of a newer program", sql: "PRAGMA user_version = 99", says: "version 99 of the warehouse" },
    { why: "of somebody else", sql: "PRAGMA application_id = 7", says: "not a warehouse" },
  ])("is one $why, and it stays as it is", ({ sql, says }) => {
    warehouse.close();
    const path = `${home.path}.copy`;
    copyFileSync(home.path, path);
    const database = openSqlite(path);
    database.exec(sql);
    database.close();
    expect(() => openReader(path)).toThrow(says);
  });
});
