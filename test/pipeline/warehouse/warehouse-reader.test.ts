import { existsSync } from "node:fs";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DelegationEvent, Space } from "../../../pipeline/facts/dao-facts.ts";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import {
  openWarehouseReader,
  openWarehouseView,
  type WarehouseView,
} from "../../../pipeline/warehouse/warehouse-reader.ts";
import { openSqlite } from "../../../snapshots/base/sqlite.ts";
import { arbitraryDelegate, arbitraryProposal } from "./arbitrary-facts.ts";
import {
  address,
  dao,
  delegateList,
  factsOf,
  fetchInto,
  fillSample,
  NO_ENTITIES,
  pointOn,
  proposal,
  putBallot,
  putEvents,
  putProposal,
  transfer,
} from "./sample-facts.ts";
import { createWarehouseHome, type WarehouseHome } from "./warehouse-home.ts";

let home: WarehouseHome;
let warehouse: Warehouse;
const opened: { close(): void }[] = [];
beforeEach(() => {
  home = createWarehouseHome();
  warehouse = home.open();
  fetchInto(warehouse, "a.eth", fillSample("a.eth"));
});
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
  home.remove();
});

const entity = (entityId: string, wallets: readonly string[]) => {
  return { entityId, label: "", wallets, isOptedOut: false };
};

describe("a reader beside the warehouse", () => {
  const REGISTRY = { daos: [], entities: [entity("one", [address(1), address(3)])] };
  function openReader(path = home.path) {
    const reader = openWarehouseReader(path);
    opened.push(reader);
    return reader;
  }

  it("tells the same of a DAO, and sees what is committed later", () => {
    const reader = openReader();
    const both = (spaceId: string) => [warehouse, reader].map((one) => one.daoFacts(dao(spaceId), REGISTRY));
    const [first, second] = both("a.eth");
    expect(second).toEqual(first);
    expect(second?.ballots.size).toBe(1);
    expect(second?.entityIdOfVoter).toEqual(new Map([[1, "one"]]));

    const fetch = warehouse.beginSpaceFetch({ spaceId: "b.eth", sourceId: "archive", fetchedAtMs: 1_000 });
    putProposal(fetch, "9");
    expect([fetch.internVoter(address(4)), fetch.internVoter(address(3))]).toEqual([3, 4]);
    expect(reader.daoFacts(dao("b.eth"), REGISTRY).proposals, "not committed yet").toEqual([]);
    fetch.commit();
    for (const facts of both("b.eth")) {
      expect(facts.proposals).toEqual([proposal("9")]);
      expect(facts.entityIdOfVoter).toEqual(new Map([1, 4].map((voter) => [voter, "one"])));
    }
    const others = { daos: [], entities: [entity("two", [address(2)])] };
    const { entityIdOfVoter } = reader.daoFacts(dao("a.eth"), others);
    expect(entityIdOfVoter, "another registry").toEqual(new Map([[2, "two"]]));
  });

  it("reads the points of past days", () => {
    const reader = openReader();
    warehouse.dailyPoints.keep("m", [["a.eth", [pointOn("2026-01-01")]]]);
    expect(reader.dailyPoints.read("a.eth", "m")).toEqual([pointOn("2026-01-01")]);
    expect(reader.dailyPoints.read("a.eth", "other")).toEqual([]);
  });

  it("opens no file that is not there, and makes none", () => {
    const path = `${home.path}.none`;
    expect(() => openReader(path)).toThrow();
    expect(existsSync(path)).toBe(false);
  });
});

describe("a view of a warehouse", () => {
  function openView(): WarehouseView {
    const view = openWarehouseView(home.path);
    opened.push(view);
    return view;
  }
  const votersOf = (view: WarehouseView) => {
    const voters: [number, string][] = [];
    view.eachVoter((wallet, voterNumber) => voters.push([voterNumber, wallet]));
    return voters;
  };

  it("tells what scoring sees of a DAO, its ballots one at a time", () => {
    const view = openView();
    const { ballots, entityIdOfVoter: _, names: _names, ...facts } = factsOf(warehouse, "a.eth");
    const { fetches, ...viewed } = view.dao(dao("a.eth"));
    expect(viewed).toEqual({ ...facts, dao: dao("a.eth") });
    expect([...view.ballots("a.eth")]).toEqual([...ballots.values()]);
    expect(ballots.size).toBeGreaterThan(0);
    expect(fetches).toEqual([{ sourceId: "archive", fetchedAtMs: facts.lastCompleteFetchMs }]);
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
      putProposal(sink, "b1");
      putBallot(sink, "b1", [address(9), long]);
    });
    const view = openView();
    expect(votersOf(view)).toEqual([address(1), address(2), address(9), long].map((one, n) => [n + 1, one]));
    expect(view.votersCount()).toBe(4);
    const registry = { daos: [], entities: [entity("one", [long])] };
    expect([...view.entityIdOfVoter(registry)]).toEqual([[4, "one"]]);
  });

  it("stays at its moment, whatever is fetched meanwhile", () => {
    const view = openView();
    const all = () => [votersOf(view), view.dao(dao("a.eth")), [...view.ballots("a.eth")]];
    const before = all();
    const unread = openView();
    fetchInto(warehouse, "a.eth", (sink) => {
      putProposal(sink, "new");
      putBallot(sink, "new", [address(77)]);
    });
    expect(factsOf(warehouse, "a.eth").ballots.has("new")).toBe(true);
    expect(all()).toEqual(before);
    expect(unread.dao(dao("a.eth"))).toEqual(before[1]);
    expect(openView().dao(dao("a.eth")).proposals).toEqual([proposal("new")]);
  });

  it("can be left in the middle of the ballots, and is closed then", () => {
    fetchInto(warehouse, "b.eth", (sink) => {
      for (const id of ["b1", "b2"]) {
        putProposal(sink, id);
        putBallot(sink, id, [address(1)]);
      }
    });
    const view = openView();
    for (const _ of view.ballots("b.eth")) break;
    expect([...view.ballots("b.eth")]).toHaveLength(2);
    view.close();
    expect(() => view.votersCount()).toThrow();
  });

  it("refuses a ballot that is damaged, and a file that is no warehouse", () => {
    const corrupt = expect.objectContaining({ code: "WAREHOUSE_CORRUPT" });
    const raw = openSqlite(home.path);
    raw.prepare("UPDATE ballots SET packed = zeroblob(length(packed))").run();
    raw.close();
    const view = openView();
    expect(() => [...view.ballots("a.eth")]).toThrow(corrupt);
    const other = `${home.path}.txt`;
    openSqlite(other).exec("CREATE TABLE notes (text)").close();
    expect(() => openWarehouseView(other)).toThrow(corrupt);
  });
});

/** The largest amount a contract can say, which no double holds. */
const LARGEST = 2n ** 256n - 1n;

describe("readDaoFacts", () => {
  it("gives back every proposal as it was, in the order of (end, id), unknown ends first", () => {
    const many = fc.uniqueArray(arbitraryProposal, { selector: (one) => one.proposalId, maxLength: 12 });
    fc.assert(
      fc.property(many, (proposals) => {
        fetchInto(warehouse, "any.eth", (sink) => {
          for (const one of proposals) sink.put({ kind: "proposal", proposal: one });
        });
        const endOf = (one: (typeof proposals)[number]) => one.end?.atMs ?? Number.NEGATIVE_INFINITY;
        const sorted = [...proposals].sort((a, b) =>
          endOf(a) === endOf(b) ? (a.proposalId < b.proposalId ? -1 : 1) : endOf(a) < endOf(b) ? -1 : 1,
        );
        expect(factsOf(warehouse, "any.eth").proposals).toEqual(sorted);
      }),
    );
  });

  it("gives back every delegate list as it was", () => {
    fc.assert(
      fc.property(fc.array(arbitraryDelegate, { maxLength: 8 }), fc.boolean(), (delegates, isComplete) => {
        const list = { ...delegateList("any.eth", "2022-01-01"), delegates, isComplete };
        fetchInto(warehouse, "any.eth", (sink) => sink.put({ kind: "delegate-list", list }));
        expect(factsOf(warehouse, "any.eth").delegateLists).toEqual([list]);
      }),
    );
  });

  it.each<readonly [why: string, change: Partial<Space>]>([
    ["everything known", { name: "A", isProposingGated: true, hasFixedPeriod: false, quorum: 0.5 }],
    ["nothing known", {}],
    ["a quorum of 0, which is none but not unknown", { quorum: 0, adminsAndModeratorsCount: 0 }],
    ["an empty name, which is not unknown either", { name: "" }],
  ])("gives back a space: %s", (_why, change) => {
    const space: Space = {
      name: undefined,
      website: undefined,
      forum: undefined,
      isProposingGated: undefined,
      hasFixedPeriod: undefined,
      quorum: undefined,
      adminsAndModeratorsCount: undefined,
      isFlagged: undefined,
      isHibernated: undefined,
      isVerified: undefined,
      ...change,
    };
    fetchInto(warehouse, "any.eth", (sink) => sink.put({ kind: "space", space }));
    expect(factsOf(warehouse, "any.eth").space).toEqual(space);
  });

  it("gives back logs of every kind by (block, log index), exact to the last unit", () => {
    const [one, two, three] = [address(1), address(2), address(3)];
    const log = { blockNumber: 10, blockTimeMs: undefined };
    const events: readonly DelegationEvent[] = [
      {
        ...log,
        logIndex: 2,
        kind: "delegate-changed",
        delegator: one,
        from: two,
        to: three,
        blockTimeMs: 1_650,
      },
      { ...log, logIndex: 10, kind: "votes-changed", delegate: three, before: 0n, after: LARGEST },
      { ...transfer(9_999_999_999, 0, LARGEST - 1n), blockTimeMs: undefined },
    ];
    fetchInto(warehouse, "logs.eth", (sink) => putEvents(sink, events.toReversed()));
    expect(factsOf(warehouse, "logs.eth").delegationEvents).toEqual(events);
    // Without a governor in the registry, there is no token whose logs are read.
    const other = { ...dao("logs.eth"), governor: undefined };
    expect(warehouse.daoFacts(other, NO_ENTITIES).delegationEvents).toEqual([]);
  });
});
