import type { ServerResponse } from "node:http";
import { scriptedLog } from "../../pipeline/sources/governor/scripted-node.ts";
import { openLoopbackServer, sendJson } from "../../pipeline/sources/http/loopback-server.ts";

/** One call as it came to the node, alone or in a batch. */
export interface NodeCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What a node does instead of answering: anything to the connection, or another text as its answer. */
export interface NodeMischief {
  send?(response: ServerResponse): void;
  /** `undefined` leaves the answer as it is. */
  text?(calls: readonly NodeCall[], answer: unknown): string | undefined;
}

/** A node on loopback whose chain is a thousand blocks and twenty transfers, with a contract that reverts. */
export interface HostileNode {
  readonly url: string;
  /** Requests since the last look. */
  asked(): number;
  doInstead(mischief: NodeMischief | undefined): void;
  close(): Promise<void>;
}

const HEAD = 1_000;
const GENESIS_S = 1_700_000_000;
/** Every fiftieth block has one. */
export const NODE_LOGS = Array.from({ length: 20 }, (_, n) => scriptedLog(n * 50 + 1, n));
const hex = (value: number) => `0x${value.toString(16)}`;

/** Starts the node; it is a good one until told otherwise. */
export async function startHostileNode(): Promise<HostileNode> {
  let mischief: NodeMischief = {};
  let seen = 0;
  const server = await openLoopbackServer((response, _index, { body }) => {
    seen += 1;
    const request = JSON.parse(body) as NodeCall | readonly NodeCall[];
    if (mischief.send !== undefined) return mischief.send(response);
    const calls = isBatch(request) ? request : [request];
    const replies = calls.map(replyOf);
    const answer = isBatch(request) ? replies : replies[0];
    const text = mischief.text?.(calls, answer);
    if (text === undefined) return sendJson(response, 200, answer);
    response.writeHead(200, { "content-type": "application/json" }).end(text);
  });
  return {
    url: `${server.origin}/v3/secret-key`,
    asked() {
      const asked = seen;
      seen = 0;
      return asked;
    },
    doInstead(next) {
      mischief = next ?? {};
    },
    close: () => server.close(),
  };
}

function isBatch(request: NodeCall | readonly NodeCall[]): request is readonly NodeCall[] {
  return Array.isArray(request);
}

function replyOf({ id, method, params }: NodeCall): object {
  if (method === "eth_call") return { jsonrpc: "2.0", id, error: { code: 3, message: "execution reverted" } };
  return { jsonrpc: "2.0", id, result: resultOf(method, params) };
}

function resultOf(method: string, [first]: readonly unknown[]): unknown {
  switch (method) {
    case "eth_chainId":
      return "0x1";
    case "eth_getCode":
      return "0x6000";
    case "eth_getBlockByNumber": {
      const number = first === "finalized" || first === "latest" ? HEAD : Number(first);
      const hash = `0x${(number + 7).toString(16).padStart(64, "0")}`;
      return { number: hex(number), hash, timestamp: hex(GENESIS_S + 12 * number) };
    }
    case "eth_getLogs": {
      const { fromBlock, toBlock } = first as { fromBlock: string; toBlock: string };
      const isAsked = (block: number) => block >= Number(fromBlock) && block <= Number(toBlock);
      return NODE_LOGS.filter(({ blockNumber }) => isAsked(Number(blockNumber)));
    }
    default:
      throw new Error(`the hostile node was asked for ${method}`);
  }
}
