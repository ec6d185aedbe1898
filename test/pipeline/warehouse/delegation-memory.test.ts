import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { beginGovernor, block, power } from "./chain-events.ts";
import { address, dao, factsOf, fetchInto, NO_ENTITIES, TOKEN, transfer } from "./sample-facts.ts";
import { createWarehouseHome, type WarehouseHome } from "./warehouse-home.ts";

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
  it("is held at once and by whom it may concern: a failed fetch, a new opening, the next fetch", () => {
    const fetch = beginGovernor(warehouse);
    expect(fetch.tokenMemory.heldThrough()).toEqual([]);
    fetch.tokenMemory.keep([transfer(3, 0), transfer(3, 1)], block(5));
    // A stretch without events is read too.
    fetch.tokenMemory.keep([], block(9));
    expect(fetch.tokenMemory.heldThrough()).toEqual([block(9), block(5)]);
    expect(beginGovernor(home.open()).tokenMemory.heldThrough()).toEqual([block(9), block(5)]);
    fetch.fail(failure);
    expect(beginGovernor(warehouse).tokenMemory.heldThrough()).toEqual([block(9), block(5)]);
  });

  it("is seen from the commit on, and up to the block that the last commit confirmed", () => {
    const fetch = beginGovernor(warehouse);
    fetch.tokenMemory.keep([transfer(3, 0)], block(5));
    expect(seen()).toEqual([]);
    expect(fetch.commit().logs).toBe(1);
    expect(seen()).toEqual([transfer(3, 0)]);
    const next = beginGovernor(warehouse);
    next.tokenMemory.keep([transfer(6, 0)], block(9));
    expect(seen()).toEqual([transfer(3, 0)]);
    next.fail(failure);
    expect(seen()).toEqual([transfer(3, 0)]);
    const last = beginGovernor(warehouse);
    expect(last.commit().logs, "it kept nothing itself").toBe(0);
    expect(seen()).toEqual([transfer(3, 0), transfer(6, 0)]);
  });

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

  it("counts repeats of (block, log index) once and leaves them as they were first", () => {
    const { tokenMemory, commit } = beginGovernor(warehouse);
    tokenMemory.keep([transfer(3, 0), transfer(3, 0, 9n)], block(5));
    // An overlap, then the same block again.
    tokenMemory.keep([transfer(3, 0, 9n), transfer(6, 0)], block(8));
    tokenMemory.keep([transfer(8, 1)], block(8));
    expect(tokenMemory.heldThrough()).toEqual([block(8), block(5)]);
    expect(commit().logs).toBe(3);
    expect(seen()).toEqual([transfer(3, 0), transfer(6, 0), transfer(8, 1)]);
  });

  it("is remembered through the newest 32 blocks", () => {
    commitThrough(40);
    const newest = Array.from({ length: 32 }, (_, index) => block(40 - index));
    expect(beginGovernor(warehouse).tokenMemory.heldThrough()).toEqual(newest);
    expect(seen()).toHaveLength(40);
  });

  it.each([
    { why: "a block that was passed", events: [], through: block(4), says: "does not come after" },
    { why: "the same block of a fork", events: [], through: block(5, "b"), says: "does not come after" },
  ])("is refused with $why, whole", ({ events, through, says }) => {
    const { tokenMemory, commit } = beginGovernor(warehouse);
    tokenMemory.keep([transfer(3, 0)], block(5));
    expect(() => tokenMemory.keep([transfer(6, 6), ...events], through)).toThrow(says);
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
});

describe("rewind", () => {
  it.each([
    { why: "to a held block", to: block(4), held: [4, 2], visible: [1, 2, 3, 4] },
    {
      why: "to the newest, after which nothing is",
      to: block(6),
      held: [6, 4, 2],
      visible: [1, 2, 3, 4, 5, 6],
    },
    { why: "past the newest", to: block(9), held: [6, 4, 2], visible: [1, 2, 3, 4, 5, 6] },
    {
      why: "to a block between two that are held: to the one before, because what stands of the rest nobody knows",
      to: block(5),
      held: [4, 2],
      visible: [1, 2, 3, 4],
    },
    {
      why: "to a block of another hash than the held one, which is then gone too",
      to: block(4, "b"),
      held: [2],
      visible: [1, 2],
    },
    { why: "to before all that is held", to: block(1), held: [], visible: [] },
    { why: "to nothing", to: undefined, held: [], visible: [] },
  ])("$why", ({ to, held, visible }) => {
    const fetch = beginGovernor(warehouse);
    for (const number of [2, 4, 6]) {
      fetch.tokenMemory.keep([transfer(number - 1, 0), transfer(number, 0)], block(number));
    }
    fetch.commit();
    const next = beginGovernor(warehouse);
    next.tokenMemory.rewind(to);
    const blocks = held.map((number) => block(number));
    expect(next.tokenMemory.heldThrough()).toEqual(blocks);
    expect(
      seen().map((event) => event.blockNumber),
      "at once",
    ).toEqual(visible);
    next.fail(failure);
    expect(beginGovernor(home.open()).tokenMemory.heldThrough()).toEqual(blocks);
    expect(seen().map((event) => event.blockNumber)).toEqual(visible);
  });

  it("hides what is read anew until the commit, and takes it in another form", () => {
    commitThrough(4);
    const fetch = beginGovernor(warehouse);
    fetch.tokenMemory.rewind(block(2));
    fetch.tokenMemory.keep([transfer(3, 0, 9n), transfer(4, 1)], block(4, "b"));
    expect(seen()).toEqual([transfer(1, 0), transfer(2, 0)]);
    expect(fetch.commit().logs).toBe(2);
    expect(seen()).toEqual([transfer(1, 0), transfer(2, 0), transfer(3, 0, 9n), transfer(4, 1)]);
    expect(beginGovernor(warehouse).tokenMemory.heldThrough()).toEqual([block(4, "b"), block(2), block(1)]);
  });

  it("past all 32 that are remembered drops everything", () => {
    commitThrough(40);
    const { tokenMemory } = beginGovernor(warehouse);
    tokenMemory.rewind(block(8));
    expect([tokenMemory.heldThrough(), seen()]).toEqual([[], []]);
  });
});

describe("powersAt", () => {
  it.each([
    { why: "before the first", at: 0, powers: [] },
    { why: "the later log of a block", at: 1, powers: [[1, 12n]] },
    {
      why: "the block itself counts",
      at: 3,
      powers: [
        [1, 12n],
        [2, 2n ** 256n - 1n],
      ],
    },
    {
      why: "the later block, though its log index is smaller; a power of 0 is one",
      at: 5,
      powers: [
        [1, 0n],
        [2, 2n ** 256n - 1n],
      ],
    },
    {
      why: "far past the last",
      at: 2 ** 38,
      powers: [
        [1, 0n],
        [2, 2n ** 256n - 1n],
      ],
    },
  ] as { why: string; at: number; powers: [number, bigint][] }[])("$why", ({ at, powers }) => {
    const { tokenMemory } = beginGovernor(warehouse);
    tokenMemory.keep(
      [
        power(1, 10, 1, 12n),
        power(1, 9, 1, 11n),
        transfer(2, 0, 77n),
        power(3, 2 ** 24 - 1, 2, 2n ** 256n - 1n),
        power(4, 2 ** 24 - 1, 1, 13n),
        power(5, 0, 1, 0n),
      ],
      block(5),
    );
    expect(tokenMemory.powersAt(at)).toEqual(new Map(powers.map(([who, votes]) => [address(who), votes])));
  });
});

describe("an archive's logs of the same token", () => {
  const putArchive = (amount: bigint) =>
    fetchInto(warehouse, "a.eth", (sink) =>
      sink.put({ kind: "delegation-events", token: TOKEN, events: [transfer(1, 0, amount)] }),
    );

  it("are seen until a node's are confirmed, and again when the chain took all of those back", () => {
    putArchive(7n);
    const fetch = beginGovernor(warehouse);
    fetch.tokenMemory.keep([transfer(1, 0), transfer(2, 0)], block(2));
    expect(seen()).toEqual([transfer(1, 0, 7n)]);
    fetch.commit();
    expect(seen()).toEqual([transfer(1, 0), transfer(2, 0)]);
    beginGovernor(warehouse).tokenMemory.rewind(undefined);
    expect(seen()).toEqual([transfer(1, 0, 7n)]);
  });

  it("are not seen beside a node's, nor before them when they come later", () => {
    commitThrough(1);
    putArchive(8n);
    expect(seen()).toEqual([transfer(1, 0)]);
    expect(beginGovernor(warehouse).tokenMemory.heldThrough()).toEqual([block(1)]);
  });

  it("give way to a token that is read to its end and has no events", () => {
    putArchive(7n);
    const fetch = beginGovernor(warehouse);
    fetch.tokenMemory.keep([], block(2));
    fetch.commit();
    expect(seen()).toEqual([]);
  });

  it("may be put by a resumable fetch too, and count with what it kept", () => {
    const fetch = beginGovernor(warehouse);
    fetch.put({ kind: "delegation-events", token: TOKEN, events: [transfer(1, 0, 7n), transfer(2, 0, 7n)] });
    expect(fetch.commit().logs).toBe(2);
    expect(seen()).toEqual([transfer(1, 0, 7n), transfer(2, 0, 7n)]);
    const next = beginGovernor(warehouse);
    next.put({ kind: "delegation-events", token: TOKEN, events: [transfer(3, 0, 7n)] });
    next.tokenMemory.keep([transfer(1, 0)], block(1));
    expect(next.commit().logs).toBe(2);
    expect(seen()).toEqual([transfer(1, 0)]);
  });
});

describe("two processes at the same token", () => {
  it.each([
    { why: "keeps", write: (memory: Memory) => memory.keep([transfer(3, 0, 9n)], block(4)) },
    { why: "keeps the same block", write: (memory: Memory) => memory.keep([], block(5, "b")) },
    { why: "goes back", write: (memory: Memory) => memory.rewind(undefined) },
    { why: "goes back to the block before", write: (memory: Memory) => memory.rewind(block(1)) },
  ])("never mix: the one that $why after the other went on is told so", ({ write }) => {
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
    late.commit();
    expect(seen()).toEqual([transfer(1, 0), transfer(3, 0)]);
    theirs.commit();
    slow.commit();
    expect(seen()).toEqual([transfer(1, 0), transfer(3, 0)]);
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

type Memory = ReturnType<typeof beginGovernor>["tokenMemory"];
