import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { logKey, type NodeLog } from "../../../../pipeline/sources/governor/node-log.ts";
import { readLogs } from "../../../../pipeline/sources/governor/read-logs.ts";
import { type ScriptedLog, scriptedLog, scriptedNode } from "./scripted-node.ts";

type Answer = Parameters<typeof scriptedNode>[1];

const HEAD = 40_000;
const LOGS = [3, 3, 3, 500, 501, 9_999, 10_000, 10_000, 10_001, 20_000, 39_999, 40_000].map((block, index) =>
  scriptedLog(block, index),
);
const keyOf = (log: ScriptedLog) => `${log.blockHash}:${Number(log.logIndex)}`;

async function read(logs: readonly ScriptedLog[], answer: Answer, to = HEAD) {
  const { rpc, token, ranges } = scriptedNode(logs, answer);
  const taken: NodeLog[] = [];
  const reading = await readLogs({
    rpc,
    address: token,
    topics: [],
    range: { from: 0, to },
    take: async (part) => void taken.push(...part),
  });
  return { taken: taken.map(logKey), ranges, reading };
}

const blocksOf = ({ from, to }: { from: number; to: number }) => to - from + 1;
const refuse = (code: number, message: string) => ({ error: { code, message } });

describe("a node that refuses large ranges", () => {
  const whole = (found: ScriptedLog[]) => ({ result: found });
  const rows: [string, Answer][] = [
    [
      "−32602, at most 2,000 blocks",
      (found, range) =>
        blocksOf(range) > 2_000 ? refuse(-32_602, "block range exceeds 2000") : whole(found),
    ],
    ["−32603 without a word", (found, range) => (blocksOf(range) > 777 ? refuse(-32_603, "") : whole(found))],
    [
      "35, by blocks",
      (found, range) =>
        blocksOf(range) > 1_024 ? refuse(35, "ranges over 1024 blocks are not supported") : whole(found),
    ],
    ["HTTP 413", (found, range) => (blocksOf(range) > 300 ? { status: 413 } : whole(found))],
    [
      "HTTP 400 with an error",
      (found, range) => (blocksOf(range) > 5_000 ? { status: 400, ...refuse(-32_600, "") } : whole(found)),
    ],
    [
      "−32005 with a hint, by results",
      (found, { from }) => {
        if (found.length <= 3) return whole(found);
        const end = Number(found[3]?.blockNumber) - 1;
        return refuse(
          -32_005,
          `query returned more than 3 results. Try with this block range [0x${from.toString(16)}, 0x${end.toString(16)}].`,
        );
      },
    ],
    [
      "−32005 with a hint that helps nobody",
      (found, range) => (blocksOf(range) > 100 ? refuse(-32_005, "Try [0x0, 0xffffff]") : whole(found)),
    ],
  ];
  it.each(rows)("%s: every log comes, once and in order", async (_why, answer) => {
    const { taken, ranges } = await read(LOGS, answer);
    expect(taken).toEqual(LOGS.map(keyOf));
    expect(ranges.at(-1)?.[1]).toBe(HEAD);
  });

  it("never goes past a range that was not answered", async () => {
    const { ranges } = await read([], (found, range) =>
      blocksOf(range) > 900 ? refuse(-32_602, "") : whole(found),
    );
    let reached = -1;
    for (const [from, to] of ranges) {
      expect(from).toBeLessThanOrEqual(reached + 1);
      if (to - from + 1 <= 900) reached = to;
    }
    expect(reached).toBe(HEAD);
  });

  it("fails where even one block is refused, with the code and without the node's words or address", async () => {
    const failure = read(LOGS, () => refuse(-32_005, "http://secret"));
    await expect(failure).rejects.toMatchObject({
      code: "SOURCE_FAILED",
      message: "the node refused eth_getLogs with code -32005, even for a single block",
    });
  });
});

describe("a node that cuts its answer without a word", () => {
  it.each([[4], [5]])(
    "at %i logs, the last ones missing: nothing is lost, and it is noticed",
    async (cap) => {
      const { taken, reading } = await read(LOGS, (found) => ({ result: found.slice(0, cap) }));
      expect(taken).toEqual(LOGS.map(keyOf));
      expect(reading).toBeGreaterThan(0);
    },
  );

  it("at fewer logs than one block has: it fails instead of losing them", async () => {
    const crowded = [1, 2, 2, 2, 2, 5].map((block, index) => scriptedLog(block, index));
    await expect(read(crowded, (found) => ({ result: found.slice(0, 3) }))).rejects.toMatchObject({
      code: "SOURCE_FAILED",
      message: "the node truncates the logs of one block at 3",
    });
  });

  it("the first ones missing: what was seen before is missed, and asked for again", async () => {
    const evenly = Array.from({ length: 60 }, (_, index) => scriptedLog(index * 400, 0));
    // The first answer is whole; later ones lose their beginning where they are long.
    let asked = 0;
    const { taken } = await read(evenly, (found) => ({
      result: asked++ > 0 && found.length > 10 ? found.slice(-10) : found,
    }));
    expect(taken).toEqual(evenly.map(keyOf));
  });

  it("any chain, any cap above the logs of a block: nothing lost, nothing twice", async () => {
    const chains = fc
      .array(fc.integer({ min: 0, max: 30_000 }), { maxLength: 60 })
      .map((blocks) => [...new Set(blocks)].sort((a, b) => a - b));
    await fc.assert(
      fc.asyncProperty(chains, fc.integer({ min: 2, max: 20 }), async (blocks, cap) => {
        const logs = blocks.map((block) => scriptedLog(block, 0));
        const { taken } = await read(logs, (found) => ({ result: found.slice(0, cap) }), 30_000);
        expect(taken).toEqual(logs.map(keyOf));
      }),
    );
  });
});

describe("an answer that no node gives", () => {
  const log = scriptedLog(5, 0);
  it.each([
    ["not a list", { result: {} }],
    ["nothing at all", { result: null }],
    ["a log without a block hash", { result: [{ ...log, blockHash: undefined }] }],
    ["a block that was not asked for", { result: [scriptedLog(HEAD + 1, 0)] }],
    ["a number that is none", { result: [{ ...log, logIndex: "1" }] }],
    [
      "two blocks with the same number",
      { result: [log, { ...scriptedLog(5, 1), blockHash: `0x${"ab".repeat(32)}` }] },
    ],
    ["neither result nor error", {}],
    ["the answer to another question", { id: 999_999, result: [] }],
  ])("%s fails the DAO", async (_why, body) => {
    await expect(read([], () => body)).rejects.toMatchObject({ code: "SOURCE_FAILED" });
  });

  it("a log given twice is one log", async () => {
    const { taken } = await read([], () => ({ result: [log, log] }), 5);
    expect(taken).toEqual([keyOf(log)]);
  });
});
