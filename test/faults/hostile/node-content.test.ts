import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DelegationEvent, GovernorToken } from "../../../pipeline/facts/delegation.ts";
import { createGovernorSource } from "../../../pipeline/sources/governor/governor-source.ts";
import { createRpc } from "../../../pipeline/sources/governor/rpc.ts";
import { createFetchLedger } from "../../pipeline/sources/governor/fetch-ledger.ts";
import { hostileDao, openDoor } from "./hostile-door.ts";
import { type HostileNode, NODE_LOGS, type NodeCall, startHostileNode } from "./hostile-node.ts";
import { CALL_ROWS, oddLog, type Reply } from "./reply-rows.ts";

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
  it.each(CALL_ROWS)("$method: $why", async ({ method, reply, says }) => {
    replyInstead(method, reply);
    await failsWith(says);
  });

  it.each([
    ["a batch that is short", (replies: readonly Reply[]) => replies.slice(1)],
    ["a batch of other ids", (replies: readonly Reply[]) => replies.map((reply) => ({ ...reply, id: -1 }))],
    ["a batch of numbers", (replies: readonly Reply[]) => replies.map(() => 1)],
    ["a batch where one answer stands for all", (replies: readonly Reply[]) => replies.map(() => replies[0])],
    [
      "a batch whose answers have changed places",
      (replies: readonly Reply[]) =>
        replies.map((reply, n) => ({ ...reply, id: replies[replies.length - 1 - n]?.["id"] })),
    ],
  ])("%s", async (_why, change) => {
    batchInstead(change);
    await failsWith(/is not JSON-RPC|another block than requested/);
  });
});

function batchInstead(change: (replies: readonly Reply[]) => unknown): void {
  node.doInstead({
    text: (_calls: readonly NodeCall[], answer) =>
      Array.isArray(answer) && answer.length > 1 ? JSON.stringify(change(answer)) : undefined,
  });
}

describe("a node that is only untidy is taken", () => {
  it.each([
    ["a batch in another order", (replies: readonly Reply[]) => [...replies].reverse()],
    [
      "a batch with answers nobody asked for",
      (replies: readonly Reply[]) => [...replies, { id: 999, result: 1 }, null],
    ],
    ["no batches at all", () => ({ error: { code: -32_600, message: "no batches" } })],
  ])("%s", async (_why, change) => {
    batchInstead(change);
    await isTaken();
  });

  it.each([
    [
      "every log twice",
      (reply: Reply) => JSON.stringify({ ...reply, result: [reply["result"], reply["result"]].flat() }),
    ],
    [
      "a log with names that every object has",
      oddLog(`"__proto__":{"removed":true},"constructor":1,"toString":2`),
    ],
    ["a log of an event that moves no votes", oddLog(`"topics":["0x${"12".repeat(32)}"],"logIndex":"0x99"`)],
  ])("%s", async (_why, reply) => {
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
