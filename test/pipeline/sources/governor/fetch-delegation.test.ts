import { afterAll, beforeAll, expect, it } from "vitest";
import { rankDelegates } from "../../../../pipeline/score/delegates/rank-delegates.ts";
import { createDelegationReplay } from "../../../../pipeline/score/delegates/trace-delegations.ts";
import {
  type Account,
  BLOCK_S,
  FINALIZED_BEHIND,
  startChain,
  type TestChain,
} from "../../../support/chain/start-chain.ts";
import { describeOnChain } from "../../../support/chain/with-chain.ts";
import type { MemorySink } from "../memory-sink.ts";
import { fetchGoverned, governedToken } from "./governed-token.ts";
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
  const of = (name: string) => {
    const found = fetched.get(name);
    if (found === undefined) throw new Error(`${name} was not fetched`);
    return found;
  };

  for (const { name, clock, now, past } of TOKENS) {
    it(`${name}: nothing is rejected, and rebuilt power is ${now} for every account`, async () => {
      const { token, sink } = of(name);
      expect(sink.rejections).toEqual([]);
      const powers = new Map(powersUpTo(sink, Infinity).map(({ address, votes }) => [address, votes]));
      for (const account of chain.accounts) {
        const own = await chain.read(token, `${now}(address) view returns (uint256)`, [account]);
        expect(powers.get(account) ?? 0n, account).toBe(own);
      }
      expect([...powers.values()].some((votes) => votes > 0n)).toBe(true);
    });

    it(`${name}: at ten past blocks it is ${past}, and the ranking is the contract's`, async () => {
      const { token, sink } = of(name);
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
          const own = await chain.read(token, `${past}(address,uint256) view returns (uint256)`, [
            account,
            point,
          ]);
          expect(powers.get(account) ?? 0n, `${account} at ${block}`).toBe(own);
          owns.push([account, own as bigint]);
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
    const { sink } = of("BlockToken");
    for (const { blockNumber, blockTimeMs } of sink.events) {
      const header = (await chain.rpc("eth_getBlockByNumber", [`0x${blockNumber.toString(16)}`, false])) as {
        timestamp: string;
      };
      expect(blockTimeMs).toBe(Number(header.timestamp) * 1000);
    }
    expect(BLOCK_S).toBe(12);
  });
});
