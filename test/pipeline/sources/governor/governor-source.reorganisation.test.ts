import { afterAll, beforeAll, expect, it } from "vitest";
import { type Account, startChain, type TestChain } from "../../../support/chain/start-chain.ts";
import { describeOnChain } from "../../../support/chain/with-chain.ts";
import type { MemorySink } from "../memory-sink.ts";
import { createFetchLedger } from "./fetch-ledger.ts";
import { fetchGoverned, governedToken } from "./governed-token.ts";

describeOnChain("a chain that is reorganised", () => {
  let chain: TestChain;
  let token: Account;
  let firstBlock: number;
  const ledger = createFetchLedger();
  beforeAll(async () => {
    chain = await startChain();
    token = await chain.deploy("BlockToken");
    firstBlock = await chain.head();
  });
  afterAll(() => chain.close());

  const fetchWithMemory = () => fetchGoverned(chain, governedToken(token, firstBlock), { ledger });
  const mint = (to: Account | undefined, amount: bigint) =>
    chain.send(chain.accounts[0] as Account, token, "mint(address,uint256)", [to, amount]);
  const amounts = (sink: MemorySink) =>
    sink.events.flatMap((event) => (event.kind === "transfer" ? [event.amount] : []));

  it("takes finalized blocks only, and what replaced them after a reorganisation of the rest", async () => {
    const [, b, c] = chain.accounts;
    await mint(b, 1n);
    await chain.mine(3);
    await mint(b, 2n); // not finalized
    expect(amounts(await fetchWithMemory())).toEqual([1n]);
    await chain.rpc("anvil_rollback", [1]);
    await mint(c, 30n);
    await chain.mine(3);
    const sink = await fetchWithMemory();
    expect(amounts(sink)).toEqual([1n, 30n]);
    expect(sink.rejections).toEqual([]);
  });

  it("reports and mends a reorganisation below what it called finalized", async () => {
    const [, , c] = chain.accounts;
    await mint(c, 400n);
    await chain.mine(4);
    expect(amounts(await fetchWithMemory())).toEqual([1n, 30n, 400n]);
    // Empty blocks in the place of the last six.
    await chain.rpc("anvil_reorg", [6, []]);
    await mint(c, 5_000n);
    await chain.mine(3);
    const sink = await fetchWithMemory();
    expect(amounts(sink)).toEqual([1n, 30n, 5_000n]);
    expect(sink.rejections.map(({ code }) => code)).toEqual(["CHAIN_REWOUND"]);
    expect((await fetchWithMemory()).rejections).toEqual([]);
  });
});
