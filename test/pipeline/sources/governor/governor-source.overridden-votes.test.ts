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
import { type Governed, proposalOf, voteOf } from "./governed.ts";
import { fetchGoverned, governedToken } from "./governed-token.ts";

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
