import type { Account, TestChain } from "../../../support/chain/start-chain.ts";

const DELEGATE = "delegate(address)";
const NOBODY: Account = `0x${"0".repeat(40)}`;

/**
 * Everything that moves votes of an ERC-20 in the ways that indexers get wrong: no balance, oneself, a no-op, nobody,
 * transfers between delegators, many events in one transaction, burning.
 */
export async function liveTokenLife(chain: TestChain, token: Account): Promise<void> {
  const [a, b, c, d, e, f] = chain.accounts as readonly [
    Account,
    Account,
    Account,
    Account,
    Account,
    Account,
  ];
  const step = async (from: Account, signature: string, args: readonly unknown[]) =>
    chain.send(from, token, signature, args);
  await step(a, "mint(address,uint256)", [a, 1_000n]);
  await step(a, "mint(address,uint256)", [b, 300n]);
  await step(c, DELEGATE, [d]); // nothing to give: DelegateChanged alone
  await step(a, DELEGATE, [a]); // oneself
  await step(b, DELEGATE, [a]); // to another
  await step(b, DELEGATE, [a]); // a no-op
  await step(a, "transfer(address,uint256)", [c, 250n]); // moves power to d, who was never spoken of here
  await step(a, "transfer(address,uint256)", [a, 10n]); // to oneself
  await step(a, "transfer(address,uint256)", [b, 0n]); // nothing
  await step(b, DELEGATE, [e]);
  await step(b, "transfer(address,uint256)", [f, 300n]); // f delegates to nobody: power is gone
  await step(b, DELEGATE, [NOBODY]); // back to nobody, with no balance
  await step(c, "scatter(address[],uint256)", [[d, e, d], 20n]); // many events in one transaction
  await step(e, DELEGATE, [f]);
  await step(a, "burn(uint256)", [40n]);
  await step(f, DELEGATE, [f]);
  await step(a, DELEGATE, [NOBODY]);
  await step(f, "transfer(address,uint256)", [a, 1n]);
  await step(a, DELEGATE, [c]);
}

/** The same for a token in the old style, which has no burning and no scattering. */
export async function livePriorTokenLife(chain: TestChain, token: Account): Promise<void> {
  const [a, b, c, d] = chain.accounts as readonly [Account, Account, Account, Account];
  await chain.send(a, token, "mint(address,uint96)", [a, 1_000n]);
  await chain.send(c, token, DELEGATE, [d]);
  await chain.send(a, token, DELEGATE, [a]);
  await chain.send(a, token, "transfer(address,uint96)", [b, 400n]);
  await chain.send(b, token, DELEGATE, [a]);
  await chain.send(b, token, DELEGATE, [a]);
  await chain.send(b, token, "transfer(address,uint96)", [c, 150n]);
  await chain.send(a, token, DELEGATE, [NOBODY]);
  await chain.send(a, token, DELEGATE, [b]);
}

/** The same for items, of which each is one vote. */
export async function liveItemLife(chain: TestChain, token: Account): Promise<void> {
  const [a, b, c] = chain.accounts as readonly [Account, Account, Account];
  for (let id = 1; id <= 5; id += 1) await chain.send(a, token, "mint(address,uint256)", [a, BigInt(id)]);
  await chain.send(b, token, DELEGATE, [c]);
  await chain.send(a, token, DELEGATE, [b]);
  await chain.send(a, token, "transferFrom(address,address,uint256)", [a, b, 1n]);
  await chain.send(a, token, "transferFrom(address,address,uint256)", [a, c, 2n]);
  await chain.send(c, token, DELEGATE, [c]);
  await chain.send(a, token, DELEGATE, [a]);
}
