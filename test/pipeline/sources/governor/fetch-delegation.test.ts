import { afterAll, beforeAll, expect, it } from "vitest";
import type { DaoFacts } from "../../../../pipeline/facts/dao-facts.ts";
import { createDelegateHistory } from "../../../../pipeline/score/delegates/delegate-history.ts";
import { rankDelegates } from "../../../../pipeline/score/delegates/rank-delegates.ts";
import { createDelegationReplay } from "../../../../pipeline/score/delegates/trace-delegations.ts";
import { blockAtMoment, readFinalizedBlock } from "../../../../pipeline/sources/governor/blocks.ts";
import { createRpc } from "../../../../pipeline/sources/governor/rpc.ts";
import { dayEndMs } from "../../../../snapshots/format/ids.ts";
import { plainHttpClient } from "../../../support/chain/plain-http-client.ts";
import {
  type Account,
  BLOCK_S,
  FINALIZED_BEHIND,
  startChain,
  type TestChain,
} from "../../../support/chain/start-chain.ts";
import { describeOnChain } from "../../../support/chain/with-chain.ts";
import type { MemorySink } from "../memory-sink.ts";
import { fetchGoverned, governedToken } from "./governed-stage.ts";
import { liveItemLife, livePriorTokenLife, liveTokenLife } from "./token-life.ts";

const TOKENS = [
  {
    name: "BlockToken",
    kind: "erc20votes",
    clock: "blocknumber",
    live: liveTokenLife,
    now: "getVotes",
    past: "getPastVotes",
  },
  {
    name: "TimeToken",
    kind: "erc20votes",
    clock: "timestamp",
    live: liveTokenLife,
    now: "getVotes",
    past: "getPastVotes",
  },
  {
    name: "ItemToken",
    kind: "erc721votes",
    clock: "blocknumber",
    live: liveItemLife,
    now: "getVotes",
    past: "getPastVotes",
  },
  {
    name: "PriorToken",
    kind: "erc20votes",
    clock: "blocknumber",
    live: livePriorTokenLife,
    now: "getCurrentVotes",
    past: "getPriorVotes",
  },
] as const;

describeOnChain("delegation on a real chain", () => {
  let chain: TestChain;
  const fetched = new Map<string, { token: Account; sink: MemorySink }>();
  beforeAll(async () => {
    chain = await startChain();
    for (const { name, kind, clock, live } of TOKENS) {
      const token = await chain.deploy(name);
      const firstBlock = await chain.head();
      await live(chain, token);
      await chain.mine(FINALIZED_BEHIND + 1);
      const sink = await fetchGoverned(chain, governedToken(token, firstBlock, { kind, clock, decimals: 0 }));
      fetched.set(name, { token, sink });
    }
  });
  afterAll(() => chain.close());

  const powersUpTo = (sink: MemorySink, block: number) => {
    const replay = createDelegationReplay(false);
    for (const event of sink.events) if (event.blockNumber <= block) replay.apply(event);
    return replay.delegates();
  };
  const listingOf = (name: string) => {
    const listing = fetched.get(name);
    if (listing === undefined) throw new Error(`${name} was not fetched`);
    return listing;
  };

  for (const { name, clock, now, past } of TOKENS) {
    it(`${name}: nothing is rejected, and rebuilt power is ${now} for every account`, async () => {
      const { token, sink } = listingOf(name);
      expect(sink.rejections).toEqual([]);
      const powers = new Map(powersUpTo(sink, Infinity).map(({ address, votes }) => [address, votes]));
      for (const account of chain.accounts) {
        const votes = await chain.read(token, `${now}(address) view returns (uint256)`, [account]);
        expect(powers.get(account) ?? 0n, account).toBe(votes);
      }
      expect([...powers.values()].some((votes) => votes > 0n)).toBe(true);
    });

    it(`${name}: at ten past blocks it is ${past}, and the ranking is the contract's`, async () => {
      const { token, sink } = listingOf(name);
      const newest = sink.events.at(-1)?.blockNumber ?? 0;
      const blocks = Array.from({ length: 10 }, (_, index) => newest - index);
      for (const block of blocks) {
        const header = (await chain.rpc("eth_getBlockByNumber", [`0x${block.toString(16)}`, false])) as {
          timestamp: string;
        };
        const point = clock === "timestamp" ? BigInt(header.timestamp) : BigInt(block);
        const listed = powersUpTo(sink, block);
        const powers = new Map(listed.map(({ address, votes }) => [address, votes]));
        const owns: [string, bigint][] = [];
        for (const account of chain.accounts) {
          const votes = await chain.read(token, `${past}(address,uint256) view returns (uint256)`, [
            account,
            point,
          ]);
          expect(powers.get(account) ?? 0n, `${account} at ${block}`).toBe(votes);
          owns.push([account, votes as bigint]);
        }
        const { delegates, total } = rankDelegates({
          date: undefined,
          asOfMs: undefined,
          fetchedAtMs: 0,
          decimals: 0,
          delegates: listed,
        });
        expect(delegates.map(({ votes }) => votes)).toEqual(
          owns
            .map(([, votes]) => votes)
            .filter((votes) => votes > 0n)
            .sort((x, y) => (x < y ? 1 : x > y ? -1 : 0)),
        );
        expect(total).toBe(owns.reduce((sum, [, votes]) => sum + votes, 0n));
      }
      // Of an old token's first blocks a contract that is not there yet says nothing.
      expect(sink.events.filter(({ blockNumber }) => blocks.includes(blockNumber)).length).toBeGreaterThan(8);
    });
  }

  it("knows every event by its block's exact time", async () => {
    const { sink } = listingOf("BlockToken");
    for (const { blockNumber, blockTimeMs } of sink.events) {
      const header = (await chain.rpc("eth_getBlockByNumber", [`0x${blockNumber.toString(16)}`, false])) as {
        timestamp: string;
      };
      expect(blockTimeMs).toBe(Number(header.timestamp) * 1000);
    }
    expect(BLOCK_S).toBe(12);
  });
});

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
      const listing = await ownListing(block?.number ?? 0, BigInt(block?.number ?? 0));
      const listed = delegates.map(({ address, votes, delegatorsCount }) => [
        address,
        { votes, delegatorsCount },
      ]);
      expect(new Map(listed as [string, { votes: bigint; delegatorsCount: number }][]), date).toEqual(
        listing,
      );
      const votes = delegates.map((delegate) => delegate.votes);
      expect(votes, date).toEqual([...votes].sort((a, b) => (a < b ? 1 : a > b ? -1 : 0)));
      expect(total).toBe(votes.reduce((sum, one) => sum + one, 0n));
      expect(decimals).toBe(6);
    }
  });
});
