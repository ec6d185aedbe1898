import type { GovernorToken } from "../../../pipeline/facts/delegation.ts";
import type { Account, TestChain } from "./start-chain.ts";

const TOKEN = 10n ** 18n;
const PROPOSE = "propose(address[],uint256[],bytes[],string) returns (uint256)";
const CAST = "castVoteWithReason(uint256,uint8,string) returns (uint256)";

/**
 * A token with three delegates, and a governor of it with three proposals of two votes each, all over and finalized.
 * Answers the entry that a registry has for them.
 */
export async function governedDao(chain: TestChain): Promise<GovernorToken> {
  const [a, b, c] = chain.accounts as readonly [Account, Account, Account];
  const token = await chain.deploy("BlockToken");
  const firstBlock = await chain.head();
  const governor = await chain.deploy("FractionalGovernor", [token]);
  for (const [account, amount] of [
    [a, 10n],
    [b, 5n],
    [c, 3n],
  ] as const) {
    await chain.send(a, token, "mint(address,uint256)", [account, amount * TOKEN]);
    await chain.send(account, token, "delegate(address)", [account]);
  }
  for (const [number, title] of ["Raise the fee", "Lower the fee", "Leave the fee"].entries()) {
    await proposeAndVote(chain, { token, governor, title, voters: number === 1 ? [b, c] : [a, b] });
  }
  await chain.mine(66);
  return {
    chainId: 31_337,
    token,
    kind: "erc20votes",
    decimals: 18,
    clock: "blocknumber",
    isSelfByDefault: false,
    firstBlock,
    governor,
  };
}

/** One proposal that calls nothing of weight, and the votes on it: for, then against. */
export async function proposeAndVote(
  chain: TestChain,
  input: {
    readonly token: Account;
    readonly governor: Account;
    readonly title: string;
    readonly voters: readonly Account[];
  },
): Promise<void> {
  const { token, governor, title, voters } = input;
  const action = [[token], [0n], ["0x06fdde03"]] as const;
  const [proposer] = chain.accounts;
  if (proposer === undefined) throw new Error("the chain has no accounts");
  // A call that changes nothing tells the number it would get.
  const id = await chain.read(governor, PROPOSE, [...action, title]);
  await chain.send(proposer, governor, PROPOSE, [...action, title]);
  await chain.mine(3);
  for (const [place, voter] of voters.entries()) {
    await chain.send(voter, governor, CAST, [id, place === 0 ? 1 : 0, place === 0 ? "yes" : ""]);
  }
}
