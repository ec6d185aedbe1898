import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { PipelineError } from "../../../../pipeline/base/pipeline-error.ts";
import type { GovernorToken } from "../../../../pipeline/facts/delegation.ts";
import type { HttpClient } from "../../../../pipeline/sources/http/http-client.ts";
import { faultyNode, type SeenCall } from "../../../support/chain/faulty-node.ts";
import { plainHttpClient } from "../../../support/chain/plain-http-client.ts";
import { type Account, startChain, type TestChain } from "../../../support/chain/start-chain.ts";
import { describeOnChain } from "../../../support/chain/with-chain.ts";
import { createFetchLedger, type FetchLedger } from "./fetch-ledger.ts";
import { fetchGoverned, governedToken } from "./governed-token.ts";

/** As long as one answer of this chain goes. */
const RANGE_MAX = 10;

describeOnChain("a fetch that goes on from another", () => {
  let chain: TestChain;
  let governor: GovernorToken;
  let token: Account;
  let address: Account;
  let firstBlock: number;
  let ledger: FetchLedger;
  let voters: Map<string, number>;
  beforeAll(async () => {
    chain = await startChain();
  });
  afterAll(() => chain.close());
  beforeEach(async () => {
    token = await chain.deploy("PriorToken");
    address = await chain.deploy("AlphaEmitter");
    firstBlock = await chain.head();
    governor = governedToken(token, firstBlock, { governor: address, decimals: 0 });
    voters = new Map();
    ledger = createFetchLedger(voters);
  });

  const by = (place: number) => chain.accounts[place] as Account;
  const mint = () => chain.send(by(0), token, "mint(address,uint96)", [by(1), 5n]);
  let lastId = 0n;
  /** A vote that is over a few blocks later. */
  const propose = async () => {
    lastId += 1n;
    const start = BigInt(await chain.head()) + 1n;
    const args = [lastId, start, start + 4n, "Once"];
    await chain.send(by(0), address, "propose(uint256,uint256,uint256,string)", args);
    await chain.send(by(1), address, "vote(uint256,bool,uint256)", [lastId, true, 5n]);
    await chain.mine(8);
    return lastId;
  };
  /** A fetch through a node that answers few blocks at once; `before` may meddle with each call. */
  const fetch = async (
    given: {
      readonly before?: (call: SeenCall, count: number) => Promise<void> | void;
      readonly isFull?: boolean;
      readonly rest?: Partial<GovernorToken>;
      readonly rangeMax?: number;
    } = {},
  ) => {
    const { rangeMax = RANGE_MAX } = given;
    const { http, seen } = faultyNode(plainHttpClient(), {
      answer({ method, params }) {
        if (method !== "eth_getLogs") return undefined;
        const { fromBlock, toBlock } = params[0] as Record<"fromBlock" | "toBlock", string>;
        const isWide = Number(toBlock) - Number(fromBlock) >= rangeMax;
        return isWide ? { error: { code: -32_005, message: "too many blocks" } } : undefined;
      },
    });
    let requests = 0;
    const counting = {
      ...http,
      async postJson(request: Parameters<typeof http.postJson>[0]) {
        requests += 1;
        const calls = (Array.isArray(request.body) ? request.body : [request.body]) as SeenCall[];
        for (const call of calls) await given.before?.(call, requests);
        return http.postJson(request);
      },
    };
    const sink = await fetchGoverned(
      chain,
      { ...governor, ...given.rest },
      {
        http: counting,
        ledger,
        rangesPerStep: 2,
        isFull: given.isFull ?? false,
      },
    );
    const logs = seen.filter(({ method }) => method === "eth_getLogs");
    const froms = (of: Account) =>
      logs
        .map(({ params }) => params[0] as { fromBlock: string; address: string })
        .filter((filter) => filter.address === of)
        .map(({ fromBlock }) => Number(fromBlock));
    return { sink, requests, codes: sink.rejections.map(({ code }) => code), froms };
  };
  const stop = () => {
    throw new PipelineError("INTERRUPTED", "stopped");
  };
  const isLogsOf = ({ method, params }: SeenCall, of: Account) =>
    method === "eth_getLogs" && (params[0] as { address: string }).address === of;
  /** Whatever was done, the outcome is that of one fetch of all. */
  const expectWhole = async () => {
    const whole = createFetchLedger(voters);
    await fetchGoverned(chain, governor, { ledger: whole });
    expect(ledger.proposals()).toEqual(whole.proposals());
    expect(ledger.ballots()).toEqual(whole.ballots());
    expect(ledger.events()).toEqual(whole.events());
  };

  it("asks a handful of times where nothing is new, and reads no log twice", async () => {
    await mint();
    await propose();
    await fetch();
    const again = await fetch();
    expect(again.requests).toBeLessThanOrEqual(8);
    expect(again.froms(token)).toEqual([]);
    expect(again.froms(address)).toEqual([]);
    const head = ledger.heldThrough()[0]?.number ?? 0;
    await chain.mine(4);
    const later = await fetch();
    expect(later.requests).toBeLessThanOrEqual(12);
    expect(later.froms(token)).toEqual([head + 1]);
    expect(later.froms(address)).toEqual([head + 1]);
    await expectWhole();
  });

  it("reads a governor again from the oldest vote that is still open", async () => {
    await propose();
    await fetch();
    lastId += 1n;
    const start = BigInt(await chain.head()) + 1n;
    const args = [lastId, start, start + 30n, "Open"];
    await chain.send(by(0), address, "propose(uint256,uint256,uint256,string)", args);
    const created = await chain.head();
    await chain.mine(4);
    await fetch();
    await chain.send(by(2), address, "vote(uint256,bool,uint256)", [lastId, false, 9n]);
    await chain.mine(4);
    expect((await fetch()).froms(address)[0]).toBe(created);
    await chain.mine(40);
    await fetch();
    expect((await fetch()).froms(address)).toEqual([]);
    await expectWhole();
  });

  it("learns what became of a vote that is held, and keeps its ballot", async () => {
    const [executed, canceled] = [await propose(), await propose()];
    await fetch();
    const head = ledger.heldThrough()[0]?.number ?? 0;
    await chain.send(by(0), address, "execute(uint256)", [executed]);
    await chain.send(by(0), address, "cancel(uint256)", [canceled]);
    await chain.mine(4);
    const { froms, sink } = await fetch();
    expect(Math.min(...froms(address))).toBe(head + 1);
    const states = sink.proposals.map(({ proposalId, state }) => [proposalId, state]);
    expect(states).toEqual([
      [executed.toString(), "closed"],
      [canceled.toString(), "cancelled"],
    ]);
    expect(sink.ballots).toEqual([]);
    await expectWhole();
  });

  it.each([
    ["a vote after the end", "vote(uint256,bool,uint256)", [false, 77n]],
    ["an end that is moved", "extend(uint256,uint64)", [5_000n]],
  ])("reads all anew for %s, once", async (_why, signature, rest) => {
    const id = await propose();
    await fetch();
    await chain.send(by(3), address, signature, [id, ...rest]);
    await chain.mine(4);
    expect((await fetch()).froms(address)).toContain(firstBlock);
    await expectWhole();
    expect((await fetch()).froms(address)).not.toContain(firstBlock);
    await expectWhole();
  });

  it("refuses a second proposal of an id that is held, without reading anything again", async () => {
    const id = await propose();
    await fetch();
    const head = ledger.heldThrough()[0]?.number ?? 0;
    const args = [id, 1n, 2n, "Twice"];
    await chain.send(by(0), address, "propose(uint256,uint256,uint256,string)", args);
    await chain.mine(4);
    const { codes, froms } = await fetch();
    expect(codes).toContain("PROPOSAL_DUPLICATE");
    expect(Math.min(...froms(address))).toBe(head + 1);
    await expectWhole();
  });

  it("does not take back up what it has taken in, while an older vote is open", async () => {
    lastId += 1n;
    const open = lastId;
    const start = BigInt(await chain.head()) + 1n;
    const held = await propose();
    await fetch();
    await chain.send(by(0), address, "propose(uint256,uint256,uint256,string)", [
      open + 10n,
      start,
      start + 500n,
      "Long",
    ]);
    await chain.send(by(3), address, "vote(uint256,bool,uint256)", [held, false, 1n]);
    await chain.mine(4);
    // The late vote has all read anew, and is then a part of what is held although its block is read again.
    expect((await fetch()).froms(address)).toContain(firstBlock);
    expect((await fetch()).froms(address)).not.toContain(firstBlock);
    await expectWhole();
    lastId += 10n;
  });

  it("goes on in the middle of the logs it was stopped in, of the token and of the governor", async () => {
    await mint();
    await propose();
    await chain.mine(90);
    await propose();
    const before = await chain.head();
    for (const of of [token, address]) {
      ledger = createFetchLedger(voters);
      let asked = 0;
      await expect(
        fetch({
          before(call) {
            if (isLogsOf(call, of)) asked += 1;
            if (asked > 14) stop();
          },
        }),
      ).rejects.toMatchObject({ code: "INTERRUPTED" });
      const resumed = await fetch();
      expect(resumed.froms(of)[0]).toBeGreaterThan(firstBlock + RANGE_MAX);
      if (of === address) expect(resumed.froms(token)).toEqual([]);
      await expectWhole();
      expect(ledger.pages().size).toBe(0);
    }
    expect(await chain.head()).toBe(before);
  });

  it("keeps no page of a chain that went back on it, and no event", async () => {
    await propose();
    await chain.mine(30);
    await propose();
    await mint();
    await chain.mine(3);
    let asked = 0;
    const stopped = fetch({
      before(call) {
        if (isLogsOf(call, address)) asked += 1;
        if (asked > 0 && call.method === "eth_call") stop();
      },
    });
    await expect(stopped).rejects.toMatchObject({ code: "INTERRUPTED" });
    expect(ledger.pages().size).toBeGreaterThan(2);
    await chain.rpc("anvil_reorg", [14, []]);
    const { codes } = await fetch();
    expect(codes).toContain("CHAIN_REWOUND");
    await expectWhole();
  });

  it.each(["token", "governor"] as const)(
    "of a chain that changes while the %s is read, nothing stays that it no longer says",
    async (which) => {
      await propose();
      await propose();
      await mint();
      await chain.mine(3);
      let isDone = false;
      const head = (await chain.head()) - 2;
      // The last logs are read; their block's hash is not.
      const failing = fetch({
        rangeMax: 100_000,
        async before(call) {
          if (isDone || call.method !== "eth_getBlockByNumber" || Number(call.params[0]) !== head) return;
          if (which === "governor" && ledger.heldThrough()[0]?.number !== head) return;
          isDone = true;
          await chain.rpc("anvil_reorg", [16, []]);
        },
      });
      await expect(failing).rejects.toThrow(/reorganised/);
      await fetch();
      await expectWhole();
    },
  );

  it("reads everything again when it is told to, and trusts what such a reading kept", async () => {
    await mint();
    await propose();
    await chain.mine(60);
    await fetch();
    expect((await fetch()).froms(token)).toEqual([]);
    let asked = 0;
    const stopped = fetch({
      isFull: true,
      before(call) {
        if (isLogsOf(call, address)) asked += 1;
        if (asked > 14) stop();
      },
    });
    await expect(stopped).rejects.toMatchObject({ code: "INTERRUPTED" });
    const full = await fetch({ isFull: true });
    expect(full.froms(token)).toEqual([]);
    expect(full.froms(address)[0]).toBeGreaterThan(firstBlock + RANGE_MAX);
    expect((await fetch({ isFull: true })).froms(token)).toContain(firstBlock);
    await expectWhole();
  });

  it.each([
    ["an earlier first block", { firstBlock: 0 }, 0, 0],
    ["other decimals", { decimals: 2 }, undefined, "first"],
  ])("reads again what %s changes", async (_why, rest, tokenFrom, governorFrom) => {
    await mint();
    await propose();
    await fetch();
    const { froms } = await fetch({ rest });
    expect(froms(token)[0]).toBe(tokenFrom);
    expect(froms(address)[0]).toBe(governorFrom === "first" ? firstBlock : governorFrom);
  });

  it("refuses a node that lags behind what was read, and drops nothing", async () => {
    await mint();
    await chain.mine(3);
    const inner = plainHttpClient();
    const late = `0x${((await chain.head()) - 4).toString(16)}`;
    const http: HttpClient = {
      ...inner,
      postJson: ({ url, body }) =>
        inner.postJson({ url, body: JSON.parse(JSON.stringify(body).replaceAll("finalized", late)) }),
    };
    await fetch();
    const events = ledger.events();
    await expect(fetchGoverned(chain, governor, { http, ledger })).rejects.toThrow(
      /before block \d+, up to which/,
    );
    expect(ledger.events()).toBe(events);
  });

  it("fails where a node has forgotten a vote that it told of", async () => {
    lastId += 1n;
    const start = BigInt(await chain.head()) + 1n;
    const args = [lastId, start, start + 300n, "Open"];
    await chain.send(by(0), address, "propose(uint256,uint256,uint256,string)", args);
    await chain.mine(4);
    await fetch();
    const { http } = faultyNode(plainHttpClient(), {
      result: ({ method }, result) => (method === "eth_getLogs" ? [] : result),
    });
    const failing = fetchGoverned(chain, governor, { http, ledger });
    await expect(failing).rejects.toThrow(/no longer has a proposal/);
  });
});
