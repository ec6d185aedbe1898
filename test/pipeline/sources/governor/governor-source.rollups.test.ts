import { afterAll, beforeAll, expect, it } from "vitest";
import { type Account, startChain, type TestChain } from "../../../support/chain/start-chain.ts";
import { describeOnChain } from "../../../support/chain/with-chain.ts";
import { createFetchLedger } from "./fetch-ledger.ts";
import { fetchGoverned, governedToken } from "./governed-token.ts";

const ARBITRUM_ONE = 42_161;

describeOnChain("a chain whose contracts count the blocks of another", () => {
  let chain: TestChain;
  beforeAll(async () => {
    chain = await startChain();
  });
  afterAll(() => chain.close());

  it.each([
    ["PriorToken", "mint(address,uint96)", "no word of a clock"],
    ["BlockToken", "mint(address,uint256)", "the words for its block number"],
  ])("%s, %s: power is not compared and a vote has no time, each said once", async (name, mint) => {
    const by = chain.accounts[0] as Account;
    const token = await chain.deploy(name);
    const firstBlock = await chain.head();
    const governor = await chain.deploy("AlphaEmitter");
    await chain.send(by, token, mint, [by, 9n]);
    await chain.send(by, token, "delegate(address)", [by]);
    // Block numbers of Ethereum are far ahead of this chain's, or far behind.
    const args = [1n, 5n, 9n, "Elsewhere"];
    await chain.send(by, governor, "propose(uint256,uint256,uint256,string)", args);
    await chain.send(by, governor, "vote(uint256,bool,uint256)", [1n, true, 9n]);
    await chain.send(by, governor, "execute(uint256)", [1n]);
    await chain.mine(3);
    // Its accounts sign for the chain that it was started as.
    await chain.rpc("anvil_setChainId", [ARBITRUM_ONE]);
    const ledger = createFetchLedger();
    const registered = governedToken(token, firstBlock, { chainId: ARBITRUM_ONE, governor });
    for (let round = 0; round < 2; round += 1) {
      const sink = await fetchGoverned(chain, registered, { ledger });
      const codes = sink.rejections.map(({ code }) => code);
      // What is executed can no longer change, and is not read again.
      expect(codes).toEqual(round === 0 ? ["POWER_NOT_CHECKED", "CLOCK_UNKNOWN"] : ["POWER_NOT_CHECKED"]);
      expect(sink.events.length).toBeGreaterThan(0);
      expect(ledger.proposals()).toMatchObject([{ state: "closed", start: undefined, end: undefined }]);
    }
    await chain.rpc("anvil_setChainId", [31_337]);
  });
});
