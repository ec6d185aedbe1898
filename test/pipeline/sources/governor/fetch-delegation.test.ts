import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DaoFacts } from "../../../../pipeline/facts/dao-facts.ts";
import { createDelegateHistory } from "../../../../pipeline/score/delegates/delegate-history.ts";
import { createDelegationReplay } from "../../../../pipeline/score/delegates/trace-delegations.ts";
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
import type { MemorySink } from "../memory-sink.ts";
import { blockTimeS, fetchGoverned, governedToken } from "./governed-stage.ts";
import { liveItemLife, livePriorTokenLife, liveTokenLife } from "./token-life.ts";

const PLAIN = { kind: "erc20votes", clock: "blocknumber", now: "getVotes", past: "getPastVotes" } as const;
const TOKENS = [
  { ...PLAIN, name: "BlockToken", live: liveTokenLife },
  { ...PLAIN, name: "TimeToken", live: liveTokenLife, clock: "timestamp" },
  { ...PLAIN, name: "ItemToken", live: liveItemLife, kind: "erc721votes" },
  {
    ...PLAIN,
    name: "PriorToken",
    live: livePriorTokenLife,
    now: "getCurrentVotes",
    past: "getPriorVotes",
  },
] as const;
const NOBODY = `0x${"0".repeat(40)}`;
/** Between two steps of the token's life: on some days two things happen, on others one, and on some none. */
const PAUSES_S = [50_000, 20_000, 200_000];

describeOnChain("delegation on a real chain", () => {
  let chain: TestChain;
  beforeAll(async () => {
    chain = await startChain();
  });
  afterAll(() => chain.close());

  describe.each(TOKENS)("$name", ({ name, kind, clock, live, now, past }) => {
    let token: Account;
    let sink: MemorySink;
    beforeAll(async () => {
      token = await chain.deploy(name);
      const firstBlock = await chain.head();
      await live(chain, token);
      await chain.mine(FINALIZED_BEHIND + 1);
      sink = await fetchGoverned(chain, governedToken(token, firstBlock, { kind, clock, decimals: 0 }));
    });

    const powersUpTo = (block: number) => {
      const replay = createDelegationReplay(false);
      for (const event of sink.events) if (event.blockNumber <= block) replay.apply(event);
      return new Map(replay.delegates().map(({ address, votes }) => [address, votes]));
    };
    const expectPowers = async (block: number, call: string, ...timepoint: readonly bigint[]) => {
      const powers = powersUpTo(block);
      for (const account of chain.accounts) {
        const votes = await chain.read(token, `${call} view returns (uint256)`, [account, ...timepoint]);
        expect(powers.get(account) ?? 0n, `${account} at ${block}`).toBe(votes);
      }
    };

    it(`nothing is rejected, and rebuilt power is ${now} for every account`, async () => {
      expect(sink.rejections).toEqual([]);
      await expectPowers(Infinity, `${now}(address)`);
      expect([...powersUpTo(Infinity).values()].some((votes) => votes > 0n)).toBe(true);
    });

    it(`at ten past blocks it is ${past}, and every event has its block's exact time`, async () => {
      const newest = sink.events.at(-1)?.blockNumber ?? 0;
      const blocks = Array.from({ length: 10 }, (_, index) => newest - index);
      for (const block of blocks) {
        const timepoint = clock === "timestamp" ? await blockTimeS(chain, block) : block;
        await expectPowers(block, `${past}(address,uint256)`, BigInt(timepoint));
      }
      // Of an old token's first blocks a contract that is not there yet says nothing.
      expect(sink.events.filter(({ blockNumber }) => blocks.includes(blockNumber)).length).toBeGreaterThan(8);
      for (const { blockNumber, blockTimeMs } of sink.events)
        expect(blockTimeMs).toBe((await blockTimeS(chain, blockNumber)) * 1000);
    });
  });

  describe("the listing of a token's delegates", () => {
    let token: Account;
    let firstBlock: number;
    beforeAll(async () => {
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

    /** By address: power and delegators with a balance, as the contract says at the end of a block. */
    const ownListing = async (block: number) => {
      const readAt = (signature: string, args: readonly unknown[]) =>
        chain.read(token, signature, args, block);
      const listing = new Map<string, { votes: bigint; delegatorsCount: number }>();
      for (const account of chain.accounts) {
        const past = "getPastVotes(address,uint256) view returns (uint256)";
        const votes = (await chain.read(token, past, [account, BigInt(block)])) as bigint;
        if (votes > 0n) listing.set(account, { votes, delegatorsCount: 0 });
      }
      for (const account of chain.accounts) {
        const delegate = (await readAt("delegates(address) view returns (address)", [account])) as string;
        const balance = await readAt("balanceOf(address) view returns (uint256)", [account]);
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
        const listed = delegates.map(
          ({ address, votes, delegatorsCount }) => [address as string, { votes, delegatorsCount }] as const,
        );
        expect(new Map(listed), date).toEqual(await ownListing(block?.number ?? 0));
        const votes = delegates.map((delegate) => delegate.votes);
        expect(votes, date).toEqual([...votes].sort((x, y) => (x < y ? 1 : x > y ? -1 : 0)));
        expect(total).toBe(votes.reduce((sum, one) => sum + one, 0n));
        expect(decimals).toBe(6);
      }
    });
  });
});
