import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import {
  address,
  ballot,
  dao,
  factsOf,
  fetchInto,
  fillSample,
  NO_ENTITIES,
  proposal,
} from "./sample-facts.ts";
import { createWarehouseHome, type WarehouseHome } from "./warehouse-home.ts";

let home: WarehouseHome;
let warehouse: Warehouse;
beforeEach(() => {
  home = createWarehouseHome();
  warehouse = home.open();
});
afterEach(() => home.remove());

const failure = { code: "SOURCE_FAILED", message: "the node is gone" };
const begin = (sourceId: string, fetchedAtMs: number, spaceId = "a.eth") =>
  warehouse.beginSpaceFetch({ spaceId, sourceId, fetchedAtMs });

/** Fetches proposals with a vote each, and rejects as many rows. */
function fetchOf(sourceId: string, fetchedAtMs: number, ids: readonly string[]) {
  return fetchInto(
    warehouse,
    "a.eth",
    (sink) => {
      for (const id of ids) {
        sink.put({ kind: "proposal", proposal: proposal(id, { title: sourceId }) });
        sink.put({ kind: "votes", votes: ballot(sink, id, [address(1)]), isFinal: true });
        sink.put({
          kind: "rejection",
          file: `${sourceId}/${id}`,
          line: undefined,
          code: "ODD",
          message: "odd",
        });
      }
    },
    { sourceId, fetchedAtMs },
  );
}
const titles = () =>
  factsOf(warehouse, "a.eth").proposals.map(({ proposalId, title }) => `${proposalId} ${title}`);

describe("a DAO that a hub and a governor give", () => {
  it("has the proposals and ballots of both, whoever is fetched again", () => {
    fetchOf("snapshot-hub", 1, ["h1", "h2"]);
    fetchOf("governor", 2, ["g1", "g2"]);
    expect(titles()).toEqual(["g1 governor", "g2 governor", "h1 snapshot-hub", "h2 snapshot-hub"]);
    fetchOf("governor", 3, ["g2"]);
    fetchOf("snapshot-hub", 4, ["h2", "h3"]);
    expect(titles()).toEqual(["g2 governor", "h2 snapshot-hub", "h3 snapshot-hub"]);
    expect([...factsOf(warehouse, "a.eth").ballots.keys()]).toEqual(["g2", "h2", "h3"]);
  });

  it("has a proposal of the same id once, from whoever put it last, and loses it with that one", () => {
    fetchOf("snapshot-hub", 1, ["1", "2"]);
    fetchOf("governor", 2, ["1"]);
    expect(titles()).toEqual(["1 governor", "2 snapshot-hub"]);
    const hub = begin("snapshot-hub", 3);
    expect(hub.memory?.heldProposals().map((held) => held.proposal.proposalId)).toEqual(["2"]);
    hub.memory?.keepProposal("2");
    hub.commit();
    expect(titles(), "the hub did not replace what it no longer holds").toEqual([
      "1 governor",
      "2 snapshot-hub",
    ]);
    fetchOf("governor", 4, []);
    expect(titles()).toEqual(["2 snapshot-hub"]);
  });

  it("can be fetched from both side by side", () => {
    const [hub, governor] = [begin("snapshot-hub", 1), begin("governor", 2)];
    hub.put({ kind: "proposal", proposal: proposal("h") });
    governor.put({ kind: "proposal", proposal: proposal("g") });
    governor.commit();
    hub.commit();
    expect(factsOf(warehouse, "a.eth").proposals.map((one) => one.proposalId)).toEqual(["g", "h"]);
  });

  it("is recorded, held and rejected for each of them, by source", () => {
    const hub = fetchOf("snapshot-hub", 1, ["h1", "h2"]);
    const archive = fetchOf("archive", 2, []);
    const governor = fetchOf("governor", 3, ["g1"]);
    expect(warehouse.fetchRecords()).toEqual([archive, governor, hub]);
    expect(warehouse.holdings()).toEqual([
      { spaceId: "a.eth", sourceId: "archive", fetchedAtMs: 2, proposals: 0, votes: 0 },
      { spaceId: "a.eth", sourceId: "governor", fetchedAtMs: 3, proposals: 1, votes: 1 },
      { spaceId: "a.eth", sourceId: "snapshot-hub", fetchedAtMs: 1, proposals: 2, votes: 2 },
    ]);
    expect(warehouse.rejections().map((row) => `${row.sourceId} ${row.file}`)).toEqual([
      "governor governor/g1",
      "snapshot-hub snapshot-hub/h1",
      "snapshot-hub snapshot-hub/h2",
    ]);
  });

  it("keeps apart what failed: a failure of one is recorded over that one's attempt alone", () => {
    const hub = fetchOf("snapshot-hub", 1, ["h1"]);
    fetchOf("governor", 2, ["g1"]);
    const held = warehouse.holdings();
    const failed = begin("governor", 9).fail(failure);
    expect(warehouse.fetchRecords()).toEqual([failed, hub]);
    expect(warehouse.rejections().map((row) => row.sourceId)).toEqual(["snapshot-hub"]);
    expect(warehouse.holdings()).toEqual(held);
    expect(titles()).toEqual(["g1 governor", "h1 snapshot-hub"]);
  });

  it("is as fresh as its older part, and the governor is one while the registry names it", () => {
    fetchOf("archive", 1, []);
    expect(factsOf(warehouse, "a.eth")).toMatchObject({ lastCompleteFetchMs: 1, isArchive: true });
    fetchOf("governor", 5, []);
    fetchOf("snapshot-hub", 8, []);
    begin("governor", 9).fail(failure);
    expect(factsOf(warehouse, "a.eth")).toMatchObject({ lastCompleteFetchMs: 5, isArchive: false });
    const removed = { ...dao("a.eth"), governor: undefined };
    expect(warehouse.daoFacts(removed, NO_ENTITIES).lastCompleteFetchMs).toBe(8);
  });

  it("is not mixed with another DAO of the same sources", () => {
    fetchOf("governor", 1, ["g1"]);
    const other = begin("governor", 2, "b.eth");
    other.put({ kind: "proposal", proposal: proposal("g1") });
    other.put({ kind: "rejection", file: "b", line: 1, code: "ODD", message: "odd" });
    other.commit();
    expect(warehouse.holdings().map((one) => [one.spaceId, one.votes])).toEqual([
      ["a.eth", 1],
      ["b.eth", 0],
    ]);
    expect(warehouse.rejections().map((row) => row.spaceId)).toEqual(["a.eth", "b.eth"]);
  });
});

describe("names", () => {
  it.each([
    { why: "a name", entry: { name: "one.eth", checkedAtMs: 5 } },
    { why: "no name, which is an answer too", entry: { name: undefined, checkedAtMs: 5 } },
    { why: "a name of other letters", entry: { name: "öne😀.eth", checkedAtMs: 0 } },
    { why: "a moment of today", entry: { name: "one.eth", checkedAtMs: 1_795_000_000_000 } },
  ])("are read as they were written: $why", ({ entry }) => {
    warehouse.names.write(address(1), entry);
    expect(warehouse.names.read(address(1))).toEqual(entry);
    expect(home.open().names.read(address(1)), "after a new opening").toEqual(entry);
    expect(warehouse.names.read(address(2)), "of an address nobody asked about").toBeUndefined();
  });

  it("are the last that was found out", () => {
    warehouse.names.write(address(1), { name: "one.eth", checkedAtMs: 5 });
    warehouse.names.write(address(1), { name: undefined, checkedAtMs: 6 });
    expect(warehouse.names.read(address(1))).toEqual({ name: undefined, checkedAtMs: 6 });
  });

  it("are kept while a resumable fetch is open, whatever becomes of it", () => {
    const fetch = warehouse.beginSpaceFetch({ spaceId: "a.eth", sourceId: "governor", fetchedAtMs: 1 });
    warehouse.names.write(address(1), { name: "one.eth", checkedAtMs: 5 });
    fetch.fail({ code: "SOURCE_FAILED", message: "the node is gone" });
    expect(warehouse.names.read(address(1))?.name).toBe("one.eth");
  });

  it.each([
    { why: "an address of upper case", of: `0x${"AB".repeat(20)}`, name: "one.eth", says: "lower-case hex" },
    { why: "a name for an address", of: "one.eth", name: "one.eth", says: "lower-case hex" },
    { why: "an empty name", of: address(1), name: "", says: "neither a name nor none" },
  ])("refuse $why", ({ of, name, says }) => {
    expect(() => warehouse.names.write(of, { name, checkedAtMs: 1 })).toThrow(says);
    expect(factsOf(warehouse, "a.eth").names.size).toBe(0);
  });

  it("are refused while a replacing fetch is open, whose rollback would drop them", () => {
    const fetch = warehouse.beginSpaceFetch({ spaceId: "a.eth", sourceId: "archive", fetchedAtMs: 1 });
    expect(() => warehouse.names.write(address(1), { name: "one.eth", checkedAtMs: 1 })).toThrow(
      "a replacing fetch is open",
    );
    fetch.commit();
    warehouse.names.write(address(1), { name: "one.eth", checkedAtMs: 1 });
    expect(warehouse.names.read(address(1))?.name).toBe("one.eth");
  });
});

describe("names among a DAO's facts", () => {
  it("are the confirmed ones, as they are now, of DAOs that were fetched and others", () => {
    fetchInto(warehouse, "a.eth", fillSample("a.eth"));
    const namesOf = (spaceId: string) => [...factsOf(warehouse, spaceId).names];
    expect(namesOf("a.eth")).toEqual([]);
    warehouse.names.write(address(2), { name: "two.eth", checkedAtMs: 5 });
    warehouse.names.write(address(1), { name: "one.eth", checkedAtMs: 5 });
    warehouse.names.write(address(3), { name: undefined, checkedAtMs: 5 });
    const both = [
      [address(1), "one.eth"],
      [address(2), "two.eth"],
    ];
    expect(namesOf("a.eth")).toEqual(both);
    expect(namesOf("never.eth")).toEqual(both);
    home.open().names.write(address(2), { name: undefined, checkedAtMs: 6 });
    expect(namesOf("a.eth"), "after another process wrote").toEqual([both[0]]);
  });

  it("are one map for all DAOs between two commits", () => {
    warehouse.names.write(address(1), { name: "one.eth", checkedAtMs: 5 });
    const { names } = factsOf(warehouse, "a.eth");
    expect(factsOf(warehouse, "b.eth").names).toBe(names);
    warehouse.names.write(address(1), { name: "uno.eth", checkedAtMs: 6 });
    expect(factsOf(warehouse, "b.eth").names.get(address(1))).toBe("uno.eth");
    expect(names.get(address(1)), "what was handed out does not change").toBe("one.eth");
  });
});
