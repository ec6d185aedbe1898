import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import {
  address,
  beginGovernor,
  block,
  dao,
  factsOf,
  NO_ENTITIES,
  power,
  putEvents,
  TOKEN,
  transfer,
} from "./sample-facts.ts";
import { createWarehouseHome, type WarehouseHome } from "./warehouse-home.ts";

// What keeping, rewinding, ending and an archive's logs do to a token is in the property beside this file.

let home: WarehouseHome;
let warehouse: Warehouse;
beforeEach(() => {
  home = createWarehouseHome();
  warehouse = home.open();
});
afterEach(() => home.remove());

const failure = { code: "SOURCE_FAILED", message: "the node is gone" };
const seen = (spaceId = "a.eth") => factsOf(warehouse, spaceId).delegationEvents;

/** Keeps an event a block, and commits. */
function commitThrough(last: number): void {
  const fetch = beginGovernor(warehouse);
  for (let number = 1; number <= last; number += 1) {
    fetch.tokenMemory.keep([transfer(number, 0)], block(number));
  }
  fetch.commit();
}

describe("what is kept", () => {
  it("is known to be all up to the block of each commit, until some of it is taken back", () => {
    const confirmed = () =>
      factsOf(warehouse, "a.eth").confirmations.map(({ atMs, throughMs }) => [atMs, throughMs]);
    const begin = (fetchedAtMs: number) => beginGovernor(warehouse, { fetchedAtMs });
    const timed = (number: number) => ({ ...block(number), timeMs: 100 * number });
    const first = begin(1_000);
    first.tokenMemory.keep([transfer(3, 0)], timed(5));
    expect(confirmed()).toEqual([]);
    first.commit();
    expect(confirmed()).toEqual([[1_000, 500]]);
    begin(1_500).fail(failure);
    begin(2_000).commit();
    expect(confirmed(), "no block was read since").toEqual([[1_000, 500]]);
    const second = begin(2_500);
    second.tokenMemory.keep([], timed(7));
    second.commit();
    expect(confirmed()).toEqual([
      [1_000, 500],
      [2_500, 700],
    ]);
    const third = begin(3_000);
    third.tokenMemory.keep([transfer(8, 0)], timed(9));
    third.tokenMemory.rewind(block(7));
    third.commit();
    expect(confirmed(), "what no reader had seen").toHaveLength(2);
    const fourth = begin(4_000);
    fourth.tokenMemory.rewind(undefined);
    fourth.tokenMemory.keep([transfer(4, 0)], timed(6));
    fourth.commit();
    expect(confirmed()).toEqual([[4_000, 600]]);
  });

  it("is remembered through the newest 32 blocks, and all dropped where none of them stands", () => {
    commitThrough(40);
    const newest = Array.from({ length: 32 }, (_, index) => block(40 - index));
    const { tokenMemory } = beginGovernor(warehouse);
    expect(tokenMemory.heldThrough()).toEqual(newest);
    expect(seen()).toHaveLength(40);
    tokenMemory.rewind(block(8));
    expect([tokenMemory.heldThrough(), seen()]).toEqual([[], []]);
  });

  it.each([
    ["a block that was passed", block(4)],
    ["the same block of a fork", block(5, "b")],
  ])("is refused with %s, whole", (_why, through) => {
    const { tokenMemory, commit } = beginGovernor(warehouse);
    tokenMemory.keep([transfer(3, 0)], block(5));
    expect(() => tokenMemory.keep([transfer(6, 6)], through)).toThrow("does not come after");
    expect(tokenMemory.heldThrough()).toEqual([block(5)]);
    expect(commit().logs).toBe(1);
    expect(seen()).toEqual([transfer(3, 0)]);
  });

  it("is each token's and each DAO's own, and of a token that nobody asked about there is nothing", () => {
    commitThrough(2);
    const other = beginGovernor(warehouse, { spaceId: "b.eth" });
    const second = beginGovernor(warehouse, { token: address(99) });
    expect([other.tokenMemory.heldThrough(), second.tokenMemory.heldThrough()]).toEqual([[], []]);
    second.tokenMemory.keep([transfer(1, 0, 7n)], block(1));
    second.commit();
    other.commit();
    expect([seen().length, seen("b.eth").length]).toEqual([2, 0]);
    const withSecond = { ...dao("a.eth"), governor: { ...dao("a.eth").governor!, token: address(99) } };
    expect(warehouse.daoFacts(withSecond, NO_ENTITIES).delegationEvents).toEqual([transfer(1, 0, 7n)]);
  });

  it("is one memory for a fetch, however often it is asked for, and none after its end", () => {
    const fetch = beginGovernor(warehouse);
    fetch.tokenMemory.keep([], block(5));
    const again = fetch.memory?.delegationOf(TOKEN);
    expect(again?.heldThrough()).toEqual([block(5)]);
    fetch.tokenMemory.keep([], block(6));
    expect(again?.heldThrough()).toEqual([block(6), block(5)]);
    fetch.commit();
    expect(() => fetch.tokenMemory.keep([], block(7))).toThrow("is over");
    expect(() => fetch.tokenMemory.rewind(undefined)).toThrow("is over");
    expect(() => fetch.memory?.delegationOf(TOKEN)).toThrow("is over");
  });

  it("counts with the logs of an archive that a resumable fetch puts, and hides them", () => {
    const fetch = beginGovernor(warehouse);
    putEvents(fetch, [transfer(1, 0, 7n), transfer(2, 0, 7n)]);
    expect(fetch.commit().logs).toBe(2);
    expect(seen()).toEqual([transfer(1, 0, 7n), transfer(2, 0, 7n)]);
    const next = beginGovernor(warehouse);
    putEvents(next, [transfer(3, 0, 7n)]);
    next.tokenMemory.keep([transfer(1, 0)], block(1));
    expect(next.commit().logs).toBe(2);
    expect(seen()).toEqual([transfer(1, 0)]);
  });

  const MOST = 2n ** 256n - 1n;
  it.each<readonly [why: string, at: number, powers: readonly (readonly [who: number, votes: bigint])[]]>([
    ["before the first", 0, []],
    ["the later log of a block", 1, [[1, 12n]]],
    [
      "the block itself counts",
      3,
      [
        [1, 12n],
        [2, MOST],
      ],
    ],
    [
      "the later block, though its log index is smaller; a power of 0 is one",
      2 ** 38,
      [
        [1, 0n],
        [2, MOST],
      ],
    ],
  ])("tells the power of each delegate at a block: %s", (_why, at, powers) => {
    const { tokenMemory } = beginGovernor(warehouse);
    const last = 2 ** 24 - 1;
    const ofFirst = [power(1, 10, 1, 12n), power(1, 9, 1, 11n), power(4, last, 1, 13n), power(5, 0, 1, 0n)];
    tokenMemory.keep([...ofFirst, transfer(2, 0, 77n), power(3, last, 2, MOST)], block(5));
    expect(tokenMemory.powersAt(at)).toEqual(new Map(powers.map(([who, votes]) => [address(who), votes])));
  });
});

type Memory = ReturnType<typeof beginGovernor>["tokenMemory"];

describe("two processes at the same token", () => {
  it.each<readonly [why: string, write: (memory: Memory) => void]>([
    ["keeps", (memory) => memory.keep([transfer(3, 0, 9n)], block(4))],
    ["keeps the same block", (memory) => memory.keep([], block(5, "b"))],
    ["goes back", (memory) => memory.rewind(undefined)],
    ["goes back to the block before", (memory) => memory.rewind(block(1))],
  ])("never mix: the one that %s after the other went on is told so", (_why, write) => {
    commitThrough(2);
    const mine = beginGovernor(warehouse);
    const theirs = beginGovernor(home.open());
    mine.tokenMemory.keep([transfer(5, 0)], block(5));
    expect(() => write(theirs.tokenMemory)).toThrow("another process is fetching this DAO");
    mine.tokenMemory.keep([transfer(6, 0)], block(6));
    mine.commit();
    expect(seen().map((event) => event.blockNumber)).toEqual([1, 2, 5, 6]);
  });

  it("have the second one wait who began with nothing, as the first did", () => {
    const [mine, theirs] = [beginGovernor(warehouse), beginGovernor(home.open())];
    mine.tokenMemory.keep([], block(5));
    expect(() => theirs.tokenMemory.keep([], block(5, "b"))).toThrow("another process");
  });

  it("confirm what each has read itself, and never less than the other did", () => {
    const mine = beginGovernor(warehouse);
    mine.tokenMemory.keep([transfer(1, 0)], block(2));
    const [slow, theirs] = [beginGovernor(home.open()), beginGovernor(home.open())];
    theirs.tokenMemory.keep([transfer(3, 0)], block(4));
    const late = beginGovernor(home.open());
    mine.commit();
    expect(seen()).toEqual([transfer(1, 0)]);
    for (const fetch of [late, theirs, slow]) {
      fetch.commit();
      expect(seen()).toEqual([transfer(1, 0), transfer(3, 0)]);
    }
  });

  it("do not confirm what the other took back", () => {
    const mine = beginGovernor(warehouse);
    mine.tokenMemory.keep([transfer(1, 0)], block(2));
    const theirs = beginGovernor(home.open());
    theirs.tokenMemory.rewind(undefined);
    theirs.tokenMemory.keep([transfer(1, 0, 9n)], block(2, "b"));
    expect(() => mine.commit()).toThrow("another process");
    expect(seen()).toEqual([]);
    mine.fail(failure);
    theirs.commit();
    expect(seen()).toEqual([transfer(1, 0, 9n)]);
  });
});
