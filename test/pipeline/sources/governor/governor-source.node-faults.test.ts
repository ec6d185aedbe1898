import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readBlock } from "../../../../pipeline/sources/governor/blocks.ts";
import { createGovernorSource } from "../../../../pipeline/sources/governor/governor-source.ts";
import { createRpc } from "../../../../pipeline/sources/governor/rpc.ts";
import { createHttpClient } from "../../../../pipeline/sources/http/http-client.ts";
import { faultyNode, type NodeFault } from "../../../support/chain/faulty-node.ts";
import { plainHttpClient } from "../../../support/chain/plain-http-client.ts";
import {
  type Account,
  FINALIZED_BEHIND,
  startChain,
  type TestChain,
} from "../../../support/chain/start-chain.ts";
import { describeOnChain } from "../../../support/chain/with-chain.ts";
import { type MemorySink, memorySink } from "../memory-sink.ts";
import { fetchGoverned, governedToken } from "./governed-stage.ts";
import { liveTokenLife } from "./token-life.ts";

const MULTICALL = "0xca11bde05977b3631167028862be2a173976ca11";

const blocksOf = (params: readonly unknown[]) => {
  const { fromBlock, toBlock } = params[0] as Record<"fromBlock" | "toBlock", string>;
  return Number(toBlock) - Number(fromBlock) + 1;
};
/** Refuses ranges of logs that are longer than `most`. */
const limit = (most: number, code: number, message: string, status = 200): NodeFault => ({
  answer: ({ method, params }) =>
    method === "eth_getLogs" && blocksOf(params) > most ? { status, error: { code, message } } : undefined,
});
const withoutTimes = (result: unknown) =>
  (result as object[]).map((log) => ({ ...log, blockTimestamp: undefined }));

const FAULTS: readonly (readonly [why: string, fault: NodeFault])[] = [
  ["−32602", limit(7, -32_602, "block range exceeds 7")],
  ["−32005", limit(5, -32_005, "query returned more than 10000 results")],
  ["−32603", limit(3, -32_603, "internal error")],
  ["35", limit(1, 35, "ranges over 1 block are not supported")],
  [
    "HTTP 413 with a page that is no JSON",
    {
      answer: ({ method, params }) =>
        method === "eth_getLogs" && blocksOf(params) > 4 ? { status: 413, body: undefined } : undefined,
    },
  ],
  [
    "logs without the times of their blocks",
    { result: ({ method }, result) => (method === "eth_getLogs" ? withoutTimes(result) : result) },
  ],
  [
    "no batches, no times",
    {
      refusesBatches: true,
      result: ({ method }, result) => (method === "eth_getLogs" ? withoutTimes(result) : result),
    },
  ],
];

describeOnChain("a node that is not as one wishes", () => {
  let chain: TestChain;
  let token: Account;
  let firstBlock: number;
  let plain: MemorySink;
  const fetchThrough = async (fault: NodeFault, rest: Parameters<typeof governedToken>[2] = {}) => {
    const { http, seen } = faultyNode(plainHttpClient(), fault);
    const sink = await fetchGoverned(chain, governedToken(token, firstBlock, rest), { http });
    return { sink, seen };
  };
  beforeAll(async () => {
    chain = await startChain();
    token = await chain.deploy("BlockToken");
    firstBlock = await chain.head();
    await liveTokenLife(chain, token);
    // Past midnight: a day has ended.
    await chain.mine(600);
    plain = await fetchGoverned(chain, governedToken(token, firstBlock));
  });
  afterAll(() => chain.close());

  it.each(FAULTS)("%s: the same events as from a good node, and nothing rejected", async (_why, fault) => {
    const { sink } = await fetchThrough(fault);
    expect(sink.events).toEqual(plain.events);
    expect(sink.rejections).toEqual([]);
    expect(plain.events.length).toBeGreaterThan(40);
  });

  it("through the real door: the same events", async () => {
    const http = createHttpClient({
      nowMs: Date.now,
      version: "0.0.0",
      settings: { requestsPerMinute: 1_000_000 },
    });
    try {
      const sink = await fetchGoverned(chain, governedToken(token, firstBlock), { http });
      expect(sink.events).toEqual(plain.events);
      expect(http.counters().retries).toBe(0);
    } finally {
      await http.close();
    }
  });

  it("an answer cut without a word: the same events, and a note that it happened", async () => {
    const { sink } = await fetchThrough({
      result: ({ method }, result) =>
        method === "eth_getLogs" ? (result as unknown[]).slice(0, 12) : result,
    });
    expect(sink.events).toEqual(plain.events);
    expect(sink.rejections.map(({ code }) => code)).toEqual(["ANSWER_CUT"]);
  });

  it("compares power at the head and at the end of the last whole day", async () => {
    const { seen } = await fetchThrough({});
    const points = seen.filter(
      ({ method, params }) =>
        method === "eth_call" && (params[0] as { data: string }).data.startsWith("0x3a46b1a8"),
    );
    const blocks = new Set(
      points.map(({ params }) => Number(`0x${(params[0] as { data: string }).data.slice(-16)}`)),
    );
    const head = (await chain.head()) - FINALIZED_BEHIND;
    const [newest, older] = [...blocks].sort((a, b) => b - a);
    expect(newest).toBe(head);
    const blockAt = async (number: number) =>
      (await readBlock(createRpc({ http: plainHttpClient(), url: chain.url }), number)).timeMs;
    const midnightMs = Date.UTC(2023, 10, 15);
    expect(await blockAt(older ?? 0)).toBeLessThan(midnightMs);
    expect(await blockAt((older ?? 0) + 1)).toBeGreaterThanOrEqual(midnightMs);
  });

  describe("Multicall3", () => {
    const callsOf = async () => {
      const { sink, seen } = await fetchThrough({});
      return {
        rejections: sink.rejections,
        calls: seen.filter(({ method }) => method === "eth_call").length,
      };
    };
    it("is used where it is, and believed only when one call asked directly agrees", async () => {
      const without = await callsOf();
      await chain.rpc("anvil_setCode", [MULTICALL, chain.contract("Aggregate").code]);
      const withIt = await callsOf();
      await chain.rpc("anvil_setCode", [MULTICALL, chain.contract("FalseAggregate").code]);
      const withFalse = await callsOf();
      await chain.rpc("anvil_setCode", [MULTICALL, "0x"]);
      expect(withIt.calls).toBeLessThan(without.calls);
      expect([without, withIt, withFalse].map(({ rejections }) => rejections)).toEqual([[], [], []]);
    });
  });

  it("counts a difference between logs and contract, without a wallet", async () => {
    const [a] = chain.accounts as [Account];
    const liar = await chain.deploy("LyingToken");
    const from = await chain.head();
    await chain.send(a, liar, "mint(address,uint96)", [chain.accounts[0], 5n]);
    await chain.send(a, liar, "delegate(address)", [chain.accounts[0]]);
    await chain.send(a, liar, "lie(address)", [chain.accounts[1]]);
    await chain.mine(3);
    const sink = await fetchGoverned(chain, governedToken(liar, from));
    expect(sink.rejections).toEqual([
      {
        file: `eth_call 31337 ${liar}`,
        line: undefined,
        code: "POWER_NOT_RECONCILED",
        message: "1 of 2 delegates have a different power in the contract than in its logs",
      },
    ]);
  });

  it("says where the registry's clock is not the contract's", async () => {
    const { sink } = await fetchThrough({}, { clock: "timestamp" });
    expect(sink.rejections.map(({ code }) => code)).toEqual(["CLOCK_DIFFERS"]);
    expect(sink.events).toEqual(plain.events);
  });

  const REFUSED: readonly (readonly [why: string, fault: NodeFault, rest: object, message: RegExp])[] = [
    ["another chain", {}, { chainId: 1 }, /serves chain 31337, but chain 1/],
    ["no contract there", {}, { token: `0x${"12".repeat(20)}` }, /no contract/],
    ["a first block to come", {}, { firstBlock: 10_000_000 }, /before the token's first block/],
    [
      "no finalized block",
      {
        answer: ({ params }) =>
          params[0] === "finalized" ? { error: { code: -32_602, message: "invalid tag" } } : undefined,
      },
      {},
      /report the finalized block/,
    ],
    [
      "HTTP 401 in a form of its own",
      { answer: () => ({ status: 401, body: { error: "unauthorized" } }) },
      {},
      /code 0|not JSON-RPC/,
    ],
    ["a text", { answer: () => ({ body: "hello" }) }, {}, /not JSON-RPC/],
    [
      "a pruned state",
      {
        answer: ({ method }) =>
          method === "eth_call" ? { error: { code: -32_000, message: "missing trie node" } } : undefined,
      },
      {},
      /refused eth_call with code -32000/,
    ],
    [
      "a log in a block that is another one now",
      {
        result: ({ method, params }, result) => {
          if (method === "eth_getLogs") return withoutTimes(result);
          const isEarly = method === "eth_getBlockByNumber" && Number(params[0]) <= 5;
          return isEarly ? { ...(result as object), hash: `0x${"cd".repeat(32)}` } : result;
        },
      },
      {},
      /a log is in a block that is no longer part of the chain/,
    ],
    [
      "a block that is another one now",
      {
        result: ({ method, params }, result) =>
          method === "eth_getBlockByNumber" && params[0] !== "finalized"
            ? { ...(result as object), hash: `0x${"cd".repeat(32)}` }
            : result,
      },
      {},
      /reorganised/,
    ],
  ];
  it.each(REFUSED)(
    "%s: the DAO fails, and no address of the node is told",
    async (_why, fault, rest, message) => {
      const error = await fetchThrough(fault, rest).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).toMatchObject({ code: "SOURCE_FAILED", message: expect.stringMatching(message) });
      expect(String(error)).not.toContain("127.0.0.1");
    },
  );

  it("needs a registry entry with a governor, and a node of its chain", async () => {
    const source = createGovernorSource({ rpcOf: () => undefined });
    const dao = { spaceId: "real.eth", name: "Real", category: "defi" } as const;
    await expect(source.fetchSpace({ ...dao, governor: undefined }, memorySink())).rejects.toMatchObject({
      code: "SOURCE_FAILED",
    });
    await expect(
      source.fetchSpace({ ...dao, governor: governedToken(token, 0) }, memorySink()),
    ).rejects.toThrow(/no node of chain 31337/);
  });
});
