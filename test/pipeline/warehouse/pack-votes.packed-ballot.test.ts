import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type PackedVotes, packedVotesOf } from "../../../pipeline/warehouse/pack-votes.ts";
import type { OpenSpaceFetch, Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { address, ballot, factsOf, proposal } from "./sample-facts.ts";
import { createWarehouseHome, type WarehouseHome } from "./warehouse-home.ts";

let home: WarehouseHome;
let warehouse: Warehouse;
beforeEach(() => {
  home = createWarehouseHome();
  warehouse = home.open();
});
afterEach(() => home.remove());

type PackedFetch = OpenSpaceFetch & Required<Pick<OpenSpaceFetch, "putPackedVotes">>;

function begin(): PackedFetch {
  const fetch = warehouse.beginSpaceFetch({ spaceId: "a.eth", sourceId: "archive", fetchedAtMs: 1_000 });
  const { putPackedVotes } = fetch;
  if (putPackedVotes === undefined) throw new Error("an archive's fetch takes packed ballots");
  return { ...fetch, putPackedVotes };
}

/** As another thread's message arrives: plain bytes, no Buffer. */
const posted = (packed: PackedVotes): PackedVotes => structuredClone(packed);

describe("a ballot that another thread packed", () => {
  it("is kept as one that is packed here", () => {
    const fetch = begin();
    for (const id of ["here", "there", "nobody"]) fetch.putProposal(proposal(id));
    const voters = [address(1), address(2)];
    fetch.putVotes(ballot(fetch, "here", voters), false);
    const sent = posted(packedVotesOf(ballot(fetch, "there", voters)));
    expect(Buffer.isBuffer(sent.packed)).toBe(false);
    fetch.putPackedVotes(sent, false);
    fetch.putPackedVotes(posted(packedVotesOf(ballot(fetch, "nobody", []))));
    expect(fetch.commit()).toMatchObject({ ballots: 3, votes: 4 });
    const { ballots } = factsOf(warehouse, "a.eth");
    expect(ballots.get("there")).toEqual({ ...ballots.get("here"), proposalId: "there" });
    expect(ballots.get("nobody")?.count).toBe(0);
  });

  it.each([
    { why: "a voter nobody numbered", change: { highestVoter: 3 }, says: "never interned" },
    { why: "another proposal's bytes", change: { proposalId: "other" }, says: "packed bytes" },
    { why: "another count", change: { count: 3 }, says: "packed bytes" },
    { why: "no bytes", change: { packed: new Uint8Array() }, says: "packed bytes" },
    { why: "bytes that are no ballot", change: { packed: new Uint8Array(64) }, says: "packed bytes" },
  ])("is refused with $why, naming the proposal", ({ change, says }) => {
    const fetch = begin();
    for (const id of ["here", "other"]) fetch.putProposal(proposal(id));
    const packed = { ...packedVotesOf(ballot(fetch, "here", [address(1), address(2)])), ...change };
    expect(() => fetch.putPackedVotes(packed)).toThrow(says);
    expect(() => fetch.putPackedVotes(packed)).toThrow(`proposal ${packed.proposalId}`);
  });

  it("is refused before its proposal, after the end, and with voter 0", () => {
    const fetch = begin();
    const packed = packedVotesOf(ballot(fetch, "here", [address(1)]));
    expect(() => fetch.putPackedVotes(packed)).toThrow("before its proposal");
    const zero = { ...ballot(fetch, "here", [address(1)]), voterIds: Uint32Array.of(0) };
    expect(() => packedVotesOf(zero)).toThrow("never interned");
    fetch.commit();
    expect(() => fetch.putPackedVotes(packed)).toThrow("is over");
  });

  it("is not taken where ballots wait for the commit", () => {
    const fetch = warehouse.beginSpaceFetch({ spaceId: "a.eth", sourceId: "snapshot-hub", fetchedAtMs: 1 });
    expect(fetch.putPackedVotes).toBeUndefined();
    fetch.fail({ code: "INTERRUPTED", message: "only a look" });
  });
});
