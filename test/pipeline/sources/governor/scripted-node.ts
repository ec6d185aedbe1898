import { createRpc, type Rpc } from "../../../../pipeline/sources/governor/rpc.ts";
import type { HttpClient } from "../../../../pipeline/sources/http/http-client.ts";
import { plainHttpClient } from "../../../support/chain/plain-http-client.ts";

const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
/** The contract whose logs they are. */
export const SCRIPTED_TOKEN = `0x${"11".repeat(20)}`;

const word = (value: number) => value.toString(16).padStart(64, "0");

/** A log of the scripted chain: its block's hash is made of the number. */
export function scriptedLog(blockNumber: number, logIndex: number) {
  return {
    address: SCRIPTED_TOKEN,
    topics: [TRANSFER, `0x${word(1)}`, `0x${word(2)}`],
    data: `0x${word(1)}`,
    blockNumber: `0x${blockNumber.toString(16)}`,
    blockHash: `0x${word(blockNumber + 7)}`,
    logIndex: `0x${logIndex.toString(16)}`,
  };
}
export type ScriptedLog = ReturnType<typeof scriptedLog>;

/** A node's call for logs. */
export interface LogsCall {
  readonly id: number;
  readonly params: readonly [{ readonly fromBlock: string; readonly toBlock: string }];
}

export const logsBetween = (logs: readonly ScriptedLog[], from: number, to: number): ScriptedLog[] =>
  logs.filter(({ blockNumber }) => Number(blockNumber) >= from && Number(blockNumber) <= to);

/** A node whose whole chain is a list of logs; `answer` says what it makes of those in a range. */
export function scriptedNode(
  logs: readonly ScriptedLog[],
  answer: (logs: ScriptedLog[], range: { from: number; to: number }) => object,
): { readonly rpc: Rpc; readonly ranges: [number, number][] } {
  const ranges: [number, number][] = [];
  const http: HttpClient = {
    ...plainHttpClient(),
    async postJson({ body }) {
      const { id, params } = body as LogsCall;
      const [from, to] = [Number(params[0].fromBlock), Number(params[0].toBlock)];
      ranges.push([from, to]);
      const { status = 200, ...rest } = answer(logsBetween(logs, from, to), { from, to }) as {
        status?: number;
      };
      return { status, headers: {}, body: { jsonrpc: "2.0", id, ...rest } };
    },
  };
  return { rpc: createRpc({ http, url: "http://127.0.0.1/secret-key" }), ranges };
}
