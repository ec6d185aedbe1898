import { afterAll, beforeAll, expect, it } from "vitest";
import { createGovernorSource } from "../../../../pipeline/sources/governor/governor-source.ts";
import { createHttpClient } from "../../../../pipeline/sources/http/http-client.ts";
import { faultyNode, type NodeFault, type SeenCall } from "../../../support/chain/faulty-node.ts";
import { plainHttpClient } from "../../../support/chain/plain-http-client.ts";
import {
  type Account,
  FINALIZED_BEHIND,
  startChain,
  type TestChain,
} from "../../../support/chain/start-chain.ts";
import { describeOnChain } from "../../../support/chain/with-chain.ts";
import { type MemorySink, memorySink } from "../memory-sink.ts";
import { blockTimeS, fetchGoverned, governedToken, refusingRanges } from "./governed-stage.ts";
import { liveTokenLife } from "./token-life.ts";

const MULTICALL = "0xca11bde05977b3631167028862be2a173976ca11";

/** Changes what the node answers to a call for logs. */
const inLogs = (change: (logs: object[]) => unknown): NodeFault => ({
  result: ({ method }, result) => (method === "eth_getLogs" ? change(result as object[]) : result),
});
const withoutTimes = (logs: object[]) => logs.map((log) => ({ ...log, blockTimestamp: undefined }));

const FAULTS: readonly (readonly [why: string, fault: NodeFault])[] = [
  ["a limit of seven blocks", refusingRanges(7)],
  ["a limit of one block", refusingRanges(1, { error: { code: 35, message: "ranges over 1 block" } })],
  ["HTTP 413 with a page that is no JSON", refusingRanges(4, { status: 413, body: undefined })],
  ["logs without the times of their blocks", inLogs(withoutTimes)],
  ["no batches, no times", { refusesBatches: true, ...inLogs(withoutTimes) }],
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
    const { sink } = await fetchThrough(inLogs((logs) => logs.slice(0, 12)));
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
    const [newest = 0, older = 0] = [...blocks].sort((a, b) => b - a);
    expect(newest).toBe((await chain.head()) - FINALIZED_BEHIND);
    const midnightS = Date.UTC(2023, 10, 15) / 1000;
    expect(await blockTimeS(chain, older)).toBeLessThan(midnightS);
    expect(await blockTimeS(chain, older + 1)).toBeGreaterThanOrEqual(midnightS);
  });

  it("uses Multicall3 where it is, and believes it only when one call asked directly agrees", async () => {
    const counts: number[] = [];
    for (const code of ["0x", chain.contract("Aggregate").code, chain.contract("FalseAggregate").code]) {
      await chain.rpc("anvil_setCode", [MULTICALL, code]);
      const { sink, seen } = await fetchThrough({});
      expect(sink.rejections).toEqual([]);
      counts.push(seen.filter(({ method }) => method === "eth_call").length);
    }
    await chain.rpc("anvil_setCode", [MULTICALL, "0x"]);
    expect(counts[1]).toBeLessThan(counts[0] ?? 0);
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

  const otherHash = (block: unknown) => ({ ...(block as object), hash: `0x${"cd".repeat(32)}` });
  const refusing = (isAsked: (call: SeenCall) => boolean, code: number, message: string): NodeFault => ({
    answer: (call) => (isAsked(call) ? { error: { code, message } } : undefined),
  });
  it.each<readonly [why: string, fault: NodeFault, rest: object, message: RegExp]>([
    ["another chain", {}, { chainId: 1 }, /serves chain 31337, but chain 1/],
    ["no contract there", {}, { token: `0x${"12".repeat(20)}` }, /no contract/],
    ["a first block to come", {}, { firstBlock: 10_000_000 }, /before the token's first block/],
    [
      "no finalized block",
      refusing(({ params }) => params[0] === "finalized", -32_602, "invalid tag"),
      {},
      /report the finalized block/,
    ],
    [
      "HTTP 401 in a form of its own",
      { answer: () => ({ status: 401, body: { error: "unauthorized" } }) },
      {},
      /code 0|not JSON-RPC/,
    ],
    [
      "a pruned state",
      refusing(({ method }) => method === "eth_call", -32_000, "missing trie node"),
      {},
      /refused eth_call with code -32000/,
    ],
    [
      "a log in a block that is another one now",
      {
        result: ({ method, params }, result) => {
          if (method === "eth_getLogs") return withoutTimes(result as object[]);
          const isEarly = method === "eth_getBlockByNumber" && Number(params[0]) <= 5;
          return isEarly ? otherHash(result) : result;
        },
      },
      {},
      /a log is in a block that is no longer part of the chain/,
    ],
    [
      "a block that is another one now",
      {
        result: ({ method, params }, result) =>
          method === "eth_getBlockByNumber" && params[0] !== "finalized" ? otherHash(result) : result,
      },
      {},
      /reorganised/,
    ],
  ])("%s: the DAO fails, and no address of the node is told", async (_why, fault, rest, message) => {
    const error = await fetchThrough(fault, rest).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "SOURCE_FAILED", message: expect.stringMatching(message) });
    expect(String(error)).not.toContain("127.0.0.1");
  });

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
