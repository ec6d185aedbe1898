import { keccak256 } from "ox/Hash";
import { fromString } from "ox/Hex";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type Account,
  FINALIZED_BEHIND,
  startChain,
  type TestChain,
} from "../../../support/chain/start-chain.ts";
import { describeOnChain } from "../../../support/chain/with-chain.ts";
import { createFetchLedger } from "./fetch-ledger.ts";
import { fetchGoverned, type Governed, governedToken, proposalOf, voteOf } from "./governed-stage.ts";

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
      quorumPower: 3,
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
      quorumPower: 3,
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

const PROPOSE = "propose(address[],uint256[],bytes[],string) returns (uint256)";
const OVERRIDE = "castOverrideVote(uint256,uint8,string) returns (uint256)";
const VOTE = "castVote(uint256,uint8) returns (uint256)";

describeOnChain("a governor whose delegators may override their delegates", () => {
  let chain: TestChain;
  let governed: Governed;
  let counted: readonly bigint[];
  beforeAll(async () => {
    chain = await startChain();
    const [a, b, c, d] = chain.accounts as [Account, Account, Account, Account];
    const token = await chain.deploy("ExtendedToken");
    const firstBlock = await chain.head();
    const address = await chain.deploy("OverridableGovernor", [token]);
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
    await chain.send(a, address, PROPOSE, [[token], [0n], ["0x06fdde03"], "Override me"]);
    const id = (await chain.read(
      address,
      "hashProposal(address[],uint256[],bytes[],bytes32) view returns (uint256)",
      [[token], [0n], ["0x06fdde03"], keccak256(fromString("Override me"))],
    )) as bigint;
    await chain.mine(2);
    await chain.send(b, address, OVERRIDE, [id, 0, "before"]); // before the delegate votes
    await chain.send(a, address, VOTE, [id, 1]);
    await chain.send(c, address, OVERRIDE, [id, 2, ""]); // after it: taken from the delegate's vote
    await chain.send(d, address, VOTE, [id, 1]);
    await chain.send(d, address, OVERRIDE, [id, 0, "changed"]); // over one's own head
    await chain.mine(40 + FINALIZED_BEHIND);
    counted = (await chain.read(address, "proposalVotes(uint256) view returns (uint256, uint256, uint256)", [
      id,
    ])) as bigint[];
    const governor = governedToken(token, firstBlock, { governor: address, decimals: 0 });
    governed = { sink: await fetchGoverned(chain, governor), ids: { one: id.toString() } };
  });
  afterAll(() => chain.close());

  it("counts what the governor counts, and rejects nothing", () => {
    expect(counted).toEqual([7n, 10n, 3n]);
    expect(governed.sink.rejections).toEqual([]);
    expect(proposalOf(governed, "one")).toMatchObject({
      scoresTotal: 20,
      votesCount: 4,
      votingType: "basic",
    });
    const powers = [...(governed.sink.ballots[0]?.powers ?? [])];
    expect(powers.reduce((sum, power) => sum + power, 0)).toBe(20);
  });

  it.each([
    [0, 10, 1, "a delegate's vote without what was taken back before and after it"],
    [1, 5, 2, "an override before the delegate's vote"],
    [2, 3, 3, "an override after it"],
    [3, 2, 2, "an own vote that was overridden by oneself"],
  ])("account %i: %i for option %i, %s", (index, power, option) => {
    expect(voteOf(governed, "one", chain.accounts[index] as Account)).toMatchObject({
      power,
      choice: { kind: "single", option },
    });
  });
});

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
    const author = chain.accounts[0] as Account;
    const token = await chain.deploy(name);
    const firstBlock = await chain.head();
    const governor = await chain.deploy("AlphaEmitter");
    await chain.send(author, token, mint, [author, 9n]);
    await chain.send(author, token, "delegate(address)", [author]);
    // Block numbers of Ethereum are far ahead of this chain's, or far behind.
    const args = [1n, 5n, 9n, "Elsewhere"];
    await chain.send(author, governor, "propose(uint256,uint256,uint256,string)", args);
    await chain.send(author, governor, "vote(uint256,bool,uint256)", [1n, true, 9n]);
    await chain.send(author, governor, "execute(uint256)", [1n]);
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
