import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import {
  address,
  dao,
  factsOf,
  fetchInto,
  NO_ENTITIES,
  putBallot,
  putProposal,
  putRejection,
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
function fetchOf(sourceId: string, fetchedAtMs: number, ids: readonly string[], spaceId = "a.eth") {
  const fill: Parameters<typeof fetchInto>[2] = (sink) => {
    for (const id of ids) {
      putProposal(sink, id, { title: sourceId });
      putBallot(sink, id, [address(1)]);
      putRejection(sink, `${sourceId}/${id}`, undefined, "ODD");
    }
  };
  return fetchInto(warehouse, spaceId, fill, { sourceId, fetchedAtMs });
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
    expect(titles(), "the hub drops nothing that it no longer holds").toEqual([
      "1 governor",
      "2 snapshot-hub",
    ]);
    fetchOf("governor", 4, []);
    expect(titles()).toEqual(["2 snapshot-hub"]);
  });

  it("can be fetched from both side by side", () => {
    const [hub, governor] = [begin("snapshot-hub", 1), begin("governor", 2)];
    putProposal(hub, "h");
    putProposal(governor, "g");
    governor.commit();
    hub.commit();
    expect(factsOf(warehouse, "a.eth").proposals.map((one) => one.proposalId)).toEqual(["g", "h"]);
  });

  it("is recorded, held and rejected for each of them, by DAO and source", () => {
    const other = fetchOf("governor", 4, ["g1"], "b.eth");
    const hub = fetchOf("snapshot-hub", 1, ["h1", "h2"]);
    const archive = fetchOf("archive", 2, []);
    const governor = fetchOf("governor", 3, ["g1"]);
    expect(warehouse.fetchRecords()).toEqual([archive, governor, hub, other]);
    expect(warehouse.holdings()).toEqual([
      { spaceId: "a.eth", sourceId: "archive", fetchedAtMs: 2, proposals: 0, votes: 0 },
      { spaceId: "a.eth", sourceId: "governor", fetchedAtMs: 3, proposals: 1, votes: 1 },
      { spaceId: "a.eth", sourceId: "snapshot-hub", fetchedAtMs: 1, proposals: 2, votes: 2 },
      { spaceId: "b.eth", sourceId: "governor", fetchedAtMs: 4, proposals: 1, votes: 1 },
    ]);
    expect(warehouse.rejections().map((row) => `${row.spaceId} ${row.file}`)).toEqual([
      "a.eth governor/g1",
      "a.eth snapshot-hub/h1",
      "a.eth snapshot-hub/h2",
      "b.eth governor/g1",
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
});

describe("names", () => {
  const write = (n: number, name: string | undefined, checkedAtMs = 5) =>
    warehouse.names.write(address(n), { name, checkedAtMs });

  it.each([
    ["a name", { name: "one.eth", checkedAtMs: 5 }],
    ["no name, which is an answer too", { name: undefined, checkedAtMs: 5 }],
    ["a name of other letters, at the first moment", { name: "öne😀.eth", checkedAtMs: 0 }],
    ["a moment of today", { name: "one.eth", checkedAtMs: 1_795_000_000_000 }],
  ])("are read as they were written last, of an address of either chain: %s", (_why, entry) => {
    for (const wallet of [address(1), `0x${"0f".repeat(32)}`]) {
      warehouse.names.write(wallet, { name: "former.eth", checkedAtMs: 1 });
      warehouse.names.write(wallet, entry);
      expect(warehouse.names.read(wallet)).toEqual(entry);
      expect(home.open().names.read(wallet), "after a new opening").toEqual(entry);
    }
    expect(warehouse.names.read(address(2)), "of an address nobody asked about").toBeUndefined();
  });

  it.each([
    ["an address of upper case", `0x${"0F".repeat(20)}`, "one.eth", "lower-case hex"],
    ["an empty name", address(1), "", "neither a name nor none"],
  ])("refuse %s", (_why, wallet, name, says) => {
    expect(() => warehouse.names.write(wallet, { name, checkedAtMs: 1 })).toThrow(says);
    expect(factsOf(warehouse, "a.eth").names.size).toBe(0);
  });

  it("are kept while a resumable fetch is open, and refused while a replacing one is, which could drop them", () => {
    const governor = begin("governor", 1);
    write(1, "one.eth");
    governor.fail(failure);
    expect(warehouse.names.read(address(1))?.name).toBe("one.eth");
    const archive = begin("archive", 1);
    expect(() => write(2, "two.eth")).toThrow("a replacing fetch is open");
    archive.commit();
    write(2, "two.eth");
    expect(warehouse.names.read(address(2))?.name).toBe("two.eth");
  });

  it("are among a DAO's facts as far as they are confirmed now, of DAOs that were fetched and others", () => {
    fetchOf("archive", 1, []);
    const namesOf = (spaceId: string) => [...factsOf(warehouse, spaceId).names];
    expect(namesOf("a.eth")).toEqual([]);
    write(2, "two.eth");
    write(1, "one.eth");
    write(3, undefined);
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
    write(1, "one.eth");
    const { names } = factsOf(warehouse, "a.eth");
    expect(factsOf(warehouse, "b.eth").names).toBe(names);
    write(1, "uno.eth");
    expect(factsOf(warehouse, "b.eth").names.get(address(1))).toBe("uno.eth");
    expect(names.get(address(1)), "what was handed out does not change").toBe("one.eth");
  });
});
