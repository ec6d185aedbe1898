import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { OpenSpaceFetch } from "../../../pipeline/warehouse/fetch-writer.ts";
import { type PackedVotes, packedVotesOf } from "../../../pipeline/warehouse/votes.ts";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { address, ballot, factsOf, proposal } from "./sample-facts.ts";
import { createWarehouseHome, type WarehouseHome } from "./warehouse-home.ts";

let home: WarehouseHome;
let warehouse: Warehouse;
beforeEach(() => {
  home = createWarehouseHome();
  warehouse = home.open();
});
afterEach(() => home.remove());

const begin = (sourceId = "archive"): OpenSpaceFetch =>
  warehouse.beginSpaceFetch({ spaceId: "a.eth", sourceId, fetchedAtMs: 1_000 });

/** As another thread's message arrives: plain bytes, no Buffer. */
const posted = (packed: PackedVotes): PackedVotes => structuredClone(packed);

describe("a ballot that another thread packed", () => {
  it.each(["archive", "snapshot-hub"])(
    "is kept by a fetch from %s as one that is packed here",
    (sourceId) => {
      const fetch = begin(sourceId);
      for (const id of ["here", "there", "nobody"]) fetch.put({ kind: "proposal", proposal: proposal(id) });
      const voters = [address(1), address(2)];
      fetch.put({ kind: "votes", votes: ballot(fetch, "here", voters), isFinal: false });
      const sent = posted(packedVotesOf(ballot(fetch, "there", voters)));
      expect(Buffer.isBuffer(sent.packed)).toBe(false);
      fetch.put({ kind: "packed-votes", votes: sent, isFinal: false });
      fetch.put({
        kind: "packed-votes",
        votes: posted(packedVotesOf(ballot(fetch, "nobody", []))),
        isFinal: true,
      });
      expect(fetch.commit()).toMatchObject({ ballots: 3, votes: 4 });
      const { ballots } = factsOf(warehouse, "a.eth");
      expect(ballots.get("there")).toEqual({ ...ballots.get("here"), proposalId: "there" });
      expect(ballots.get("nobody")?.count).toBe(0);
    },
  );

  it("is refused with a voter that nobody numbered, naming the proposal", () => {
    const fetch = begin();
    fetch.put({ kind: "proposal", proposal: proposal("here") });
    const packed = packedVotesOf(ballot(fetch, "here", [address(1), address(2)]));
    const put = () =>
      fetch.put({ kind: "packed-votes", votes: { ...packed, highestVoter: 3 }, isFinal: true });
    expect(put).toThrow("ballot of proposal here: a voter was never interned");
  });

  it("is refused before its proposal, after the end, and with voter 0", () => {
    const fetch = begin();
    const packed = packedVotesOf(ballot(fetch, "here", [address(1)]));
    expect(() => fetch.put({ kind: "packed-votes", votes: packed, isFinal: true })).toThrow(
      "before its proposal",
    );
    const zero = { ...ballot(fetch, "here", [address(1)]), voterIds: Uint32Array.of(0) };
    expect(() => packedVotesOf(zero)).toThrow("never interned");
    fetch.commit();
    expect(() => fetch.put({ kind: "packed-votes", votes: packed, isFinal: true })).toThrow("is over");
  });
});
