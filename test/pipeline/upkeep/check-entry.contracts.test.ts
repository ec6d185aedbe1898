import { afterAll, beforeAll, expect, it } from "vitest";
import type { GovernorToken } from "../../../pipeline/facts/tracked.ts";
import { createRpc } from "../../../pipeline/sources/governor/rpc.ts";
import { checkContracts, type PartCheck } from "../../../pipeline/upkeep/check-entry.ts";
import { faultyNode, type NodeFault } from "../../support/chain/faulty-node.ts";
import { plainHttpClient } from "../../support/chain/plain-http-client.ts";
import { type Account, startChain, type TestChain } from "../../support/chain/start-chain.ts";
import { describeOnChain } from "../../support/chain/with-chain.ts";

const CANARY = "canary-81c4";
const NOWHERE = `0x${"0d".repeat(20)}`;

describeOnChain("checkContracts", () => {
  let chain: TestChain;
  /** By contract. */
  const accounts: Record<string, Account> = {};
  const firstBlocks: Record<string, number> = {};
  let head = 0;
  beforeAll(async () => {
    chain = await startChain();
    await chain.mine(3);
    for (const name of ["BlockToken", "TimeToken", "ItemToken", "PriorToken", "AlphaEmitter"]) {
      accounts[name] = await chain.deploy(name);
      firstBlocks[name] = await chain.head();
    }
    accounts["governor"] = await chain.deploy("FractionalGovernor", [accounts["BlockToken"] as Account]);
    head = await chain.head();
  });
  afterAll(() => chain.close());

  /** The right entry of a token of the chain, and what a row changes of it; addresses by name. */
  const entryOf = (token: string, change: Partial<GovernorToken> = {}): GovernorToken => ({
    chainId: 31_337,
    token: accounts[token] ?? token,
    kind: "erc20votes",
    decimals: 18,
    clock: "blocknumber",
    isSelfByDefault: false,
    firstBlock: firstBlocks[token] ?? 0,
    ...change,
    governor: change.governor === undefined ? undefined : (accounts[change.governor] ?? change.governor),
  });
  const check = (governor: GovernorToken, fault: NodeFault = {}): Promise<readonly PartCheck[]> => {
    const rpc = createRpc({ http: faultyNode(plainHttpClient(), fault).http, url: chain.url });
    return checkContracts(rpc, governor);
  };
  const withNames = (text = "") =>
    Object.entries(accounts).reduce((named, [name, address]) => named.replaceAll(address, name), text);
  /** Each part that is not the same, with its detail, in which contracts are named. */
  const faultsOf = (checks: readonly PartCheck[]) =>
    Object.fromEntries(
      checks
        .filter(({ status }) => status !== "same")
        .map(({ part, status, detail }) => [part, `${status}: ${withNames(detail)}`]),
    );

  it("finds no difference in a correct entry", async () => {
    const checks = await check(entryOf("BlockToken", { governor: "governor" }));
    expect(checks).toEqual(
      ["chain", "token", "first-block", "decimals", "kind", "clock", "governor", "governor-token"].map(
        (part) => ({ part, status: "same" }),
      ),
    );
  });

  it.each<{ why: string; token: string; change: Partial<GovernorToken>; want: Record<string, string> }>([
    { why: "a clock of timestamps", token: "TimeToken", change: { clock: "timestamp" }, want: {} },
    { why: "an ERC-721", token: "ItemToken", change: { kind: "erc721votes", decimals: 0 }, want: {} },
    { why: "a first block of 0", token: "BlockToken", change: { firstBlock: 0 }, want: {} },
    {
      why: "a token without decimals, in the old style",
      token: "PriorToken",
      change: {},
      want: { decimals: "missing: the token has no decimals()" },
    },
    {
      why: "an ERC-721 with decimals",
      token: "ItemToken",
      change: { kind: "erc721votes", decimals: 18 },
      want: { decimals: "differs: the registry has 18, but an ERC-721 has none (0)" },
    },
    {
      why: "an ERC-721 for an ERC-20",
      token: "ItemToken",
      change: {},
      want: {
        decimals: "missing: the token has no decimals()",
        kind: "differs: the registry has erc20votes, the token erc721votes",
      },
    },
    {
      why: "an ERC-20 for an ERC-721",
      token: "BlockToken",
      change: { kind: "erc721votes", decimals: 0 },
      want: {
        decimals: "differs: an ERC-721 has no decimals, the token has 18",
        kind: "differs: the registry has erc721votes, the token erc20votes",
      },
    },
    {
      why: "another clock",
      token: "TimeToken",
      change: {},
      want: { clock: "differs: the registry has blocknumber, the token timestamp" },
    },
    {
      why: "a governor of another token",
      token: "TimeToken",
      change: { clock: "timestamp", governor: "governor" },
      want: {
        "governor-token": "differs: the governor counts the votes of BlockToken",
      },
    },
    {
      why: "a contract that is no token",
      token: "AlphaEmitter",
      change: {},
      want: {
        decimals: "missing: the token has no decimals()",
        kind: "missing: the token supports neither getVotes nor getCurrentVotes",
      },
    },
    {
      why: "no token",
      token: NOWHERE,
      change: {},
      want: { token: `missing: there is no contract at ${NOWHERE} on chain 31337` },
    },
    {
      why: "no governor",
      token: "BlockToken",
      change: { governor: NOWHERE },
      want: { governor: `missing: there is no contract at ${NOWHERE} on chain 31337` },
    },
    {
      why: "a governor in the old style",
      token: "BlockToken",
      change: { governor: "AlphaEmitter" },
      want: { "governor-token": "not-checked: the governor has no token(), like many older ones" },
    },
  ])("compares $why", async ({ token, change, want }) => {
    expect(faultsOf(await check(entryOf(token, change)))).toEqual(want);
  });

  it.each([
    { why: "the block after the token's", firstBlock: () => entryOf("BlockToken").firstBlock + 1 },
    { why: "the newest block", firstBlock: () => head },
    { why: "a future block", firstBlock: () => head + 1, isFuture: true },
  ])("finds a first block that is $why", async ({ firstBlock: blockOf, isFuture = false }) => {
    const firstBlock = blockOf();
    const want = isFuture
      ? `the registry has ${firstBlock}, but the newest block is ${head}`
      : `the token already existed at block ${firstBlock - 1}`;
    const checks = await check(entryOf("BlockToken", { firstBlock }));
    expect(faultsOf(checks)).toEqual({ "first-block": `differs: ${want}` });
  });

  const refused = { error: { code: -32_000, message: `missing trie node at ${CANARY}` } };
  it.each<{ why: string; fault: NodeFault; want: Record<string, string> }>([
    {
      why: "a node without old states",
      fault: { answer: (call) => (isOld(call) ? refused : undefined) },
      want: { "first-block": expect.stringMatching(/^not-checked: the node cannot report .* block \d+$/) },
    },
    {
      why: "a node that refuses calls",
      fault: { answer: ({ method }) => (method === "eth_call" ? refused : undefined) },
      want: Object.fromEntries(
        ["decimals", "kind", "clock", "governor-token"].map((part) => [
          part,
          "failed: the node refused eth_call with code -32000",
        ]),
      ),
    },
    {
      why: "a node of another chain",
      fault: { result: ({ method }, result) => (method === "eth_chainId" ? "0x1" : result) },
      want: { chain: "differs: the node serves chain 1" },
    },
    {
      why: "a node that is none",
      fault: { answer: () => ({ body: `<html>${CANARY}` }) },
      want: { chain: "failed: the node's answer to eth_chainId is not JSON-RPC (HTTP 200)" },
    },
  ])("reports $why, and not its text", async ({ fault, want }) => {
    const checks = await check(entryOf("BlockToken", { governor: "governor" }), fault);
    expect(faultsOf(checks)).toEqual(want);
    expect(JSON.stringify(checks)).not.toContain(CANARY);
  });
});

/** A question about a block that is not the newest. */
function isOld({ method, params }: { method: string; params: readonly unknown[] }): boolean {
  return method === "eth_getCode" && params[1] !== "latest";
}
