import type { GovernorToken } from "../../../pipeline/facts/tracked.ts";
import type { Account, TestChain } from "./start-chain.ts";

const TOKEN = 10n ** 18n;
const PROPOSE = "propose(address[],uint256[],bytes[],string) returns (uint256)";
const CAST = "castVoteWithReason(uint256,uint8,string) returns (uint256)";

/**
 * Deploys a token with three delegates, and its governor with three proposals of two votes each, all ended and finalized.
 * Returns the registry's entry for them.
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

/** Makes one proposal without effect and casts the votes on it: for, then against. */
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
  // A call without a transaction returns the proposal's future number.
  const id = await chain.read(governor, PROPOSE, [...action, title]);
  await chain.send(proposer, governor, PROPOSE, [...action, title]);
  await chain.mine(3);
  for (const [index, voter] of voters.entries()) {
    await chain.send(voter, governor, CAST, [id, index === 0 ? 1 : 0, index === 0 ? "yes" : ""]);
  }
}
