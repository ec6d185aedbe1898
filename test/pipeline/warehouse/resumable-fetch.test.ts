import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FetchMemory } from "../../../pipeline/facts/governance-source.ts";
import type { OpenSpaceFetch } from "../../../pipeline/warehouse/fetch-writer.ts";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { openSqlite } from "../../../snapshots/base/sqlite.ts";
import {
  address,
  delegateList,
  factsOf,
  fillSample,
  proposal,
  putBallot,
  putEvents,
  putProposal,
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

const begin = (spaceId = "a.eth", from = warehouse): OpenSpaceFetch & { readonly memory: FetchMemory } => {
  const fetch = from.beginSpaceFetch({ spaceId, sourceId: "snapshot-hub", fetchedAtMs: 1_000 });
  if (fetch.memory === undefined) throw new Error("a fetch from the hub has a memory");
  return { ...fetch, memory: fetch.memory };
};
const page = (series: string, number: number, payload: string, voters: readonly string[] = []) => ({
  series,
  page: number,
  payload,
  voters,
});
const failure = { code: "SOURCE_FAILED", message: "the network is gone" };

/** Two proposals, the first with a whole ballot, the second with half of one. */
function fetchTwo(): void {
  const fetch = begin();
  putProposal(fetch, "1", { title: "First" });
  putProposal(fetch, "2");
  putBallot(fetch, "1", [address(1), address(2)]);
  putBallot(fetch, "2", [address(1)], false);
  fetch.commit();
}
const idsOf = () => {
  const { proposals, ballots } = factsOf(warehouse, "a.eth");
  return { proposals: proposals.map((one) => one.proposalId), ballots: [...ballots.keys()] };
};

describe("what is held", () => {
  it("is nothing before the first commit, and not what an archive brought", () => {
    const archive = warehouse.beginSpaceFetch({ spaceId: "a.eth", sourceId: "archive", fetchedAtMs: 1 });
    expect(archive.memory).toBeUndefined();
    putProposal(archive, "1");
    archive.commit();
    const fetch = begin();
    putProposal(fetch, "2");
    expect(fetch.memory.heldProposals()).toEqual([]);
  });

  it("says how many votes are held and whether they are all", () => {
    fetchTwo();
    expect(begin().memory.heldProposals()).toEqual([
      { proposal: proposal("1", { title: "First" }), ballot: { votes: 2, isFinal: true } },
      { proposal: proposal("2"), ballot: { votes: 1, isFinal: false } },
    ]);
  });

  it.each<
    readonly [
      why: string,
      keep: (fetch: ReturnType<typeof begin>) => void,
      proposals: readonly string[],
      ballots: readonly string[],
    ]
  >([
    ["nothing", () => {}, [], []],
    ["a kept proposal, with its ballot", ({ memory }) => memory.keepProposal("2"), ["2"], ["2"]],
    ["a proposal that is put again, without its ballot", (fetch) => putProposal(fetch, "1"), ["1"], []],
    [
      "a proposal that is put again, its ballot kept",
      (fetch) => {
        putProposal(fetch, "1", { isFlagged: true });
        fetch.memory.keepVotes("1");
      },
      ["1"],
      ["1"],
    ],
    ["no ballot without its proposal", ({ memory }) => memory.keepVotes("1"), [], []],
  ])("of all that was put or kept, a commit leaves %s", (_why, keep, proposals, ballots) => {
    fetchTwo();
    const fetch = begin();
    keep(fetch);
    expect(idsOf()).toEqual({ proposals: ["1", "2"], ballots: ["1", "2"] });
    const record = fetch.commit();
    expect(idsOf()).toEqual({ proposals, ballots });
    expect([record.proposals, record.ballots]).toEqual([proposals.length, ballots.length]);
  });

  it("is the space of the last commit, or none if that put none", () => {
    const fetch = begin();
    fillSample("a.eth")(fetch);
    fetch.commit();
    expect(factsOf(warehouse, "a.eth").space?.name).toBe("Sample");
    begin().commit();
    expect(factsOf(warehouse, "a.eth").space).toBeUndefined();
  });

  it("cannot be kept where it never was", () => {
    fetchTwo();
    const { memory } = begin();
    expect(() => memory.keepProposal("3")).toThrow("proposal 3 is kept and was never held");
    expect(() => memory.keepVotes("3")).toThrow("proposal 3");
  });

  it("stays, whatever a failed fetch put", () => {
    fetchTwo();
    const fetch = begin();
    putProposal(fetch, "3");
    fetch.memory.putNote("half");
    fetch.fail(failure);
    expect(idsOf()).toEqual({ proposals: ["1", "2"], ballots: ["1", "2"] });
    expect(begin().memory.note()).toBeUndefined();
  });
});

describe("pages", () => {
  it("are there after a failure and a new opening with the numbers of their voters, and change no facts", () => {
    fetchTwo();
    const before = factsOf(warehouse, "a.eth");
    const fetch = begin();
    fetch.memory.checkpoint(page("3", 0, "zero", [address(7), address(8)]));
    fetch.memory.checkpoint(page("3", 1, "öne"));
    expect(factsOf(warehouse, "a.eth")).toEqual(before);
    // Another opening sees what a killed process would have left.
    const elsewhere = begin("a.eth", home.open());
    const pages = [0, 1, 2].map((number) => elsewhere.memory.resumedPage("3", number));
    expect(pages).toEqual(["zero", "öne", undefined]);
    expect(elsewhere.internVoter(address(8))).toBe(4);
    fetch.fail(failure);
    expect(begin().memory.resumedPage("3", 1)).toBe("öne");
  });

  it("go with the commit of their DAO alone, or when they are forgotten", () => {
    const [a, b] = [begin("a.eth"), begin("b.eth")];
    a.memory.checkpoint(page("1", 0, "a1"));
    a.memory.checkpoint(page("2", 0, "a2"));
    b.memory.checkpoint(page("1", 0, "b1"));
    a.memory.forgetPages("1");
    expect([a.memory.resumedPage("1", 0), a.memory.resumedPage("2", 0)]).toEqual([undefined, "a2"]);
    a.commit();
    expect(begin("a.eth").memory.resumedPage("2", 0)).toBeUndefined();
    expect(b.memory.resumedPage("1", 0)).toBe("b1");
  });

  it("refuse a second process that keeps the same page", () => {
    begin().memory.checkpoint(page("1", 0, "mine"));
    const other = begin("a.eth", home.open());
    expect(() => other.memory.checkpoint(page("1", 0, "theirs"))).toThrow("another process");
    expect(other.memory.resumedPage("1", 0)).toBe("mine");
  });

  it("that are damaged are said to be, and not read", () => {
    begin().memory.checkpoint(page("1", 0, "whole".repeat(100)));
    const file = openSqlite(home.path);
    file.exec("UPDATE fetch_pages SET packed = zeroblob(length(packed))");
    file.close();
    const { memory } = begin("a.eth", home.open());
    expect(() => memory.resumedPage("1", 0)).toThrow("page 0 of the series 1 cannot be read");
  });
});

describe("a note", () => {
  it("is written by the commit and read by the next fetch of that DAO", () => {
    const fetch = begin();
    expect(fetch.memory.note()).toBeUndefined();
    fetch.memory.putNote("first");
    fetch.commit();
    expect(begin("b.eth").memory.note()).toBeUndefined();
    const again = begin();
    expect(again.memory.note()).toBe("first");
    again.commit();
    expect(begin().memory.note()).toBe("first");
  });
});

describe("resumable fetches side by side", () => {
  it("of two DAOs share voters and mix nothing", () => {
    const [a, b] = [begin("a.eth"), begin("b.eth")];
    putProposal(a, "1", { title: "A" });
    putProposal(b, "1", { title: "B" });
    expect([a.internVoter(address(1)), b.internVoter(address(2)), a.internVoter(address(2))]).toEqual([
      1, 2, 2,
    ]);
    putBallot(b, "1", [address(1), address(2)]);
    b.commit();
    a.fail(failure);
    expect(factsOf(warehouse, "b.eth").ballots.get("1")?.voterIds).toEqual(Uint32Array.of(1, 2));
    expect(factsOf(warehouse, "a.eth").proposals).toEqual([]);
  });

  it("of one DAO are refused, and so is a replacing one beside them", () => {
    const a = begin("a.eth");
    expect(() => begin("a.eth")).toThrow("another one is open");
    const replacing = { spaceId: "b.eth", sourceId: "archive", fetchedAtMs: 1 };
    expect(() => warehouse.beginSpaceFetch(replacing)).toThrow("another one is open");
    a.commit();
    const archive = warehouse.beginSpaceFetch(replacing);
    expect(() => begin("c.eth")).toThrow("another one is open");
    archive.commit();
    begin("a.eth").commit();
  });

  it("let another process write meanwhile, and number voters together with it", () => {
    const fetch = begin();
    expect(fetch.internVoter(address(1))).toBe(1);
    const other = home.open().beginSpaceFetch({ spaceId: "b.eth", sourceId: "archive", fetchedAtMs: 1 });
    expect(other.internVoter(address(2))).toBe(2);
    other.commit();
    expect([fetch.internVoter(address(3)), fetch.internVoter(address(2))]).toEqual([3, 2]);
  });

  it("take lists and logs as well, each once", () => {
    const fetch = begin();
    fetch.put({ kind: "delegate-list", list: delegateList("a.eth", "2022-01-01", 5n) });
    putEvents(fetch, [transfer(1, 0), transfer(1, 0, 9n), transfer(1, 1)]);
    putEvents(fetch, [transfer(1, 1)]);
    expect(fetch.commit()).toMatchObject({ delegateLists: 1, logs: 2 });
    expect(factsOf(warehouse, "a.eth").delegationEvents).toEqual([transfer(1, 0), transfer(1, 1)]);
  });

  it("refuse to be used when they are over, and a ballot before its proposal", () => {
    const early = begin();
    putBallot(early, "1", [address(1)]);
    expect(() => early.commit()).toThrow("before its proposal");
    early.fail(failure);
    const fetch = begin();
    fetch.commit();
    expect(() => fetch.memory.checkpoint(page("1", 0, ""))).toThrow("is over");
    expect(() => fetch.commit()).toThrow("is over");
  });
});
