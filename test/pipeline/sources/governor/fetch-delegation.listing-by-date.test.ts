import { afterAll, beforeAll, expect, it } from "vitest";
import type { DaoFacts } from "../../../../pipeline/facts/dao-facts.ts";
import { createDelegateHistory } from "../../../../pipeline/score/delegates/delegate-history.ts";
import { blockAtMoment, readFinalizedBlock } from "../../../../pipeline/sources/governor/blocks.ts";
import { createRpc } from "../../../../pipeline/sources/governor/rpc.ts";
import { dayEndMs } from "../../../../snapshots/format/ids.ts";
import { plainHttpClient } from "../../../support/chain/plain-http-client.ts";
import {
  type Account,
  FINALIZED_BEHIND,
  startChain,
  type TestChain,
} from "../../../support/chain/start-chain.ts";
import { describeOnChain } from "../../../support/chain/with-chain.ts";
import { fetchGoverned, governedToken } from "./governed-token.ts";
import { liveTokenLife } from "./token-life.ts";

const NOBODY = `0x${"0".repeat(40)}`;
/** Between two steps of the token's life: on some days two things happen, on others one, and on some none. */
const PAUSES_S = [50_000, 20_000, 200_000];

describeOnChain("the listing of a token's delegates", () => {
  let chain: TestChain;
  let token: Account;
  let firstBlock: number;
  beforeAll(async () => {
    chain = await startChain();
    token = await chain.deploy("BlockToken");
    firstBlock = await chain.head();
    let step = 0;
    const slowly: TestChain = {
      ...chain,
      async send(...given) {
        await chain.rpc("anvil_setBlockTimestampInterval", [PAUSES_S[step % PAUSES_S.length]]);
        step += 1;
        await chain.send(...given);
      },
    };
    await liveTokenLife(slowly, token);
    await chain.mine(FINALIZED_BEHIND);
  });
  afterAll(() => chain.close());

  const readAt = (signature: string, account: Account, block: number) =>
    chain.read(token, signature, [account], block);
  /** By address: power and delegators with a balance, as the contract says at the end of a block. */
  const ownListing = async (block: number, timepoint: bigint) => {
    const listing = new Map<string, { votes: bigint; delegatorsCount: number }>();
    for (const account of chain.accounts) {
      const votes = (await chain.read(token, "getPastVotes(address,uint256) view returns (uint256)", [
        account,
        timepoint,
      ])) as bigint;
      if (votes > 0n) listing.set(account, { votes, delegatorsCount: 0 });
    }
    for (const account of chain.accounts) {
      const delegate = (await readAt("delegates(address) view returns (address)", account, block)) as string;
      const balance = await readAt("balanceOf(address) view returns (uint256)", account, block);
      const listed = listing.get(delegate.toLowerCase());
      if (delegate !== NOBODY && balance !== 0n && listed !== undefined) listed.delegatorsCount += 1;
    }
    return listing;
  };

  it("is the contract's own on every date: power, delegators and order", async () => {
    const governor = governedToken(token, firstBlock, { decimals: 6 });
    const { events, rejections } = await fetchGoverned(chain, governor);
    expect(rejections).toEqual([]);
    const rpc = createRpc({ http: plainHttpClient(), url: chain.url });
    const head = await readFinalizedBlock(rpc);
    const facts: DaoFacts = {
      dao: { spaceId: "real.eth", name: "Real", category: "defi", governor },
      space: undefined,
      proposals: [],
      ballots: new Map(),
      entityIdOfVoter: new Map(),
      delegateLists: [],
      delegationEvents: events,
      confirmations: [],
      names: new Map(),
      isArchive: false,
      lastCompleteFetchMs: head.timeMs,
    };
    const dated = createDelegateHistory(facts).dated(head.timeMs + 86_400_000);
    expect(dated.length).toBeGreaterThanOrEqual(15);
    for (const { date, delegates, total, decimals } of dated) {
      const block = await blockAtMoment(rpc, dayEndMs(date), { firstBlock, head });
      const own = await ownListing(block?.number ?? 0, BigInt(block?.number ?? 0));
      const listed = delegates.map(({ address, votes, delegatorsCount }) => [
        address,
        { votes, delegatorsCount },
      ]);
      expect(new Map(listed as [string, { votes: bigint; delegatorsCount: number }][]), date).toEqual(own);
      const votes = delegates.map((delegate) => delegate.votes);
      expect(votes, date).toEqual([...votes].sort((a, b) => (a < b ? 1 : a > b ? -1 : 0)));
      expect(total).toBe(votes.reduce((sum, one) => sum + one, 0n));
      expect(decimals).toBe(6);
    }
  });
});
