import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type Account,
  FINALIZED_BEHIND,
  startChain,
  type TestChain,
} from "../../../support/chain/start-chain.ts";
import { describeOnChain } from "../../../support/chain/with-chain.ts";
import { proposalOf, voteOf } from "./governed.ts";
import { fetchGoverned, governedToken } from "./governed-token.ts";

const TOKEN = 10n ** 18n;

describeOnChain("governors older than OpenZeppelin's, on a real chain", () => {
  let chain: TestChain;
  beforeAll(async () => {
    chain = await startChain();
  });
  afterAll(() => chain.close());

  const timeS = async (block: bigint | number): Promise<number> => {
    const header = await chain.rpc("eth_getBlockByNumber", [`0x${block.toString(16)}`, false]);
    return Number((header as { timestamp: string }).timestamp);
  };

  it("reads a governor in the style of Alpha: nothing indexed, no reasons, its own topic for votes", async () => {
    const [a, b] = chain.accounts as [Account, Account];
    const token = await chain.deploy("PriorToken");
    const firstBlock = await chain.head();
    await chain.send(a, token, "mint(address,uint96)", [a, 5n * TOKEN]);
    const address = await chain.deploy("AlphaEmitter");
    const start = BigInt(await chain.head()) + 1n;
    const end = start + 6n;
    await chain.send(a, address, "propose(uint256,uint256,uint256,string)", [1n, start, end, "Set a fee"]);
    await chain.send(a, address, "propose(uint256,uint256,uint256,string)", [2n, start, end, ""]);
    await chain.send(a, address, "vote(uint256,bool,uint256)", [1n, true, 3n * TOKEN]);
    await chain.send(b, address, "vote(uint256,bool,uint256)", [1n, false, TOKEN / 2n]);
    await chain.send(a, address, "vote(uint256,bool,uint256)", [99n, true, TOKEN]);
    await chain.send(a, address, "extend(uint256,uint64)", [1n, end + 2n]);
    await chain.send(a, address, "cancel(uint256)", [2n]);
    await chain.mine(6);
    await chain.send(a, address, "execute(uint256)", [1n]);
    await chain.mine(FINALIZED_BEHIND);
    const sink = await fetchGoverned(chain, governedToken(token, firstBlock, { governor: address }));
    const governed = { sink, ids: { fee: "1", empty: "2" } };
    expect(proposalOf(governed, "fee")).toMatchObject({
      title: "Set a fee",
      author: a,
      start: { atMs: (await timeS(start)) * 1000 },
      end: { atMs: (await timeS(end + 2n)) * 1000 },
      state: "closed",
      quorum: 7,
      scoresTotal: 3.5,
      votesCount: 2,
      votingType: "basic",
    });
    expect(proposalOf(governed, "empty")).toMatchObject({ title: undefined, state: "cancelled" });
    expect(voteOf(governed, "fee", a)).toMatchObject({
      power: 3,
      choice: { kind: "single", option: 1 },
      isReasonKnown: false,
    });
    expect(voteOf(governed, "fee", b)).toMatchObject({ power: 0.5, choice: { kind: "single", option: 2 } });
    expect(sink.rejections.map(({ code }) => code)).toEqual(["PROPOSAL_UNKNOWN"]);
  });

  it("reads a governor in the style of Bravo, and holds its own count against the logs", async () => {
    const [a, b, c] = chain.accounts as [Account, Account, Account];
    const token = await chain.deploy("PriorToken");
    const firstBlock = await chain.head();
    await chain.send(a, token, "mint(address,uint96)", [a, 5n * TOKEN]);
    const address = await chain.deploy("BravoEmitter");
    const start = BigInt(await chain.head()) + 1n;
    await chain.send(a, address, "propose(uint256,uint256,uint256,string)", [7n, start, start + 5n, "One"]);
    await chain.send(a, address, "vote(uint256,uint8,uint256,string)", [7n, 1, 2n * TOKEN, "yes"]);
    await chain.send(b, address, "vote(uint256,uint8,uint256,string)", [7n, 2, 0n, "  "]);
    await chain.send(c, address, "vote(uint256,uint8,uint256,string)", [7n, 9, TOKEN, ""]);
    await chain.send(a, address, "miscount(uint256)", [7n]);
    await chain.mine(5 + FINALIZED_BEHIND);
    const sink = await fetchGoverned(chain, governedToken(token, firstBlock, { governor: address }));
    const governed = { sink, ids: { one: "7" } };
    expect(proposalOf(governed, "one")).toMatchObject({
      quorum: 9,
      scoresTotal: 4,
      votesCount: 3,
      state: "closed",
    });
    expect(voteOf(governed, "one", b)).toMatchObject({
      power: 0,
      choice: { kind: "single", option: 3 },
      isReasonGiven: false,
    });
    expect(voteOf(governed, "one", c)).toMatchObject({ power: 1, choice: { kind: "unreadable" } });
    expect(sink.rejections.map(({ code }) => code)).toEqual(["CHOICE_UNREADABLE"]);
  });
});
