import { describe, expect, it } from "vitest";
import {
  createRangePace,
  hintedEnd,
  mayBeRangeLimit,
} from "../../../../pipeline/sources/governor/node-log.ts";
import { rpcRefusal } from "../../../../pipeline/sources/governor/rpc.ts";

const RANGE = { from: 0x100, to: 0x1ff };

describe("the hint of a node that refused a range", () => {
  it.each<[string, number | undefined, string]>([
    ["more than 10000 results. Try with this block range [0x100, 0x13f].", 0x13f, "the known form"],
    ["range [0x100,0x1fe]", 0x1fe, "without a space, one block less"],
    ["Try [0x100, 0x100]", 0x100, "a single block"],
    ["Try [0x101, 0x140]", undefined, "begins elsewhere: blocks between would be lost"],
    ["Try [0x100, 0x1ff]", undefined, "the same range again"],
    ["Try [0x100, 0x2ff]", undefined, "a larger one"],
    ["Try [0x100, 0xff]", undefined, "ends before it begins"],
    ["Try [0x100, 0xffffffffffffffffffff]", undefined, "no number that can be"],
    ["limit exceeded", undefined, "no hint"],
    ["", undefined, "no words"],
  ])("%s → %s: %s", (detail, end) => {
    expect(hintedEnd(detail, RANGE)).toBe(end);
  });
});

describe("the pace", () => {
  it("halves what was refused, down to one block, and grows by an eighth, up to its most", () => {
    const pace = createRangePace(1_000);
    pace.shrink({ from: 0, to: 999 }, undefined);
    expect(pace.blocks()).toBe(500);
    pace.grow();
    expect(pace.blocks()).toBe(563);
    pace.shrink({ from: 5, to: 5 }, undefined);
    expect(pace.blocks()).toBe(1);
    pace.grow();
    expect(pace.blocks()).toBe(2);
    for (let step = 0; step < 200; step += 1) pace.grow();
    expect(pace.blocks()).toBe(100_000);
  });

  it("halves the range that was asked for, which at the head is shorter than the pace", () => {
    const pace = createRangePace(10_000);
    pace.shrink({ from: 90, to: 99 }, undefined);
    expect(pace.blocks()).toBe(5);
  });

  it("takes a hint", () => {
    const pace = createRangePace(1_000);
    pace.shrink(RANGE, rpcRefusal("eth_getLogs", -32_005, "Try [0x100, 0x10f]"));
    expect(pace.blocks()).toBe(16);
  });

  it("does not find out again at once what it paid for, but does some time later", () => {
    const pace = createRangePace(1_000);
    pace.shrink({ from: 0, to: 999 }, rpcRefusal("eth_getLogs", 413, ""));
    for (let answers = 0; answers < 63; answers += 1) pace.grow();
    expect(pace.blocks()).toBe(500);
    for (let answers = 0; answers < 63; answers += 1) pace.grow();
    expect(pace.blocks()).toBe(1_000);
  });

  it("asks for less whatever the code, but for a method that is not there and for one block", () => {
    for (const code of [-32_602, -32_005, -32_603, -32_000, 35, 413]) {
      expect(mayBeRangeLimit(rpcRefusal("eth_getLogs", code, ""), RANGE)).toBe(true);
    }
    expect(mayBeRangeLimit(rpcRefusal("eth_getLogs", -32_601, ""), RANGE)).toBe(false);
    expect(mayBeRangeLimit(rpcRefusal("eth_getLogs", -32_005, ""), { from: 3, to: 3 })).toBe(false);
  });
});
