import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DelegationEvent } from "../../../pipeline/facts/dao-facts.ts";
import type { GovernorToken } from "../../../pipeline/facts/tracked.ts";
import { createGovernorSource } from "../../../pipeline/sources/governor/governor-source.ts";
import { createRpc } from "../../../pipeline/sources/governor/rpc.ts";
import { createFetchLedger } from "../../pipeline/sources/governor/fetch-ledger.ts";
import { hostileDao, openDoor } from "./hostile-door.ts";
import { type HostileNode, NODE_LOGS, startHostileNode } from "./hostile-node.ts";

/** A node's whole reply to one call. */
type Reply = Readonly<Record<string, unknown>>;

/** The reply with these fields behind its own: of two equal keys the last counts. */
const saying = (more: string) => (reply: Reply) => `${JSON.stringify(reply).slice(0, -1)},${more}}`;

/** A reply to the call for a block. */
const sayingBlock = (number: string, hash: string) =>
  saying(`"result":{"number":"${number}","hash":"${hash}","timestamp":"0x1"}`);

/** The reply with the last block's log once more, as it may not be. */
const oddLog = (more: string) => (reply: Reply) => {
  const logs = (reply["result"] as readonly object[]).map((log) => JSON.stringify(log));
  const odd = `${JSON.stringify(NODE_LOGS.at(-1)).slice(0, -1)},${more}}`;
  return JSON.stringify({ ...reply, result: "LOGS" }).replace(
    '"LOGS"',
    `[${[...logs, ...(logs.length === 0 ? [] : [odd])].join(",")}]`,
  );
};

const HASH = `0x${"1".repeat(64)}`;
const MANY = `[${"1,".repeat(100_000)}1]`;

/** Replies that no node gives, by the call they answer and what is said of them. */
const REPLIES: readonly {
  readonly method: string;
  readonly says: string;
  readonly of: Readonly<Record<string, (reply: Reply) => string>>;
}[] = [
  {
    method: "eth_chainId",
    says: "is not JSON-RPC",
    of: {
      "another id": saying(`"id":999999`),
      "its id as text": saying(`"id":"1"`),
      "an error that is a text": saying(`"error":"secret-key"`),
      "a __proto__ with a result": () => `{"__proto__":{"id":1,"result":"0x1"}}`,
      "neither result nor error": ({ id }) => `{"id":${id}}`,
      "a list for one answer": (reply) => `[${JSON.stringify(reply)}]`,
    },
  },
  {
    method: "eth_chainId",
    says: "code -32000",
    of: { "a result and an error": saying(`"error":{"code":-32000,"message":"secret-key"}`) },
  },
  {
    method: "eth_chainId",
    says: "code 0",
    of: {
      "an error with a code of 1e309": saying(`"error":{"code":1e309}`),
      "an error with a code of text": saying(`"error":{"code":"secret-key"}`),
      "an error of ten megabytes": saying(`"error":{"message":"${"x".repeat(10_000_000)}"}`),
    },
  },
  {
    method: "eth_chainId",
    says: "is not a 0x quantity",
    of: {
      "a number": saying(`"result":1`),
      "less than nothing": saying(`"result":"-0x1"`),
      "past 2^53": saying(`"result":"0x20000000000001"`),
      "no digits": saying(`"result":"0x"`),
    },
  },
  {
    method: "eth_getBlockByNumber",
    says: "is not a 0x quantity",
    of: {
      "a block below nothing": sayingBlock("-0x1", HASH),
      "a block of 2^80": sayingBlock(`0x1${"0".repeat(20)}`, HASH),
    },
  },
  {
    method: "eth_getBlockByNumber",
    says: "returned no valid block",
    of: { "half a hash": sayingBlock("0x1", "0x12"), "no block": saying(`"result":null`) },
  },
  { method: "eth_getCode", says: "there is no contract", of: { "a number": saying(`"result":1`) } },
  {
    method: "eth_getLogs",
    says: "is not a list of logs",
    of: {
      "a text": saying(`"result":"secret-key"`),
      "100,000 numbers": saying(`"result":${MANY}`),
      null: saying(`"result":null`),
      "a log without a block hash": oddLog(`"blockHash":null`),
      "a log of five topics": oddLog(`"topics":["0x","0x","0x","0x","0x"]`),
      "a log of 100,000 topics that are numbers": oddLog(`"topics":${MANY}`),
    },
  },
  {
    method: "eth_getLogs",
    says: "is not a 0x quantity",
    of: {
      "a log of a block below nothing": oddLog(`"blockNumber":"-0x1"`),
      "a log of block 2^80": oddLog(`"blockNumber":"0x1${"0".repeat(20)}"`),
    },
  },
  {
    method: "eth_getLogs",
    says: "blocks that were not requested",
    of: {
      "a log past the asked range": oddLog(`"blockNumber":"0xffff"`),
      "a log before the asked range": oddLog(`"blockNumber":"0x0"`),
    },
  },
  {
    method: "eth_getLogs",
    says: "too large for any chain",
    of: { "a log index past any block's": oddLog(`"logIndex":"0xffffffff"`) },
  },
];
const ROWS = REPLIES.flatMap(({ of, ...row }) =>
  Object.entries(of).map(([why, reply]) => ({ why, reply, ...row })),
);

const [first] = NODE_LOGS;
let node: HostileNode;
let plain: readonly DelegationEvent[];
const door = openDoor();
beforeAll(async () => {
  node = await startHostileNode();
  plain = (await fetchAnew()).events;
  expect(plain).toHaveLength(NODE_LOGS.length);
});
afterAll(async () => {
  await door.close();
  await node.close();
});

/** Puts another text in the place of one method's replies, alone or in a batch. */
function replyInstead(method: string, change: (reply: Reply) => string): void {
  node.doInstead({
    text(calls, answer) {
      if (!calls.some((call) => call.method === method)) return undefined;
      const replies = (Array.isArray(answer) ? answer : [answer]) as readonly Reply[];
      const texts = replies.map((reply, n) =>
        calls[n]?.method === method ? change(reply) : JSON.stringify(reply),
      );
      return Array.isArray(answer) ? `[${texts.join(",")}]` : texts[0];
    },
  });
}

/** One fetch from the start, into a ledger of its own: what it rejected, what it kept, and how it ended. */
async function fetchAnew() {
  const ledger = createFetchLedger();
  const { sink, seen, commit, close } = ledger.open();
  const source = createGovernorSource({ rpcOf: () => createRpc({ http: door, url: node.url }) });
  const error = await source
    .fetchSpace(hostileDao(), sink)
    .then(commit)
    .catch((reason: unknown) => reason);
  close();
  const { delegationEvents: events } = ledger.facts(hostileDao().governor as GovernorToken);
  return { rejections: seen.rejections, events, error };
}

async function failsWith(says: string | RegExp): Promise<void> {
  const { rejections, error } = await fetchAnew();
  expect(error).toMatchObject({ code: "SOURCE_FAILED", message: expect.stringMatching(says) });
  expect(JSON.stringify([String(error), rejections])).not.toContain("secret-key");
}

async function isTaken(): Promise<void> {
  const { rejections, events, error } = await fetchAnew();
  expect(error).toBeUndefined();
  expect(rejections).toEqual([]);
  expect(events).toEqual(plain);
}

describe("a node that says what no node says: the DAO fails", () => {
  it.each(ROWS)("$method: $why", async ({ method, reply, says }) => {
    replyInstead(method, reply);
    await failsWith(says);
  });

  it.each(
    Object.entries<ChangeBatch>({
      "that is short": (replies) => replies.slice(1),
      "of other ids": (replies) => replies.map((reply) => ({ ...reply, id: -1 })),
      "of numbers": (replies) => replies.map(() => 1),
      "where one answer stands for all": (replies) => replies.map(() => replies[0]),
      "whose answers have changed places": (replies) =>
        replies.map((reply, n) => ({ ...reply, id: replies[replies.length - 1 - n]?.["id"] })),
    }),
  )("a batch %s", async (_why, change) => {
    batchInstead(change);
    await failsWith(/is not JSON-RPC|another block than requested/);
  });
});

type ChangeBatch = (replies: readonly Reply[]) => unknown;

function batchInstead(change: ChangeBatch): void {
  node.doInstead({
    text: (_calls, answer) =>
      Array.isArray(answer) && answer.length > 1 ? JSON.stringify(change(answer)) : undefined,
  });
}

describe("a node that is only untidy is taken", () => {
  it.each(
    Object.entries<ChangeBatch>({
      "in another order": (replies) => [...replies].reverse(),
      "with answers nobody asked for": (replies) => [...replies, { id: 999, result: 1 }, null],
      "that it does not take": () => ({ error: { code: -32_600, message: "no batches" } }),
    }),
  )("a batch %s", async (_why, change) => {
    batchInstead(change);
    await isTaken();
  });

  it.each(
    Object.entries<(reply: Reply) => string>({
      "every log twice": (reply) =>
        JSON.stringify({ ...reply, result: [reply["result"], reply["result"]].flat() }),
      "a log with names that every object has": oddLog(
        `"__proto__":{"removed":true},"constructor":1,"toString":2`,
      ),
      "a log of an event that moves no votes": oddLog(`"topics":["0x${"12".repeat(32)}"],"logIndex":"0x99"`),
    }),
  )("%s", async (_why, reply) => {
    replyInstead("eth_getLogs", reply);
    await isTaken();
  });
});

describe("one log in twenty-one that cannot be is rejected and counted", () => {
  const AT = `"logIndex":"0x99"`;
  it.each([
    ["of another contract", `"address":"0x${"22".repeat(20)}"`, "LOG_MALFORMED"],
    ["of no address", `"address":"__proto__"`, "ADDRESS_INVALID"],
    ["taken back by a reorganisation", `"removed":true`, "LOG_MALFORMED"],
    ["with data of half a word", `"data":"0x12"`, "LOG_MALFORMED"],
    ["with data of ten megabytes", `"data":"0x${"ab".repeat(5_000_000)}"`, "LOG_MALFORMED"],
    [
      "with a topic that is no address",
      `"topics":["${first?.topics[0]}","0x${"ff".repeat(32)}","0x${"0".repeat(64)}"]`,
      "LOG_MALFORMED",
    ],
  ])("%s", async (_why, more, code) => {
    replyInstead("eth_getLogs", oddLog(`${AT},${more}`));
    const { rejections, events, error } = await fetchAnew();
    expect(error).toBeUndefined();
    expect(rejections.map((rejection) => rejection.code)).toEqual([code]);
    expect(events).toEqual(plain);
    expect(JSON.stringify(rejections).length).toBeLessThan(1_000);
  });
});
