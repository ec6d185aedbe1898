import { expect, it } from "vitest";
import type { HttpClient } from "../../../../pipeline/sources/http/http-client.ts";
import { faultyNode } from "../../../support/chain/faulty-node.ts";
import { plainHttpClient } from "../../../support/chain/plain-http-client.ts";
import { describeOnChain } from "../../../support/chain/with-chain.ts";
import type { MemorySink } from "../memory-sink.ts";
import { createFetchLedger } from "./fetch-ledger.ts";
import { fetchGoverned, governedStage, isLogsOf, RANGE_MAX, stop } from "./governed-stage.ts";

describeOnChain("a fetch after one that was stopped, or whose chain or node is another", () => {
  const { on, finalized, mint, propose, proposeFor, fetch, expectWhole } = governedStage();

  it("goes on in the middle of the logs it was stopped in, of the token and of the governor", async () => {
    await mint();
    await propose();
    await on.chain.mine(90);
    await propose();
    const before = await on.chain.head();
    for (const account of [on.token, on.address]) {
      on.ledger = createFetchLedger(on.home);
      let asked = 0;
      await expect(
        fetch({
          before(call) {
            if (isLogsOf(call, account)) asked += 1;
            if (asked > 14) stop();
          },
        }),
      ).rejects.toMatchObject({ code: "INTERRUPTED" });
      const resumed = await fetch();
      expect(resumed.froms(account)[0]).toBeGreaterThan(on.firstBlock + RANGE_MAX);
      if (account === on.address) expect(resumed.froms(on.token)).toEqual([]);
      await expectWhole();
      expect(on.ledger.pagesCount()).toBe(0);
    }
    expect(await on.chain.head()).toBe(before);
  });

  it("keeps no page of a chain that went back on it, and no event", async () => {
    await propose();
    await on.chain.mine(30);
    await propose();
    await mint();
    await on.chain.mine(3);
    let asked = 0;
    const stopped = fetch({
      before(call) {
        if (isLogsOf(call, on.address)) asked += 1;
        if (asked > 0 && call.method === "eth_call") stop();
      },
    });
    await expect(stopped).rejects.toMatchObject({ code: "INTERRUPTED" });
    expect(on.ledger.pagesCount()).toBeGreaterThan(2);
    await on.chain.rpc("anvil_reorg", [14, []]);
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
      await on.chain.mine(3);
      let isDone = false;
      const head = await finalized();
      // The last logs are read; their block's hash is not.
      const failing = fetch({
        rangeMax: 100_000,
        async before(call) {
          if (isDone || call.method !== "eth_getBlockByNumber" || Number(call.params[0]) !== head) return;
          if (which === "governor" && on.ledger.heldThrough() !== head) return;
          isDone = true;
          await on.chain.rpc("anvil_reorg", [16, []]);
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
    await on.chain.mine(60);
    await fetch();
    expect((await fetch()).froms(on.token)).toEqual([]);
    let asked = 0;
    const stopped = fetch({
      isFull: true,
      before(call) {
        if (isLogsOf(call, on.address)) asked += 1;
        if (asked > 14) stop();
      },
    });
    await expect(stopped).rejects.toMatchObject({ code: "INTERRUPTED" });
    const full = await fetch({ isFull: true });
    expect(full.froms(on.token)).toEqual([]);
    expect(full.froms(on.address)[0]).toBeGreaterThan(on.firstBlock + RANGE_MAX);
    expect((await fetch({ isFull: true })).froms(on.token)).toContain(on.firstBlock);
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
    expect(froms(on.token)[0]).toBe(tokenFrom);
    expect(froms(on.address)[0]).toBe(governorFrom === "first" ? on.firstBlock : governorFrom);
  });

  it("reads all anew where a ballot is gone that should be there", async () => {
    await propose();
    await fetch();
    on.ledger.loseVotes();
    expect((await fetch()).froms(on.address)).toContain(on.firstBlock);
    await expectWhole();
  });

  it("keeps nothing of a token whose logs are of another kind", async () => {
    for (let count = 0; count < 3; count += 1) await mint();
    await on.chain.mine(3);
    const { http } = faultyNode(plainHttpClient(), {
      result: ({ method }, result) =>
        method === "eth_getLogs" ? (result as object[]).map((log) => ({ ...log, data: "0x12" })) : result,
    });
    const failing = fetchGoverned(on.chain, on.governor, { http, ledger: on.ledger });
    await expect(failing).rejects.toThrow(/3 of 3 logs were rejected/);
    expect(on.ledger.heldThrough()).toBeUndefined();
  });

  it("refuses a node that lags behind what was read, and drops nothing", async () => {
    await mint();
    await on.chain.mine(3);
    const inner = plainHttpClient();
    const late = `0x${((await finalized()) - 2).toString(16)}`;
    const http: HttpClient = {
      ...inner,
      postJson: ({ url, body }) =>
        inner.postJson({ url, body: JSON.parse(JSON.stringify(body).replaceAll("finalized", late)) }),
    };
    await fetch();
    const before = on.ledger.facts(on.governor);
    await expect(fetchGoverned(on.chain, on.governor, { http, ledger: on.ledger })).rejects.toThrow(
      /before block \d+, which was already read/,
    );
    expect(on.ledger.facts(on.governor)).toEqual(before);
    expect(before.delegationEvents).toHaveLength(1);
  });

  it("fails where a node has forgotten a vote that it told of", async () => {
    await proposeFor(300n);
    await on.chain.mine(4);
    await fetch();
    const { http } = faultyNode(plainHttpClient(), {
      result: ({ method }, result) => (method === "eth_getLogs" ? [] : result),
    });
    const failing = fetchGoverned(on.chain, on.governor, { http, ledger: on.ledger });
    await expect(failing).rejects.toThrow(/no longer returns a proposal/);
  });

  it("takes finalized blocks only, and what replaces them; below the finalized one it says so", async () => {
    const amounts = (sink: MemorySink) =>
      sink.events.flatMap((event) => (event.kind === "transfer" ? [event.amount] : []));
    await mint(1n);
    await on.chain.mine(3);
    await mint(2n); // not finalized
    expect(amounts((await fetch()).sink)).toEqual([1n]);
    await on.chain.rpc("anvil_rollback", [1]);
    await mint(30n);
    await on.chain.mine(1);
    await mint(400n);
    await on.chain.mine(4);
    const second = await fetch();
    expect([amounts(second.sink), second.codes]).toEqual([[1n, 30n, 400n], []]);
    // Empty blocks in the place of the last six.
    await on.chain.rpc("anvil_reorg", [6, []]);
    await mint(5_000n);
    await on.chain.mine(3);
    const third = await fetch();
    expect([amounts(third.sink), third.codes]).toEqual([[1n, 30n, 5_000n], ["CHAIN_REWOUND"]]);
    expect((await fetch()).codes).toEqual([]);
  });
});
