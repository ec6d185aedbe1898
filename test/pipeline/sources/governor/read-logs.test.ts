import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { type NodeLog, readLogs } from "../../../../pipeline/sources/governor/read-logs.ts";
import { createRpc, type Rpc } from "../../../../pipeline/sources/governor/rpc.ts";
import { createHttpClient, type HttpClient } from "../../../../pipeline/sources/http/http-client.ts";
import { plainHttpClient } from "../../../support/chain/plain-http-client.ts";
import {
  type Answering,
  type LoopbackServer,
  openLoopbackServer,
  sendJson,
} from "../http/loopback-server.ts";
import { createVirtualTime } from "../http/virtual-time.ts";
import {
  type LogsCall,
  logsBetween,
  SCRIPTED_TOKEN,
  type ScriptedLog,
  scriptedLog,
  scriptedNode,
} from "./scripted-node.ts";

type Answer = Parameters<typeof scriptedNode>[1];

const HEAD = 40_000;
const LOGS = [3, 3, 3, 500, 501, 9_999, 10_000, 10_000, 10_001, 20_000, 39_999, 40_000].map((block, index) =>
  scriptedLog(block, index),
);
const keyOf = ({ blockHash, logIndex }: ScriptedLog | NodeLog) => `${blockHash}:${Number(logIndex)}`;

/** Reads all logs up to a block; fills `taken` as they come. */
function takeLogs(rpc: Rpc, to: number) {
  const taken: NodeLog[] = [];
  const take = async (logs: readonly NodeLog[]) => void taken.push(...logs);
  const done = readLogs({ rpc, address: SCRIPTED_TOKEN, topics: [], range: { from: 0, to }, take });
  return { done, taken };
}

async function read(logs: readonly ScriptedLog[], answer: Answer, to = HEAD) {
  const { rpc, ranges } = scriptedNode(logs, answer);
  const { done, taken } = takeLogs(rpc, to);
  return { cuts: await done, taken: taken.map(keyOf), ranges };
}

const refuse = (code: number, message: string) => ({ error: { code, message } });

describe("a node that refuses large ranges", () => {
  it.each<[string, (logs: ScriptedLog[], blocks: number) => boolean]>([
    ["of blocks", (_logs, blocks) => blocks > 900],
    ["of results", (logs) => logs.length > 3],
  ])("%s: every log comes, once and in order, and no range is passed over", async (_why, isTooLarge) => {
    let reached = -1;
    const { taken, ranges } = await read(LOGS, (logs, { from, to }) => {
      expect(from).toBeLessThanOrEqual(reached + 1);
      if (isTooLarge(logs, to - from + 1)) return refuse(-32_005, "too much");
      reached = to;
      return { result: logs };
    });
    expect(taken).toEqual(LOGS.map(keyOf));
    expect(reached).toBe(HEAD);
    expect(ranges.at(-1)?.[1]).toBe(HEAD);
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
      const { taken, cuts } = await read(LOGS, (logs) => ({ result: logs.slice(0, cap) }));
      expect(taken).toEqual(LOGS.map(keyOf));
      expect(cuts).toBeGreaterThan(0);
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

it("fails where a node's answer has two blocks of one number", async () => {
  const result = [scriptedLog(5, 0), { ...scriptedLog(5, 1), blockHash: `0x${"ab".repeat(32)}` }];
  const message = "the node's answer to eth_getLogs contains two blocks with the same number";
  await expect(read([], () => ({ result }))).rejects.toMatchObject({ code: "SOURCE_FAILED", message });
});

describe("a node that does not refuse a wide range but fails at it", () => {
  const HEAD = 3_000;
  const LOGS = [0, 1, 1, 700, 1_500, 1_501, 2_999, 3_000].map((block, index) => scriptedLog(block, index));

  let server: LoopbackServer | undefined;
  let client: HttpClient | undefined;
  afterEach(async () => {
    await client?.close();
    await server?.close();
  });

  /** Reads through the real door from a node that answers ranges past `most` in a way of its own. */
  async function readThroughDoor(most: number, tooWide: Answering, isDown = () => false) {
    const sizes: number[] = [];
    server = await openLoopbackServer((response, index, arrived) => {
      const { id, params } = JSON.parse(arrived.body) as LogsCall;
      const [from, to] = [Number(params[0].fromBlock), Number(params[0].toBlock)];
      sizes.push(to - from + 1);
      if (to - from + 1 > most || isDown()) return tooWide(response, index, arrived);
      sendJson(response, 200, { jsonrpc: "2.0", id, result: logsBetween(LOGS, from, to) });
    });
    client = createHttpClient({
      ...createVirtualTime(),
      version: "0.0.0",
      settings: { attemptTimeoutMs: 250, responseBytesMax: 20_000, requestsPerMinute: 1e9, attemptsMax: 3 },
    });
    return { sizes, ...takeLogs(createRpc({ http: client, url: server.origin }), HEAD) };
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

  it.each(WIDE)("%s: every log comes, once and in order", async (_why, most, answer) => {
    const { done, taken, sizes } = await readThroughDoor(most, answer);
    await done;
    expect(taken.map(keyOf)).toEqual(LOGS.map(keyOf));
    // Two attempts at each of three sizes, and at the last of them once more, after eight ranges of half of it. Trying
    // again at all is what makes a long chain cheaper to read, and the next wait is of sixteen ranges.
    expect(sizes.filter((blocks) => blocks > most).length).toBeLessThanOrEqual(2 * 3 + 2);
  });

  it.each(WIDE)("%s, even for a single block: it ends with a plain word", async (_why, _most, answer) => {
    const { done, sizes } = await readThroughDoor(0, answer);
    const failure = await done.catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "SOURCE_FAILED" });
    expect(String(failure)).toMatch(/even for a single block|given up after|sent more than|broke off/);
    // Two tries of the whole, and then one block, with all patience.
    expect(sizes.filter((blocks) => blocks > 1).length).toBeLessThanOrEqual(2);
  });

  it("is not asked for less and less while it is down: one block answered shows that it is back", async () => {
    let failures = 3;
    const down = () => failures-- > 0;
    const unavailable: Answering = (response) => void response.writeHead(503).end();
    const { done, sizes, taken } = await readThroughDoor(HEAD + 1, unavailable, down);
    await done;
    expect(taken).toHaveLength(LOGS.length);
    expect(sizes.slice(0, 5)).toEqual([HEAD + 1, HEAD + 1, 1, 1, Math.floor((HEAD + 1) / 2)]);
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
      ...plainHttpClient(),
      async postJson({ body }) {
        const calls: readonly Call[] = Array.isArray(body) ? body : [body];
        sizes.push(calls.length);
        return answer(calls);
      },
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
