import { afterEach, describe, expect, it } from "vitest";
import { logKey, type NodeLog } from "../../../../pipeline/sources/governor/node-log.ts";
import { readLogs } from "../../../../pipeline/sources/governor/read-logs.ts";
import { createRpc } from "../../../../pipeline/sources/governor/rpc.ts";
import type { HttpClient } from "../../../../pipeline/sources/http/http-client.ts";
import { createHttpClient } from "../../../../pipeline/sources/http/http-client.ts";
import {
  type Answering,
  type LoopbackServer,
  openLoopbackServer,
  sendJson,
} from "../http/loopback-server.ts";
import { createVirtualTime } from "../http/virtual-time.ts";
import { scriptedLog } from "./scripted-node.ts";

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
async function read(most: number, tooWide: (...given: Parameters<Answering>) => void, isDown = () => false) {
  const ranges: number[] = [];
  server = await openLoopbackServer((response, index, arrived) => {
    const { id, params } = JSON.parse(arrived.body) as Asked;
    const [from, to] = [Number(params[0].fromBlock), Number(params[0].toBlock)];
    ranges.push(to - from + 1);
    if (to - from + 1 > most || isDown()) return tooWide(response, index, arrived);
    const result = LOGS.filter(({ blockNumber }) => Number(blockNumber) >= from && Number(blockNumber) <= to);
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
  const done = readLogs({ rpc, address, topics: [], range, take: async (logs) => void taken.push(...logs) });
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
    // What was found out at a price is not tried again soon.
    const dear = ranges.filter((blocks) => blocks > most).length;
    expect(dear).toBeLessThanOrEqual(6);
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
