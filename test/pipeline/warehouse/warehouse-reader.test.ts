import { copyFileSync, existsSync } from "node:fs";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Space } from "../../../pipeline/facts/dao-facts.ts";
import type { DelegationEvent } from "../../../pipeline/facts/delegation.ts";
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
  ballot,
  dao,
  delegateList,
  factsOf,
  fetchInto,
  fillSample,
  NO_ENTITIES,
  proposal,
  TOKEN,
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

describe("open warehouse reader", () => {
  function openReader(path = home.path) {
    const reader = openWarehouseReader(path);
    opened.push(reader);
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
      const both = (spaceId: string) =>
        [warehouse, reader].map((one) => one.daoFacts(dao(spaceId), REGISTRY));
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
      { why: "of an older program", sql: "PRAGMA user_version = 1", says: "the warehouse has version 1," },
      { why: "of a newer program", sql: "PRAGMA user_version = 99", says: "the warehouse has version 99," },
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
});

describe("open warehouse view", () => {
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
      const before = {
        voters: votersOf(view),
        a: view.dao(dao("a.eth")),
        ballots: [...view.ballots("a.eth")],
      };
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
      expect(() => [...view.ballots("a.eth")]).toThrow(
        expect.objectContaining({ code: "WAREHOUSE_CORRUPT" }),
      );
      const other = `${home.path}.txt`;
      openSqlite(other).exec("CREATE TABLE notes (text)").close();
      expect(() => openWarehouseView(other)).toThrow(expect.objectContaining({ code: "WAREHOUSE_CORRUPT" }));
    });
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

  it.each([
    {
      why: "everything known",
      change: { name: "A", isProposingGated: true, hasFixedPeriod: false, quorum: 0.5 },
    },
    { why: "nothing known", change: {} },
    {
      why: "a quorum of 0, which is none but not unknown",
      change: { quorum: 0, adminsAndModeratorsCount: 0 },
    },
    { why: "an empty name, which is not unknown either", change: { name: "" } },
  ] satisfies { why: string; change: Partial<Space> }[])("gives back a space: $why", ({ change }) => {
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
    const events: readonly DelegationEvent[] = [
      {
        blockNumber: 10,
        logIndex: 2,
        blockTimeMs: 1_650_000_000_000,
        kind: "delegate-changed",
        delegator: address(1),
        from: address(0),
        to: address(3),
      },
      {
        blockNumber: 10,
        logIndex: 10,
        blockTimeMs: undefined,
        kind: "votes-changed",
        delegate: address(3),
        before: 0n,
        after: LARGEST,
      },
      {
        blockNumber: 9_999_999_999,
        logIndex: 0,
        blockTimeMs: undefined,
        kind: "transfer",
        from: address(1),
        to: address(2),
        amount: LARGEST - 1n,
      },
    ];
    fetchInto(warehouse, "logs.eth", (sink) =>
      sink.put({ kind: "delegation-events", token: TOKEN, events: events.toReversed() }),
    );
    expect(factsOf(warehouse, "logs.eth").delegationEvents).toEqual(events);
  });

  it("gives the logs of the registry's token only, and none without a governor", () => {
    const other = { ...dao("logs.eth"), governor: undefined };
    expect(warehouse.daoFacts(other, { daos: [], entities: [] }).delegationEvents).toEqual([]);
  });

  it("names the entities of wallets that ever voted, anywhere, EVM or Starknet", () => {
    const starknet = `0x${"0".repeat(24)}${"ab".repeat(20)}`;
    const evm = `0x${"ab".repeat(20)}`;
    fetchInto(warehouse, "entity.eth", (sink) => {
      sink.put({ kind: "proposal", proposal: proposal("1") });
      sink.put({ kind: "votes", votes: ballot(sink, "1", [evm, starknet]), isFinal: true });
    });
    const sink = warehouse.beginSpaceFetch({ spaceId: "entity.eth", sourceId: "governor", fetchedAtMs: 1 });
    const [evmNumber, starknetNumber] = [sink.internVoter(evm), sink.internVoter(starknet)];
    sink.fail({ code: "INTERRUPTED", message: "only a look" });
    const entity = (entityId: string, wallets: string[]) => ({
      entityId,
      label: entityId,
      wallets,
      isOptedOut: entityId === "ent_two",
    });
    const facts = warehouse.daoFacts(dao("elsewhere.eth"), {
      daos: [],
      entities: [entity("ent_one", [evm, address(404)]), entity("ent_two", [starknet, "not a wallet"])],
    });
    expect(facts.entityIdOfVoter).toEqual(
      new Map([
        [evmNumber, "ent_one"],
        [starknetNumber, "ent_two"],
      ]),
    );
  });
});
