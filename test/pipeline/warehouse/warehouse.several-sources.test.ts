import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { address, ballot, dao, factsOf, fetchInto, NO_ENTITIES, proposal } from "./sample-facts.ts";
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
