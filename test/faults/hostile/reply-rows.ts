import { NODE_LOGS } from "./hostile-node.ts";

/** A node's whole reply to one call. */
export type Reply = Readonly<Record<string, unknown>>;

/** The reply with these fields behind its own: of two equal keys the last counts. */
export const saying = (more: string) => (reply: Reply) => `${JSON.stringify(reply).slice(0, -1)},${more}}`;
/** The reply with one more log, as text. */
const logsText = (odd: string) => (reply: Reply) => {
  const logs = (reply["result"] as readonly object[]).map((log) => JSON.stringify(log));
  return JSON.stringify({ ...reply, result: "LOGS" }).replace(
    '"LOGS"',
    `[${[...logs, ...(logs.length === 0 ? [] : [odd])].join(",")}]`,
  );
};
/** The last block's log once more, as it may not be. */
export const oddLog = (more: string) => logsText(`${JSON.stringify(NODE_LOGS.at(-1)).slice(0, -1)},${more}}`);

const NO_ANSWER = "is not JSON-RPC";
/** Replies that no node gives, and what is said of them. */
export const CALL_ROWS: readonly {
  why: string;
  method: string;
  reply: (reply: Reply) => string;
  says: string | RegExp;
}[] = [
  { why: "another id", method: "eth_chainId", reply: saying(`"id":999999`), says: NO_ANSWER },
  { why: "its id as text", method: "eth_chainId", reply: saying(`"id":"1"`), says: NO_ANSWER },
  { why: "an id of 1e309", method: "eth_chainId", reply: saying(`"id":1e309`), says: NO_ANSWER },
  { why: "an id that is an object", method: "eth_chainId", reply: saying(`"id":{}`), says: NO_ANSWER },
  {
    why: "a result and an error",
    method: "eth_chainId",
    reply: saying(`"error":{"code":-32000,"message":"secret-key"}`),
    says: "code -32000",
  },
  {
    why: "an error with a code of 1e309",
    method: "eth_chainId",
    reply: saying(`"error":{"code":1e309}`),
    says: /code 0/,
  },
  {
    why: "an error with a code of text",
    method: "eth_chainId",
    reply: saying(`"error":{"code":"secret-key"}`),
    says: "code 0",
  },
  {
    why: "an error that is a text",
    method: "eth_chainId",
    reply: saying(`"error":"secret-key"`),
    says: NO_ANSWER,
  },
  {
    why: "an error of ten megabytes",
    method: "eth_chainId",
    reply: saying(`"error":{"message":"${"x".repeat(10_000_000)}"}`),
    says: "code 0",
  },
  {
    why: "a __proto__ with a result",
    method: "eth_chainId",
    reply: () => `{"__proto__":{"id":1,"result":"0x1"}}`,
    says: NO_ANSWER,
  },
  {
    why: "neither result nor error",
    method: "eth_chainId",
    reply: ({ id }) => `{"id":${id}}`,
    says: NO_ANSWER,
  },
  {
    why: "a list for one answer",
    method: "eth_chainId",
    reply: (reply) => `[${JSON.stringify(reply)}]`,
    says: NO_ANSWER,
  },
  {
    why: "a chain id that is a number",
    method: "eth_chainId",
    reply: saying(`"result":1`),
    says: "is not a 0x quantity",
  },
  {
    why: "a chain id below nothing",
    method: "eth_chainId",
    reply: saying(`"result":"-0x1"`),
    says: "is not a 0x quantity",
  },
  {
    why: "a chain id past 2^53",
    method: "eth_chainId",
    reply: saying(`"result":"0x20000000000001"`),
    says: "is not a 0x quantity",
  },
  {
    why: "a chain id without digits",
    method: "eth_chainId",
    reply: saying(`"result":"0x"`),
    says: "is not a 0x quantity",
  },
  {
    why: "a block below nothing",
    method: "eth_getBlockByNumber",
    reply: saying(`"result":{"number":"-0x1","hash":"0x${"1".repeat(64)}","timestamp":"0x1"}`),
    says: "is not a 0x quantity",
  },
  {
    why: "a block of 2^80",
    method: "eth_getBlockByNumber",
    reply: saying(
      `"result":{"number":"0x1${"0".repeat(20)}","hash":"0x${"1".repeat(64)}","timestamp":"0x1"}`,
    ),
    says: "is not a 0x quantity",
  },
  {
    why: "a block with half a hash",
    method: "eth_getBlockByNumber",
    reply: saying(`"result":{"number":"0x1","hash":"0x12","timestamp":"0x1"}`),
    says: "returned no valid block",
  },
  {
    why: "no block",
    method: "eth_getBlockByNumber",
    reply: saying(`"result":null`),
    says: "returned no valid block",
  },
  {
    why: "code that is a number",
    method: "eth_getCode",
    reply: saying(`"result":1`),
    says: "there is no contract",
  },
  {
    why: "logs that are a text",
    method: "eth_getLogs",
    reply: saying(`"result":"secret-key"`),
    says: "is not a list of logs",
  },
  {
    why: "logs that are numbers",
    method: "eth_getLogs",
    reply: saying(`"result":[${"1,".repeat(100_000)}1]`),
    says: "is not a list of logs",
  },
  {
    why: "logs that are null",
    method: "eth_getLogs",
    reply: saying(`"result":null`),
    says: "is not a list of logs",
  },
  {
    why: "a log of a block below nothing",
    method: "eth_getLogs",
    reply: oddLog(`"blockNumber":"-0x1"`),
    says: "is not a 0x quantity",
  },
  {
    why: "a log of block 2^80",
    method: "eth_getLogs",
    reply: oddLog(`"blockNumber":"0x1${"0".repeat(20)}"`),
    says: "is not a 0x quantity",
  },
  {
    why: "a log past the asked range",
    method: "eth_getLogs",
    reply: oddLog(`"blockNumber":"0xffff"`),
    says: "blocks that were not requested",
  },
  {
    why: "a log before the asked range",
    method: "eth_getLogs",
    reply: oddLog(`"blockNumber":"0x0"`),
    says: "blocks that were not requested",
  },
  {
    why: "a log index past any block's",
    method: "eth_getLogs",
    reply: oddLog(`"logIndex":"0xffffffff"`),
    says: "too large for any chain",
  },
  {
    why: "a log without a block hash",
    method: "eth_getLogs",
    reply: oddLog(`"blockHash":null`),
    says: "is not a list of logs",
  },
  {
    why: "a log of five topics",
    method: "eth_getLogs",
    reply: oddLog(`"topics":["0x","0x","0x","0x","0x"]`),
    says: "is not a list of logs",
  },
  {
    why: "a log of 100,000 topics that are numbers",
    method: "eth_getLogs",
    reply: oddLog(`"topics":[${"1,".repeat(100_000)}1]`),
    says: "is not a list of logs",
  },
];
