import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DelegationEvent } from "../../../pipeline/facts/delegation.ts";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
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
  transfer,
} from "./sample-facts.ts";
import { createWarehouseHome, type WarehouseHome } from "./warehouse-home.ts";

let home: WarehouseHome;
let warehouse: Warehouse;
beforeEach(() => {
  home = createWarehouseHome();
  warehouse = home.open();
});
afterEach(() => home.remove());

const begin = (spaceId = "a.eth", sourceId = "archive", fetchedAtMs = 1_000) =>
  warehouse.beginSpaceFetch({ spaceId, sourceId, fetchedAtMs });
const failure = { code: "SOURCE_FAILED", message: "votes.ndjson line 3 is cut" };

describe("a fetch that is committed", () => {
  it("is recorded with what it brought", () => {
    const record = fetchInto(warehouse, "a.eth", fillSample("a.eth"));
    expect(record).toEqual({
      spaceId: "a.eth",
      sourceId: "archive",
      status: "complete",
      fetchedAtMs: 1_000,
      error: undefined,
      proposals: 2,
      ballots: 1,
      votes: 2,
      delegateLists: 1,
      logs: 2,
      rejected: { BAD_CHOICE: 1 },
    });
    expect(warehouse.fetchRecords()).toEqual([record]);
  });

  it("is held until a later one replaces it, whatever fails in between", () => {
    fetchInto(warehouse, "a.eth", fillSample("a.eth"));
    const held = [{ spaceId: "a.eth", sourceId: "archive", fetchedAtMs: 1_000, proposals: 2, votes: 2 }];
    expect(warehouse.holdings()).toEqual(held);
    begin("a.eth", "archive", 2_000).fail(failure);
    begin("never.eth").fail(failure);
    expect(warehouse.holdings()).toEqual(held);
  });

  it("is invisible before its commit, to this process too", () => {
    fetchInto(warehouse, "a.eth", fillSample("a.eth"));
    const before = factsOf(warehouse, "a.eth");
    const fetch = begin();
    fetch.put({ kind: "proposal", proposal: proposal("new") });
    expect(factsOf(warehouse, "a.eth")).toEqual(before);
    expect(warehouse.fetchRecords()).toHaveLength(1);
    fetch.commit();
    expect(factsOf(warehouse, "a.eth").proposals.map((one) => one.proposalId)).toEqual(["new"]);
  });

  it("gives the same facts and the same record when the same data come again", () => {
    const first = fetchInto(warehouse, "a.eth", fillSample("a.eth"));
    const facts = factsOf(warehouse, "a.eth");
    expect(fetchInto(warehouse, "a.eth", fillSample("a.eth"))).toEqual(first);
    expect(factsOf(warehouse, "a.eth")).toEqual(facts);
  });

  it("drops proposals, ballots and the space that its source no longer has; lists and logs of old days stay", () => {
    fetchInto(warehouse, "a.eth", fillSample("a.eth"));
    fetchInto(warehouse, "a.eth", (sink) => {
      sink.put({ kind: "proposal", proposal: proposal("1") });
      sink.put({ kind: "delegate-list", list: delegateList("a.eth", "2022-01-01", 5n) });
      sink.put({ kind: "delegation-events", token: TOKEN, events: [transfer(4, 9)] });
    });
    const facts = factsOf(warehouse, "a.eth");
    expect(facts.proposals).toEqual([proposal("1")]);
    expect(facts.ballots.size).toBe(0);
    expect(facts.space).toBeUndefined();
    expect(facts.delegateLists.map((list) => list.date)).toEqual(["2022-01-01", "2022-01-02"]);
    expect(facts.delegationEvents).toEqual([transfer(4, 9), transfer(5, 0), transfer(5, 1)]);
  });

  it("leaves alone what another source brought, but replaces what both have, ballot included", () => {
    fetchInto(warehouse, "a.eth", fillSample("a.eth"));
    fetchInto(
      warehouse,
      "a.eth",
      (sink) => sink.put({ kind: "proposal", proposal: proposal("1", { title: "Theirs" }) }),
      {
        sourceId: "snapshot-hub",
        fetchedAtMs: 2_000,
      },
    );
    const facts = factsOf(warehouse, "a.eth");
    expect(facts.proposals.map((one) => [one.proposalId, one.title])).toEqual([
      ["1", "Theirs"],
      ["2", undefined],
    ]);
    expect(facts.ballots.size).toBe(0);
    expect(facts.space?.name).toBe("Sample");
    expect([facts.isArchive, facts.lastCompleteFetchMs]).toEqual([false, 2_000]);
  });

  it("keeps the last of what is put twice, and counts it once", () => {
    const record = fetchInto(warehouse, "a.eth", (sink) => {
      sink.put({ kind: "proposal", proposal: proposal("1", { title: "old" }) });
      sink.put({ kind: "votes", votes: ballot(sink, "1", [address(1), address(2)]), isFinal: true });
      sink.put({ kind: "proposal", proposal: proposal("1", { title: "new" }) });
      sink.put({ kind: "votes", votes: ballot(sink, "1", [address(3)]), isFinal: true });
      sink.put({ kind: "delegate-list", list: delegateList("a.eth", "2022-01-01", 1n) });
      sink.put({ kind: "delegate-list", list: delegateList("a.eth", "2022-01-01", 2n) });
    });
    expect(record).toMatchObject({ proposals: 1, ballots: 1, votes: 1, delegateLists: 1 });
    const facts = factsOf(warehouse, "a.eth");
    expect(facts.proposals[0]?.title).toBe("new");
    expect(facts.ballots.get("1")?.voterIds).toEqual(Uint32Array.of(3));
    expect(facts.delegateLists[0]?.delegates[0]?.votes).toBe(2n);
  });

  it("drops repeated logs, within a call, between calls and between fetches", () => {
    const fetch = begin();
    const put = (...events: DelegationEvent[]) =>
      fetch.put({ kind: "delegation-events", token: TOKEN, events });
    put(transfer(1, 0), transfer(1, 1), transfer(1, 0));
    put(transfer(1, 1), transfer(2, 0));
    expect(fetch.commit().logs).toBe(3);
    const again = begin();
    again.put({ kind: "delegation-events", token: TOKEN, events: [transfer(1, 0, 9n), transfer(3, 0)] });
    expect(again.commit().logs).toBe(2);
    expect(factsOf(warehouse, "a.eth").delegationEvents).toEqual([
      transfer(1, 0, 9n),
      transfer(1, 1),
      transfer(2, 0),
      transfer(3, 0),
    ]);
  });

  it("keeps every rejection's count and the first thousand rows, until the next fetch", () => {
    const row = (line: number) => ({ file: "votes/a.ndjson", line, code: "BAD_VOTE", message: "vp" });
    const record = fetchInto(warehouse, "a.eth", (sink) => {
      for (let line = 1; line <= 1_001; line += 1) sink.put({ kind: "rejection", ...row(line) });
      sink.put({
        kind: "rejection",
        file: "spaces/a.json",
        line: undefined,
        code: "A_FIRST",
        message: "odd",
      });
    });
    expect(Object.entries(record.rejected)).toEqual([
      ["A_FIRST", 1],
      ["BAD_VOTE", 1_001],
    ]);
    expect(warehouse.fetchRecords()[0]?.rejected).toEqual(record.rejected);
    const kept = warehouse.rejections();
    expect(kept).toHaveLength(1_000);
    expect(kept[0]).toEqual({ spaceId: "a.eth", sourceId: "archive", ...row(1) });
    expect(kept.at(-1)?.line).toBe(1_000);
    fetchInto(warehouse, "a.eth", () => undefined);
    expect(warehouse.rejections()).toEqual([]);
    expect(warehouse.fetchRecords()[0]?.rejected).toEqual({});
  });
});

describe("a fetch that fails", () => {
  it("leaves the facts as they were and is recorded", () => {
    fetchInto(warehouse, "a.eth", fillSample("a.eth"));
    const before = factsOf(warehouse, "a.eth");
    const fetch = begin("a.eth", "snapshot-hub", 2_000);
    fillSample("a.eth")(fetch);
    fetch.put({ kind: "proposal", proposal: proposal("half") });
    const record = fetch.fail(failure);
    expect(record).toMatchObject({ status: "failed", error: failure, proposals: 0, votes: 0, logs: 0 });
    expect(record.rejected).toEqual({ BAD_CHOICE: 1 });
    expect(warehouse.fetchRecords()).toMatchObject([{ sourceId: "archive", status: "complete" }, record]);
    expect(factsOf(warehouse, "a.eth")).toEqual(before);
    expect(before).toMatchObject({ lastCompleteFetchMs: 1_000, isArchive: true });
  });

  it("is recorded for a DAO that never had another", () => {
    begin().fail(failure);
    expect(warehouse.fetchRecords()).toMatchObject([{ spaceId: "a.eth", status: "failed", error: failure }]);
    expect(factsOf(warehouse, "a.eth")).toMatchObject({
      proposals: [],
      lastCompleteFetchMs: undefined,
      isArchive: false,
    });
  });

  it("takes its voter numbers with it: the next one gets them, and means somebody else", () => {
    const failed = begin();
    expect([failed.internVoter(address(1)), failed.internVoter(address(2))]).toEqual([1, 2]);
    failed.fail(failure);
    fetchInto(warehouse, "a.eth", (sink) => {
      sink.put({ kind: "proposal", proposal: proposal("1") });
      sink.put({ kind: "votes", votes: ballot(sink, "1", [address(9)]), isFinal: true });
    });
    const entities = [address(1), address(9)].map((wallet, index) => ({
      entityId: `entity ${index}`,
      label: "",
      wallets: [wallet],
      isOptedOut: false,
    }));
    const facts = warehouse.daoFacts(dao("a.eth"), { daos: [], entities });
    expect([...facts.entityIdOfVoter]).toEqual([[1, "entity 1"]]);
  });
});

describe("the misuse of a fetch", () => {
  it.each([{ why: "a second begin", misuse: () => begin("b.eth"), says: "another one is open" }])(
    "refuses $why",
    ({ misuse, says }) => {
      const fetch = begin();
      expect(misuse).toThrow(says);
      expect(fetch.commit().status).toBe("complete");
    },
  );

  it.each(["commit", "fail"] as const)("refuses to be used after %s", (end) => {
    const fetch = begin();
    if (end === "commit") fetch.commit();
    else fetch.fail(failure);
    expect(() => fetch.put({ kind: "proposal", proposal: proposal("1") })).toThrow("is over");
    expect(() => fetch.internVoter(address(1))).toThrow("is over");
    expect(() => fetch.commit()).toThrow("is over");
    expect(() => fetch.fail(failure)).toThrow("is over");
  });

  it.each([
    { why: "upper case", voter: `0x${"AB".repeat(20)}` },
    { why: "a name", voter: "vitalik.eth" },
    { why: "a digit short", voter: `0x${"a".repeat(39)}` },
    { why: "nothing", voter: "" },
  ])("refuses to intern $why", ({ voter }) => {
    const fetch = begin();
    expect(() => fetch.internVoter(voter)).toThrow("lower-case hex");
    expect(fetch.internVoter(address(1))).toBe(1);
  });

  it("refuses a ballot before its proposal, and one with voters nobody interned", () => {
    const fetch = begin();
    expect(() =>
      fetch.put({ kind: "votes", votes: ballot(fetch, "1", [address(1)]), isFinal: true }),
    ).toThrow("before its proposal");
    fetch.put({ kind: "proposal", proposal: proposal("1") });
    const known = ballot(fetch, "1", [address(1)]);
    expect(() =>
      fetch.put({ kind: "votes", votes: { ...known, voterIds: Uint32Array.of(2) }, isFinal: true }),
    ).toThrow("never interned");
    expect(() =>
      fetch.put({ kind: "votes", votes: { ...known, voterIds: Uint32Array.of(0) }, isFinal: true }),
    ).toThrow("never interned");
    fetch.put({ kind: "votes", votes: known, isFinal: true });
  });

  it("can be closed over: an open fetch is rolled back", () => {
    fetchInto(warehouse, "a.eth", fillSample("a.eth"));
    const before = factsOf(warehouse, "a.eth");
    begin().put({ kind: "proposal", proposal: proposal("half") });
    warehouse.close();
    expect(factsOf(home.open(), "a.eth")).toEqual(before);
  });
});

describe("two DAOs", () => {
  it("may use the same proposal ids and the same token and never mix", () => {
    fetchInto(warehouse, "b.eth", fillSample("b.eth"));
    fetchInto(warehouse, "a.eth", (sink) => {
      sink.put({ kind: "proposal", proposal: proposal("1", { title: "Mine" }) });
      sink.put({
        kind: "votes",
        votes: ballot(sink, "1", [address(2), address(3), address(4)]),
        isFinal: true,
      });
      sink.put({ kind: "delegation-events", token: TOKEN, events: [transfer(5, 0, 77n)] });
    });
    expect(factsOf(warehouse, "a.eth").proposals.map((one) => one.title)).toEqual(["Mine"]);
    expect(factsOf(warehouse, "a.eth").ballots.get("1")?.voterIds).toEqual(Uint32Array.of(2, 3, 4));
    expect(factsOf(warehouse, "a.eth").delegationEvents).toEqual([transfer(5, 0, 77n)]);
    expect(factsOf(warehouse, "b.eth").ballots.get("1")?.voterIds).toEqual(Uint32Array.of(1, 2));
    expect(factsOf(warehouse, "b.eth").delegationEvents).toEqual([transfer(5, 0), transfer(5, 1)]);
    expect(warehouse.fetchRecords().map((record) => record.spaceId)).toEqual(["a.eth", "b.eth"]);
  });

  it("are read by anybody, registry or not", () => {
    expect(warehouse.daoFacts(dao("never.eth"), NO_ENTITIES)).toMatchObject({
      proposals: [],
      isArchive: false,
    });
  });
});

function fetchArchive(state: string | undefined, fetchedAtMs = 1_000) {
  const fetch = warehouse.beginSpaceFetch({ spaceId: "a.eth", sourceId: "archive", fetchedAtMs });
  fillSample("a.eth")(fetch);
  return fetch.commit(state);
}
const confirm = (state: string, fetchedAtMs = 9_000, spaceId = "a.eth") =>
  warehouse.confirmFetch({ spaceId, sourceId: "archive", state, fetchedAtMs });

describe("a fetch whose source has not changed", () => {
  it("is confirmed with all it brought and rejected, as of now, in another process too", () => {
    const record = fetchArchive("same");
    const before = factsOf(warehouse, "a.eth");
    const rejections = warehouse.rejections();
    warehouse = home.open();
    expect(confirm("same")).toEqual({ ...record, fetchedAtMs: 9_000 });
    expect(warehouse.fetchRecords()).toEqual([{ ...record, fetchedAtMs: 9_000 }]);
    expect(warehouse.rejections()).toEqual(rejections);
    expect(factsOf(warehouse, "a.eth")).toEqual({ ...before, lastCompleteFetchMs: 9_000 });
    expect(confirm("same", 10_000)?.fetchedAtMs).toBe(10_000);
  });

  it.each([
    { why: "the source is in another state", before: () => fetchArchive("other") },
    { why: "no state was known", before: () => fetchArchive(undefined) },
    {
      why: "it was read anew in a state that nobody knows",
      before: () => [fetchArchive("same"), fetchArchive(undefined)],
    },
    {
      why: "another source has fetched the DAO since, and may have replaced proposals of it",
      before: () => {
        fetchArchive("same");
        const hub = warehouse.beginSpaceFetch({ spaceId: "a.eth", sourceId: "snapshot-hub", fetchedAtMs: 2 });
        hub.put({ kind: "proposal", proposal: proposal("p1") });
        hub.commit();
      },
    },
    {
      why: "the newest attempt failed",
      before: () => {
        fetchArchive("same");
        warehouse
          .beginSpaceFetch({ spaceId: "a.eth", sourceId: "archive", fetchedAtMs: 2 })
          .fail({ code: "SOURCE_FAILED", message: "cut" });
      },
    },
    { why: "it was never fetched", before: () => undefined },
  ])("is read again where $why", ({ before }) => {
    before();
    const records = warehouse.fetchRecords();
    expect(confirm("same")).toBeUndefined();
    expect(warehouse.fetchRecords(), "nothing is touched").toEqual(records);
  });

  it("is not confirmed while another fetch is open", () => {
    fetchArchive("same");
    warehouse.beginSpaceFetch({ spaceId: "b.eth", sourceId: "archive", fetchedAtMs: 1 });
    expect(() => confirm("same")).toThrow("while another one is open");
  });
});
