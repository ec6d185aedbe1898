import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import {
  address,
  ballot,
  delegateList,
  factsOf,
  fetchInto,
  fillSample,
  proposal,
  putBallot,
  putEvents,
  putProposal,
  putRejection,
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
const sample = () => fetchInto(warehouse, "a.eth", fillSample("a.eth"));
const facts = (spaceId = "a.eth") => factsOf(warehouse, spaceId);

describe("a fetch that is committed", () => {
  it("is recorded with what it brought, and the same when the same data come again", () => {
    const record = sample();
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
    const before = facts();
    expect(sample()).toEqual(record);
    expect(facts()).toEqual(before);
  });

  it("is held until a later one replaces it, whatever fails in between", () => {
    sample();
    const held = [{ spaceId: "a.eth", sourceId: "archive", fetchedAtMs: 1_000, proposals: 2, votes: 2 }];
    expect(warehouse.holdings()).toEqual(held);
    begin("a.eth", "archive", 2_000).fail(failure);
    begin("never.eth").fail(failure);
    expect(warehouse.holdings()).toEqual(held);
  });

  it("is invisible before its commit, to this process too", () => {
    sample();
    const before = facts();
    const fetch = begin();
    putProposal(fetch, "new");
    expect(facts()).toEqual(before);
    expect(warehouse.fetchRecords()).toHaveLength(1);
    fetch.commit();
    expect(facts().proposals).toEqual([proposal("new")]);
  });

  it("drops proposals, ballots and the space that its source no longer has; lists and logs of old days stay", () => {
    sample();
    fetchInto(warehouse, "a.eth", (sink) => {
      putProposal(sink, "1");
      sink.put({ kind: "delegate-list", list: delegateList("a.eth", "2022-01-01", 5n) });
      putEvents(sink, [transfer(4, 9)]);
    });
    const { proposals, ballots, space, delegateLists, delegationEvents } = facts();
    expect([proposals, ballots.size, space]).toEqual([[proposal("1")], 0, undefined]);
    expect(delegateLists.map((list) => list.date)).toEqual(["2022-01-01", "2022-01-02"]);
    expect(delegationEvents).toEqual([transfer(4, 9), transfer(5, 0), transfer(5, 1)]);
  });

  it("leaves alone what another source brought, but replaces what both have, ballot included", () => {
    sample();
    const hub = { sourceId: "snapshot-hub", fetchedAtMs: 2_000 };
    fetchInto(warehouse, "a.eth", (sink) => putProposal(sink, "1", { title: "Theirs" }), hub);
    const { proposals, ballots, space, ...rest } = facts();
    expect(proposals.map((one) => [one.proposalId, one.title])).toEqual([
      ["1", "Theirs"],
      ["2", undefined],
    ]);
    expect([ballots.size, space?.name]).toEqual([0, "Sample"]);
    expect(rest).toMatchObject({ isArchive: false, lastCompleteFetchMs: 2_000 });
  });

  it("keeps the last of what is put twice, and counts it once", () => {
    const record = fetchInto(warehouse, "a.eth", (sink) => {
      putProposal(sink, "1", { title: "old" });
      putBallot(sink, "1", [address(1), address(2)]);
      putProposal(sink, "1", { title: "new" });
      putBallot(sink, "1", [address(3)]);
      sink.put({ kind: "delegate-list", list: delegateList("a.eth", "2022-01-01", 1n) });
      sink.put({ kind: "delegate-list", list: delegateList("a.eth", "2022-01-01", 2n) });
    });
    expect(record).toMatchObject({ proposals: 1, ballots: 1, votes: 1, delegateLists: 1 });
    const { proposals, ballots, delegateLists } = facts();
    expect(proposals[0]?.title).toBe("new");
    expect(ballots.get("1")?.voterIds).toEqual(Uint32Array.of(3));
    expect(delegateLists[0]?.delegates[0]?.votes).toBe(2n);
  });

  it("drops repeated logs, within a call, between calls and between fetches", () => {
    const fetch = begin();
    putEvents(fetch, [transfer(1, 0), transfer(1, 1), transfer(1, 0)]);
    putEvents(fetch, [transfer(1, 1), transfer(2, 0)]);
    expect(fetch.commit().logs).toBe(3);
    const again = begin();
    putEvents(again, [transfer(1, 0, 9n), transfer(3, 0)]);
    expect(again.commit().logs).toBe(2);
    const events = [transfer(1, 0, 9n), transfer(1, 1), transfer(2, 0), transfer(3, 0)];
    expect(facts().delegationEvents).toEqual(events);
  });

  it("keeps every rejection's count and the first thousand rows, until the next fetch", () => {
    const record = fetchInto(warehouse, "a.eth", (sink) => {
      for (let line = 1; line <= 1_001; line += 1) putRejection(sink, "votes/a.ndjson", line, "BAD_VOTE");
      putRejection(sink, "spaces/a.json", undefined, "A_FIRST");
    });
    expect(Object.entries(record.rejected)).toEqual([
      ["A_FIRST", 1],
      ["BAD_VOTE", 1_001],
    ]);
    expect(warehouse.fetchRecords()[0]?.rejected).toEqual(record.rejected);
    const kept = warehouse.rejections();
    expect(kept).toHaveLength(1_000);
    const row = { file: "votes/a.ndjson", code: "BAD_VOTE", message: "odd" };
    expect(kept[0]).toEqual({ spaceId: "a.eth", sourceId: "archive", ...row, line: 1 });
    expect(kept.at(-1)?.line).toBe(1_000);
    fetchInto(warehouse, "a.eth", () => undefined);
    expect(warehouse.rejections()).toEqual([]);
    expect(warehouse.fetchRecords()[0]?.rejected).toEqual({});
  });

  it("may use the same proposal ids and the same token as another DAO, and never mixes with it", () => {
    fetchInto(warehouse, "b.eth", fillSample("b.eth"));
    fetchInto(warehouse, "a.eth", (sink) => {
      putProposal(sink, "1", { title: "Mine" });
      putBallot(sink, "1", [address(2), address(3), address(4)]);
      putEvents(sink, [transfer(5, 0, 77n)]);
    });
    expect(facts().proposals.map((one) => one.title)).toEqual(["Mine"]);
    expect(facts().ballots.get("1")?.voterIds).toEqual(Uint32Array.of(2, 3, 4));
    expect(facts().delegationEvents).toEqual([transfer(5, 0, 77n)]);
    expect(facts("b.eth").ballots.get("1")?.voterIds).toEqual(Uint32Array.of(1, 2));
    expect(facts("b.eth").delegationEvents).toEqual([transfer(5, 0), transfer(5, 1)]);
    expect(warehouse.fetchRecords().map((record) => record.spaceId)).toEqual(["a.eth", "b.eth"]);
  });
});

describe("a fetch that fails", () => {
  it("leaves the facts as they were and is recorded", () => {
    sample();
    const before = facts();
    const fetch = begin("a.eth", "snapshot-hub", 2_000);
    fillSample("a.eth")(fetch);
    putProposal(fetch, "half");
    const record = fetch.fail(failure);
    expect(record).toMatchObject({ status: "failed", error: failure, proposals: 0, votes: 0, logs: 0 });
    expect(record.rejected).toEqual({ BAD_CHOICE: 1 });
    expect(warehouse.fetchRecords()).toMatchObject([{ sourceId: "archive", status: "complete" }, record]);
    expect(facts()).toEqual(before);
    expect(before).toMatchObject({ lastCompleteFetchMs: 1_000, isArchive: true });
  });

  it("is recorded for a DAO that never had another", () => {
    begin().fail(failure);
    expect(warehouse.fetchRecords()).toMatchObject([{ spaceId: "a.eth", status: "failed", error: failure }]);
    expect(facts()).toMatchObject({ proposals: [], lastCompleteFetchMs: undefined, isArchive: false });
  });
});

describe("the misuse of a fetch", () => {
  it("refuses a second begin", () => {
    const fetch = begin();
    expect(() => begin("b.eth")).toThrow("another one is open");
    expect(fetch.commit().status).toBe("complete");
  });

  it.each(["commit", "fail"] as const)("refuses to be used after %s", (end) => {
    const fetch = begin();
    if (end === "commit") fetch.commit();
    else fetch.fail(failure);
    expect(() => putProposal(fetch, "1")).toThrow("is over");
    expect(() => fetch.internVoter(address(1))).toThrow("is over");
    expect(() => fetch.commit()).toThrow("is over");
    expect(() => fetch.fail(failure)).toThrow("is over");
  });

  it("refuses to intern an address in another spelling, and numbers nobody for it", () => {
    const fetch = begin();
    expect(() => fetch.internVoter(`0x${"AB".repeat(20)}`)).toThrow("lower-case hex");
    expect(fetch.internVoter(address(1))).toBe(1);
  });

  it("refuses a ballot before its proposal, and one with voters nobody interned", () => {
    const fetch = begin();
    expect(() => putBallot(fetch, "1", [address(1)])).toThrow("before its proposal");
    putProposal(fetch, "1");
    const known = ballot(fetch, "1", [address(1)]);
    const putVoter = (number: number) => {
      const votes = { ...known, voterIds: Uint32Array.of(number) };
      fetch.put({ kind: "votes", votes, isFinal: true });
    };
    expect(() => putVoter(2)).toThrow("never interned");
    expect(() => putVoter(0)).toThrow("never interned");
    putVoter(1);
  });
});

function fetchArchive(state: string | undefined) {
  const fetch = begin();
  fillSample("a.eth")(fetch);
  return fetch.commit(state);
}
const confirm = (state: string, fetchedAtMs = 9_000) =>
  warehouse.confirmFetch({ spaceId: "a.eth", sourceId: "archive", state, fetchedAtMs });

describe("a fetch whose source has not changed", () => {
  it("is confirmed with all it brought and rejected, as of now, in another process too", () => {
    const record = fetchArchive("same");
    const before = facts();
    const rejections = warehouse.rejections();
    warehouse = home.open();
    expect(confirm("same")).toEqual({ ...record, fetchedAtMs: 9_000 });
    expect(warehouse.fetchRecords()).toEqual([{ ...record, fetchedAtMs: 9_000 }]);
    expect(warehouse.rejections()).toEqual(rejections);
    expect(facts()).toEqual({ ...before, lastCompleteFetchMs: 9_000 });
    expect(confirm("same", 10_000)?.fetchedAtMs).toBe(10_000);
  });

  it.each<readonly [why: string, before: () => void]>([
    ["the source is in another state", () => fetchArchive("other")],
    ["no state was known", () => fetchArchive(undefined)],
    [
      "it was read anew in a state that nobody knows",
      () => {
        fetchArchive("same");
        fetchArchive(undefined);
      },
    ],
    [
      "another source has fetched the DAO since, and may have replaced proposals of it",
      () => {
        fetchArchive("same");
        begin("a.eth", "snapshot-hub").commit();
      },
    ],
    [
      "the newest attempt failed",
      () => {
        fetchArchive("same");
        begin().fail(failure);
      },
    ],
    ["it was never fetched", () => undefined],
  ])("is read again where %s", (_why, before) => {
    before();
    const records = warehouse.fetchRecords();
    expect(confirm("same")).toBeUndefined();
    expect(warehouse.fetchRecords(), "nothing is touched").toEqual(records);
  });

  it("is not confirmed while another fetch is open", () => {
    fetchArchive("same");
    begin("b.eth");
    expect(() => confirm("same")).toThrow("while another one is open");
  });
});
