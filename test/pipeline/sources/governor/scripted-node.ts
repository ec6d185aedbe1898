import { createRpc, type Rpc } from "../../../../pipeline/sources/governor/rpc.ts";
import type { HttpClient } from "../../../../pipeline/sources/http/http-client.ts";

const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const TOKEN = `0x${"11".repeat(20)}`;

const word = (value: number) => value.toString(16).padStart(64, "0");

/** A log of the scripted chain: its block's hash is made of the number. */
export function scriptedLog(blockNumber: number, logIndex: number) {
  return {
    address: TOKEN,
    topics: [TRANSFER, `0x${word(1)}`, `0x${word(2)}`],
    data: `0x${word(1)}`,
    blockNumber: `0x${blockNumber.toString(16)}`,
    blockHash: `0x${word(blockNumber + 7)}`,
    logIndex: `0x${logIndex.toString(16)}`,
  };
}
export type ScriptedLog = ReturnType<typeof scriptedLog>;

/** A node whose whole chain is a list of logs; `answer` says what it makes of those in a range. */
export function scriptedNode(
  logs: readonly ScriptedLog[],
  answer: (logs: ScriptedLog[], range: { from: number; to: number }) => object,
): { readonly rpc: Rpc; readonly token: string; readonly ranges: [number, number][] } {
  const ranges: [number, number][] = [];
  const http: HttpClient = {
    async postJson({ body }) {
      const { id, params } = body as { id: number; params: [{ fromBlock: string; toBlock: string }] };
      const [from, to] = [Number(params[0].fromBlock), Number(params[0].toBlock)];
      ranges.push([from, to]);
      const inRange = logs.filter((log) => Number(log.blockNumber) >= from && Number(log.blockNumber) <= to);
      const { status = 200, ...rest } = answer(inRange, { from, to }) as { status?: number };
      return { status, headers: {}, body: { jsonrpc: "2.0", id, ...rest } };
    },
    counters: () => ({ requests: ranges.length, retries: 0, bytes: 0, rateLimited: 0 }),
    close: async () => {},
  };
  return { rpc: createRpc({ http, url: "http://127.0.0.1/secret-key" }), token: TOKEN, ranges };
}
