import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Account,
  FINALIZED_BEHIND,
  startChain,
  type TestChain,
} from "../../../support/chain/start-chain.ts";
import { describeOnChain } from "../../../support/chain/with-chain.ts";
import { createFetchLedger } from "./fetch-ledger.ts";
import {
  blockTimeS,
  fetchGoverned,
  type Governed,
  governedToken,
  proposalOf,
  proposeNothing,
  voteOf,
} from "./governed-stage.ts";

const TOKEN = 10n ** 18n;
const PROPOSE = "propose(uint256,uint256,uint256,string)";
const ARBITRUM_ONE = 42_161;

describeOnChain("governors of every style on a real chain", () => {
  let chain: TestChain;
  let a: Account;
  let b: Account;
  let c: Account;
  let d: Account;
  beforeAll(async () => {
    chain = await startChain();
    [a, b, c, d] = chain.accounts as [Account, Account, Account, Account];
  });
  afterAll(() => chain.close());

  /** A token in the old style, and one that emits a governor's events as it is told. */
  const deploy = async (emitter: string, tokenName = "PriorToken") => {
    const token = await chain.deploy(tokenName);
    const firstBlock = await chain.head();
    const governor = await chain.deploy(emitter);
    const send = (from: Account, signature: string, args: readonly unknown[]) =>
      chain.send(from, governor, signature, args);
    return { token, governor, firstBlock, send, start: BigInt(await chain.head()) + 1n };
  };
  const single = (option: number) => ({ kind: "single", option });

  it("reads a governor in the style of Alpha: nothing indexed, no reasons, its own topic for votes", async () => {
    const { token, governor, firstBlock, send, start } = await deploy("AlphaEmitter");
    const end = start + 6n;
    await send(a, PROPOSE, [1n, start, end, "Set a fee"]);
    await send(a, PROPOSE, [2n, start, end, ""]);
    await send(a, "vote(uint256,bool,uint256)", [1n, true, 3n * TOKEN]);
    await send(b, "vote(uint256,bool,uint256)", [1n, false, TOKEN / 2n]);
    await send(a, "vote(uint256,bool,uint256)", [99n, true, TOKEN]);
    await send(a, "extend(uint256,uint64)", [1n, end + 2n]);
    await send(a, "cancel(uint256)", [2n]);
    await chain.mine(6);
    await send(a, "execute(uint256)", [1n]);
    await chain.mine(FINALIZED_BEHIND);
    const sink = await fetchGoverned(chain, governedToken(token, firstBlock, { governor }));
    const governed = { sink, ids: { fee: "1", empty: "2" } };
    expect(proposalOf(governed, "fee")).toMatchObject({
      title: "Set a fee",
      author: a,
      start: { atMs: (await blockTimeS(chain, start)) * 1000 },
      end: { atMs: (await blockTimeS(chain, end + 2n)) * 1000 },
      state: "closed",
      quorum: 7,
      quorumPower: 3,
      scoresTotal: 3.5,
      votesCount: 2,
      votingType: "basic",
    });
    expect(proposalOf(governed, "empty")).toMatchObject({ title: undefined, state: "cancelled" });
    const ofA = { power: 3, choice: single(1), isReasonKnown: false };
    expect(voteOf(governed, "fee", a)).toMatchObject(ofA);
    expect(voteOf(governed, "fee", b)).toMatchObject({ power: 0.5, choice: single(2) });
    expect(sink.rejections.map(({ code }) => code)).toEqual(["PROPOSAL_UNKNOWN"]);
  });

  it("reads a governor in the style of Bravo, and holds its own count against the logs", async () => {
    const { token, governor, firstBlock, send, start } = await deploy("BravoEmitter");
    const vote = "vote(uint256,uint8,uint256,string)";
    await send(a, PROPOSE, [7n, start, start + 5n, "One"]);
    await send(a, vote, [7n, 1, 2n * TOKEN, "yes"]);
    await send(b, vote, [7n, 0, 0n, "  "]);
    await send(c, vote, [7n, 9, TOKEN, ""]);
    await send(a, "miscount(uint256)", [7n]);
    await chain.mine(5 + FINALIZED_BEHIND);
    const sink = await fetchGoverned(chain, governedToken(token, firstBlock, { governor }));
    const governed = { sink, ids: { one: "7" } };
    const counted = { quorum: 9, quorumPower: 3, scoresTotal: 4, votesCount: 3, state: "closed" };
    expect(proposalOf(governed, "one")).toMatchObject(counted);
    const ofB = { power: 0, choice: single(2), isReasonGiven: false };
    expect(voteOf(governed, "one", b)).toMatchObject(ofB);
    expect(voteOf(governed, "one", c)).toMatchObject({ power: 1, choice: { kind: "unreadable" } });
    expect(sink.rejections.map(({ code }) => code)).toEqual(["CHOICE_UNREADABLE"]);
  });

  describe("a governor whose delegators may override their delegates", () => {
    let governed: Governed;
    let counted: readonly bigint[];
    beforeAll(async () => {
      const token = await chain.deploy("ExtendedToken");
      const firstBlock = await chain.head();
      const governor = await chain.deploy("OverridableGovernor", [token]);
      // a speaks for a, b and c; d for nobody but d.
      for (const [account, amount, delegate] of [
        [a, 10n, a],
        [b, 5n, a],
        [c, 3n, a],
        [d, 2n, d],
      ] as const) {
        await chain.send(a, token, "mint(address,uint256)", [account, amount]);
        await chain.send(account, token, "delegate(address)", [delegate]);
      }
      const id = await proposeNothing(chain, { token, governor, text: "Override me" });
      await chain.mine(2);
      const override = "castOverrideVote(uint256,uint8,string) returns (uint256)";
      const vote = "castVote(uint256,uint8) returns (uint256)";
      await chain.send(b, governor, override, [id, 0, "before"]); // before the delegate votes
      await chain.send(a, governor, vote, [id, 1]);
      await chain.send(c, governor, override, [id, 2, ""]); // after it: taken from the delegate's vote
      await chain.send(d, governor, vote, [id, 1]);
      await chain.send(d, governor, override, [id, 0, "changed"]); // over one's own head
      await chain.mine(40 + FINALIZED_BEHIND);
      const votes = "proposalVotes(uint256) view returns (uint256, uint256, uint256)";
      counted = (await chain.read(governor, votes, [id])) as bigint[];
      const entry = governedToken(token, firstBlock, { governor, decimals: 0 });
      governed = { sink: await fetchGoverned(chain, entry), ids: { one: id.toString() } };
    });

    it("counts what the governor counts, and rejects nothing", () => {
      expect(counted).toEqual([7n, 10n, 3n]);
      expect(governed.sink.rejections).toEqual([]);
      const proposal = { scoresTotal: 20, votesCount: 4, votingType: "basic" };
      expect(proposalOf(governed, "one")).toMatchObject(proposal);
    });

    it.each([
      [0, 10, 1, "a delegate's vote without what was taken back before and after it"],
      [1, 5, 2, "an override before the delegate's vote"],
      [2, 3, 3, "an override after it"],
      [3, 2, 2, "an own vote that was overridden by oneself"],
    ])("account %i: %i for option %i, %s", (index, power, option) => {
      const vote = voteOf(governed, "one", chain.accounts[index] as Account);
      expect(vote).toMatchObject({ power, choice: single(option) });
    });
  });

  it.each([
    ["PriorToken", "mint(address,uint96)", "no word of a clock"],
    ["BlockToken", "mint(address,uint256)", "the words for its block number"],
  ])(
    "of a chain that counts another's blocks, %s, %s: says once that power is not compared and that a vote has no time",
    async (name, mint) => {
      const { token, governor, firstBlock, send } = await deploy("AlphaEmitter", name);
      await chain.send(a, token, mint, [a, 9n]);
      await chain.send(a, token, "delegate(address)", [a]);
      // Block numbers of Ethereum are far ahead of this chain's, or far behind.
      await send(a, PROPOSE, [1n, 5n, 9n, "Elsewhere"]);
      await send(a, "vote(uint256,bool,uint256)", [1n, true, 9n]);
      await send(a, "execute(uint256)", [1n]);
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
        const unknown = { state: "closed", start: undefined, end: undefined };
        expect(ledger.facts(registered).proposals).toMatchObject([unknown]);
      }
      await chain.rpc("anvil_setChainId", [31_337]);
    },
  );
});
