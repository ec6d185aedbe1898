import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { openWarehouseView, type WarehouseView } from "../../../pipeline/warehouse/warehouse-reader.ts";
import { openSqlite } from "../../../snapshots/base/sqlite.ts";
import { address, ballot, dao, fetchInto, fillSample, NO_ENTITIES, proposal } from "./sample-facts.ts";
import { createWarehouseHome, type WarehouseHome } from "./warehouse-home.ts";

let home: WarehouseHome;
let warehouse: Warehouse;
const views: WarehouseView[] = [];
beforeEach(() => {
  home = createWarehouseHome();
  warehouse = home.open();
  fetchInto(warehouse, "a.eth", fillSample("a.eth"));
});
afterEach(() => {
  for (const view of views.splice(0)) view.close();
  home.remove();
});

function openView(): WarehouseView {
  const view = openWarehouseView({ path: home.path });
  views.push(view);
  return view;
}

const votersOf = (view: WarehouseView) => {
  const voters: [number, string][] = [];
  view.eachVoter((wallet, voterNumber) => voters.push([voterNumber, wallet]));
  return voters;
};

describe("a view of a warehouse", () => {
  it("tells what scoring sees of a DAO, its ballots one at a time", () => {
    const view = openView();
    const { ballots, entityIdOfVoter, names, ...facts } = warehouse.daoFacts(dao("a.eth"), NO_ENTITIES);
    const { fetches, ...viewed } = view.dao(dao("a.eth"));
    expect(viewed).toEqual(facts);
    expect([...view.ballots("a.eth")]).toEqual([...ballots.values()]);
    expect(ballots.size).toBeGreaterThan(0);
    expect(fetches.map(({ sourceId }) => sourceId)).toEqual(["archive"]);
    expect(Math.min(...fetches.map(({ fetchedAtMs }) => fetchedAtMs))).toBe(facts.lastCompleteFetchMs);
    expect([entityIdOfVoter, names].map(({ size }) => size)).toEqual([0, expect.any(Number)]);
  });

  it("knows nothing of a DAO that was never fetched", () => {
    const view = openView();
    expect(view.dao(dao("never.eth"))).toEqual({
      dao: dao("never.eth"),
      space: undefined,
      proposals: [],
      delegateLists: [],
      delegationEvents: [],
      confirmations: [],
      fetches: [],
      lastCompleteFetchMs: undefined,
      isArchive: false,
    });
    expect([...view.ballots("never.eth")]).toEqual([]);
  });

  it("names every voter by number, those of 64 digits too", () => {
    const long = `0x0${"4".repeat(63)}`;
    fetchInto(warehouse, "b.eth", (sink) => {
      sink.put({ kind: "proposal", proposal: proposal("b1") });
      sink.put({ kind: "votes", votes: ballot(sink, "b1", [address(9), long]), isFinal: true });
    });
    const view = openView();
    const voters = votersOf(view);
    expect(voters.map(([voterNumber]) => voterNumber)).toEqual(voters.map((_, index) => index + 1));
    expect(view.votersCount()).toBe(voters.length);
    expect(voters.map(([, wallet]) => wallet)).toEqual(
      expect.arrayContaining([address(1), address(9), long]),
    );
    const entities = [{ entityId: "one", label: "", wallets: [long], isOptedOut: true }];
    const found = [...view.entityIdOfVoter({ daos: [], entities })];
    expect(found).toEqual([[voters.find(([, wallet]) => wallet === long)?.[0], "one"]]);
  });

  it("stays at its moment, whatever is fetched meanwhile", () => {
    const view = openView();
    const before = { voters: votersOf(view), a: view.dao(dao("a.eth")), ballots: [...view.ballots("a.eth")] };
    fetchInto(warehouse, "a.eth", (sink) => {
      sink.put({ kind: "proposal", proposal: proposal("new") });
      sink.put({ kind: "votes", votes: ballot(sink, "new", [address(77)]), isFinal: true });
    });
    expect(warehouse.daoFacts(dao("a.eth"), NO_ENTITIES).ballots.has("new")).toBe(true);
    expect({
      voters: votersOf(view),
      a: view.dao(dao("a.eth")),
      ballots: [...view.ballots("a.eth")],
    }).toEqual(before);
    expect(
      openView()
        .dao(dao("a.eth"))
        .proposals.map(({ proposalId }) => proposalId),
    ).toContain("new");
  });

  it("can be left in the middle of the ballots, and is closed then", () => {
    fetchInto(warehouse, "b.eth", (sink) => {
      for (const id of ["b1", "b2"]) {
        sink.put({ kind: "proposal", proposal: proposal(id) });
        sink.put({ kind: "votes", votes: ballot(sink, id, [address(1)]), isFinal: true });
      }
    });
    const view = openView();
    for (const _ of view.ballots("b.eth")) break;
    expect([...view.ballots("b.eth")]).toHaveLength(2);
    view.close();
    expect(() => view.votersCount()).toThrow();
  });

  it("refuses a ballot that is damaged, and a file that is no warehouse", () => {
    const raw = openSqlite(home.path);
    raw.prepare("UPDATE ballots SET packed = zeroblob(length(packed))").run();
    raw.close();
    const view = openView();
    expect(() => [...view.ballots("a.eth")]).toThrow(expect.objectContaining({ code: "WAREHOUSE_CORRUPT" }));
    const other = `${home.path}.txt`;
    openSqlite(other).exec("CREATE TABLE notes (text)").close();
    expect(() => openWarehouseView({ path: other })).toThrow(
      expect.objectContaining({ code: "WAREHOUSE_CORRUPT" }),
    );
  });
});
