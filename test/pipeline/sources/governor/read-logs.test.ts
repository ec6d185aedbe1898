import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { logKey, type NodeLog, readLogs } from "../../../../pipeline/sources/governor/read-logs.ts";
import { createRpc } from "../../../../pipeline/sources/governor/rpc.ts";
import { createHttpClient, type HttpClient } from "../../../../pipeline/sources/http/http-client.ts";
import {
  type Answering,
  type LoopbackServer,
  openLoopbackServer,
  sendJson,
} from "../http/loopback-server.ts";
import { createVirtualTime } from "../http/virtual-time.ts";
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
  const whole = (logs: ScriptedLog[]) => ({ result: logs });
  const rows: [string, Answer][] = [
    [
      "−32602, at most 2,000 blocks",
      (logs, range) => (blocksOf(range) > 2_000 ? refuse(-32_602, "block range exceeds 2000") : whole(logs)),
    ],
    ["−32603 without a word", (logs, range) => (blocksOf(range) > 777 ? refuse(-32_603, "") : whole(logs))],
    [
      "35, by blocks",
      (logs, range) =>
        blocksOf(range) > 1_024 ? refuse(35, "ranges over 1024 blocks are not supported") : whole(logs),
    ],
    ["HTTP 413", (logs, range) => (blocksOf(range) > 300 ? { status: 413 } : whole(logs))],
    [
      "HTTP 400 with an error",
      (logs, range) => (blocksOf(range) > 5_000 ? { status: 400, ...refuse(-32_600, "") } : whole(logs)),
    ],
    [
      "−32005 by results",
      (logs) => (logs.length > 3 ? refuse(-32_005, "query returned more than 3 results") : whole(logs)),
    ],
  ];
  it.each(rows)("%s: every log comes, once and in order", async (_why, answer) => {
    const { taken, ranges } = await read(LOGS, answer);
    expect(taken).toEqual(LOGS.map(keyOf));
    expect(ranges.at(-1)?.[1]).toBe(HEAD);
  });

  it("never goes past a range that was not answered", async () => {
    const { ranges } = await read([], (logs, range) =>
      blocksOf(range) > 900 ? refuse(-32_602, "") : whole(logs),
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
      const { taken, reading } = await read(LOGS, (logs) => ({ result: logs.slice(0, cap) }));
      expect(taken).toEqual(LOGS.map(keyOf));
      expect(reading).toBeGreaterThan(0);
    },
  );

  it("at fewer logs than one block has: it fails instead of losing them", async () => {
    const crowded = [1, 2, 2, 2, 2, 5].map((block, index) => scriptedLog(block, index));
    await expect(read(crowded, (logs) => ({ result: logs.slice(0, 3) }))).rejects.toMatchObject({
      code: "SOURCE_FAILED",
      message: "the node truncates the logs of one block at 3",
    });
  });

  it("the first ones missing: what was seen before is missed, and asked for again", async () => {
    const evenly = Array.from({ length: 60 }, (_, index) => scriptedLog(index * 400, 0));
    // The first answer is whole; later ones lose their beginning where they are long.
    let asked = 0;
    const { taken } = await read(evenly, (logs) => ({
      result: asked++ > 0 && logs.length > 10 ? logs.slice(-10) : logs,
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
        const { taken } = await read(logs, (logs) => ({ result: logs.slice(0, cap) }), 30_000);
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

describe("wide ranges", () => {
  const HEAD = 3_000;
  const LOGS = [0, 1, 1, 700, 1_500, 1_501, 2_999, 3_000].map((block, index) => scriptedLog(block, index));

  interface Asked {
    readonly id: number;
    readonly params: readonly [{ readonly fromBlock: string; readonly toBlock: string }];
  }

  let server: LoopbackServer | undefined;
  let client: HttpClient | undefined;
  afterEach(async () => {
    await client?.close();
    await server?.close();
  });

  /** Reads through the real door from a node that answers ranges past `most` in a way of its own. */
  async function read(
    most: number,
    tooWide: (...given: Parameters<Answering>) => void,
    isDown = () => false,
  ) {
    const ranges: number[] = [];
    server = await openLoopbackServer((response, index, arrived) => {
      const { id, params } = JSON.parse(arrived.body) as Asked;
      const [from, to] = [Number(params[0].fromBlock), Number(params[0].toBlock)];
      ranges.push(to - from + 1);
      if (to - from + 1 > most || isDown()) return tooWide(response, index, arrived);
      const result = LOGS.filter(
        ({ blockNumber }) => Number(blockNumber) >= from && Number(blockNumber) <= to,
      );
      sendJson(response, 200, { jsonrpc: "2.0", id, result });
    });
    client = createHttpClient({
      ...createVirtualTime(),
      version: "0.0.0",
      settings: {
        attemptTimeoutMs: 250,
        responseBytesMax: 20_000,
        requestsPerMinute: 1e9,
        attemptsMax: 3,
      },
    });
    const rpc = createRpc({ http: client, url: server.origin });
    const taken: NodeLog[] = [];
    const range = { from: 0, to: HEAD };
    const address = `0x${"11".repeat(20)}`;
    const done = readLogs({
      rpc,
      address,
      topics: [],
      range,
      take: async (logs) => void taken.push(...logs),
    });
    return { done, taken, ranges };
  }

  const rpcError = { jsonrpc: "2.0", id: 1, error: { code: -32_005, message: "block range is too wide" } };
  const WIDE: readonly (readonly [why: string, most: number, answer: Answering])[] = [
    ["HTTP 500 with an error of JSON-RPC", 400, (response) => sendJson(response, 500, rpcError)],
    ["HTTP 503 with an error of JSON-RPC", 400, (response) => sendJson(response, 503, rpcError)],
    ["HTTP 502 with a page", 400, (response) => void response.writeHead(502).end("<html>")],
    ["HTTP 413 with a page", 400, (response) => void response.writeHead(413).end("<html>")],
    ["more bytes than the door lets in", 400, (response) => sendJson(response, 200, "x".repeat(30_000))],
    ["no answer in time", 2_000, () => {}],
    ["an answer that stops in the middle", 2_000, (response) => void response.writeHead(200).write("{")],
    ["a connection broken off", 400, (response) => void response.socket?.destroy()],
  ];

  describe("a node that does not refuse a wide range but fails at it", () => {
    it.each(WIDE)("%s: every log comes, once and in order", async (_why, most, answer) => {
      const { done, taken, ranges } = await read(most, answer);
      await done;
      expect(taken.map(logKey)).toEqual(
        LOGS.map(({ blockHash, logIndex }) => `${blockHash}:${Number(logIndex)}`),
      );
      // Two attempts at each of three sizes, and at one of them again after eight answers; then after sixteen.
      const dear = ranges.filter((blocks) => blocks > most).length;
      expect(dear).toBeLessThanOrEqual(2 * 3 + 2);
    });

    it.each(WIDE)("%s, even for a single block: it ends with a plain word", async (_why, _most, answer) => {
      const { done, ranges } = await read(0, answer);
      const failure = await done.catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: "SOURCE_FAILED" });
      expect(String(failure)).toMatch(/even for a single block|given up after|sent more than|broke off/);
      // Two tries of the whole, and then one block, with all patience.
      expect(ranges.filter((blocks) => blocks > 1).length).toBeLessThanOrEqual(2);
    });

    it("is not asked for less and less while it is down: one block answered shows that it is back", async () => {
      let failures = 3;
      const down = () => failures-- > 0;
      const { done, ranges, taken } = await read(
        HEAD + 1,
        (response) => void response.writeHead(503).end(),
        down,
      );
      await done;
      expect(taken).toHaveLength(LOGS.length);
      expect(ranges.slice(0, 4)).toEqual([HEAD + 1, HEAD + 1, 1, 1]);
      expect(ranges[4]).toBe(Math.floor((HEAD + 1) / 2));
    });
  });
});

describe("a batch", () => {
  interface Call {
    readonly id: number;
    readonly method: string;
  }
  /** Calls "a", "b", … through a node; returns the answers, and how many calls each request had. */
  async function callAll(
    count: number,
    answer: (calls: readonly Call[]) => { status: number; body: unknown },
  ) {
    const sizes: number[] = [];
    const http: HttpClient = {
      async postJson({ body }) {
        const calls: readonly Call[] = Array.isArray(body) ? body : [body];
        sizes.push(calls.length);
        return answer(calls);
      },
      counters: () => ({ requests: sizes.length, retries: 0, bytes: 0, rateLimited: 0 }),
      close: async () => {},
    };
    const calls = Array.from({ length: count }, (_, index) => ({ method: `m${index}`, params: [] }));
    const outcomes = await createRpc({ http, url: "http://127.0.0.1" }).callMany(calls);
    const answers = outcomes.map((one) => (one.kind === "result" ? one.result : one.error.data.code));
    return { sizes, answers };
  }
  const replies = (calls: readonly Call[]) => {
    const bodies = calls.map(({ id, method }) => ({ jsonrpc: "2.0", id, result: method }));
    return { status: 200, body: bodies.length === 1 ? bodies[0] : bodies.toReversed() };
  };

  it("is sent in hundreds, and its answers may come in any order", async () => {
    const { sizes, answers } = await callAll(101, replies);
    expect(sizes).toEqual([100, 1]);
    expect(answers).toEqual(Array.from({ length: 101 }, (_, index) => `m${index}`));
  });

  it("that is too large is halved, down to the one call whose answer is", async () => {
    const { sizes, answers } = await callAll(8, (calls) =>
      calls.some(({ method }) => method === "m5") ? { status: 413, body: undefined } : replies(calls),
    );
    expect(sizes).toEqual([8, 4, 4, 2, 1, 1, 2]);
    expect(answers).toEqual(["m0", "m1", "m2", "m3", "m4", 413, "m6", "m7"]);
  });

  it("is sent call by call, once a node has not taken it", async () => {
    const { sizes, answers } = await callAll(102, (calls) =>
      calls.length > 1 ? { status: 200, body: { error: { code: -32_600 } } } : replies(calls),
    );
    expect(sizes).toEqual([100, ...Array.from({ length: 102 }, () => 1)]);
    expect(answers.at(-1)).toBe("m101");
  });
});
