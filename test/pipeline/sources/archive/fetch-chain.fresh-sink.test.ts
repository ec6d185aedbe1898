import { describe, expect, it } from "vitest";
import type { DelegationEvent } from "../../../../pipeline/facts/delegation.ts";
import { createFreshSink } from "../../../../pipeline/sources/archive/fetch-chain.ts";
import { memorySink } from "../memory-sink.ts";

const TOKEN = "0x70";
const changed = (blockNumber: number, delegate: string, after: bigint): DelegationEvent => ({
  kind: "votes-changed",
  blockNumber,
  logIndex: 0,
  blockTimeMs: undefined,
  delegate,
  before: 0n,
  after,
});
const block = (number: number) => ({ number, hash: `0x${number}` });

describe("createFreshSink", () => {
  it("holds nothing from before", () => {
    const { memory } = createFreshSink(memorySink());
    memory.putNote("a note");
    memory.checkpoint({ series: "logs", page: 0, payload: "{}", voters: [] });
    expect([memory.note(), memory.heldProposals(), memory.resumedPage("logs", 0)]).toEqual([
      undefined,
      [],
      undefined,
    ]);
    expect(() => memory.keepProposal("1")).toThrow("a fresh fetch holds no");
    expect(() => memory.keepVotes("1")).toThrow("a fresh fetch holds no");
  });

  it("numbers the voters of a page in their order", () => {
    const sink = memorySink();
    const page = { series: "logs", payload: "{}" };
    const { memory } = createFreshSink(sink);
    memory.checkpoint({ ...page, page: 0, voters: ["0xb", "0xa"] });
    memory.checkpoint({ ...page, page: 1, voters: ["0xa", "0xc"] });
    expect([...sink.voters]).toEqual([
      ["0xb", 1],
      ["0xa", 2],
      ["0xc", 3],
    ]);
  });

  it("passes events on, and tells powers at any block", () => {
    const sink = memorySink();
    const { memory, put } = createFreshSink(sink);
    const held = memory.delegationOf(TOKEN);
    const changeOfDelegate: DelegationEvent = {
      kind: "delegate-changed",
      blockNumber: 6,
      logIndex: 1,
      blockTimeMs: undefined,
      delegator: "0xd",
      from: "0x0",
      to: "0xa",
    };
    const first = [changed(5, "0xa", 10n), changed(6, "0xb", 4n), changeOfDelegate];
    const second = [changed(8, "0xa", 0n)];
    expect(held.heldThrough()).toEqual([]);
    put({ kind: "delegation-events", token: TOKEN, events: first, through: block(7) });
    put({ kind: "delegation-events", token: TOKEN, events: second, through: block(9) });
    expect(memory.delegationOf(TOKEN).heldThrough()).toEqual([block(9), block(7)]);
    expect(sink.events).toEqual([...first, ...second]);
    const powers = (at: number) => Object.fromEntries(held.powersAt(at));
    expect([4, 5, 6, 7, 8, 9].map(powers)).toEqual([
      {},
      { "0xa": 10n },
      { "0xa": 10n, "0xb": 4n },
      { "0xa": 10n, "0xb": 4n },
      { "0xa": 0n, "0xb": 4n },
      { "0xa": 0n, "0xb": 4n },
    ]);
    expect(memory.delegationOf("0x71").powersAt(9)).toEqual(new Map());
  });

  it("may begin anew before anything came, and not after", () => {
    const { memory, put } = createFreshSink(memorySink());
    const held = memory.delegationOf(TOKEN);
    held.rewind(undefined);
    put({ kind: "delegation-events", token: TOKEN, events: [], through: block(1) });
    expect(() => held.rewind(undefined)).toThrow("cannot be rewound");
  });
});
