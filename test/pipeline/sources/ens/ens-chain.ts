import { namehash } from "ox/Ens";
import type { Hex } from "ox/Hex";
import { keepNames } from "../../../../pipeline/sources/ens/look-up-names.ts";
import { createNodeReader } from "../../../../pipeline/sources/ens/node-reader.ts";
import type { HttpClient } from "../../../../pipeline/sources/http/http-client.ts";
import { startChain, type TestChain } from "../../../support/chain/start-chain.ts";

export const REGISTRY: Hex = "0x00000000000c2e074ec69a0dfb2997ba6c7d2e1e";
export const RESOLVER: Hex = "0x0000000000000000000000000000000000002000";

/** What anvil says it serves. */
export const CHAIN_ID = 31_337;

/** The moods of `Names.sol`, in its order. */
const MOODS = ["honest", "offchain", "reverts", "burnsGas", "garbage", "megabyte", "nothing", "shy"] as const;
export type Mood = (typeof MOODS)[number];

/** What somebody says of an address: its name, whom the name leads to, and how each resolver behaves. */
export interface Claim {
  readonly address: string;
  readonly name: string;
  /** The address itself where nothing is given. */
  readonly leadsTo?: string;
  readonly reverseMood?: Mood;
  readonly forwardMood?: Mood;
}

export const reverseNode = (address: string): Hex => namehash(`${address.slice(2)}.addr.reverse`);

/** A name as a hasher sees it that normalises nothing; where even that refuses, a node nobody asks for. */
function forwardNode(name: string): Hex {
  try {
    return namehash(name);
  } catch {
    return namehash("unhashable.eth");
  }
}

/** An address that nobody else in the tests has. */
export const addressOf = (number: number): Hex => `0x${number.toString(16).padStart(40, "0")}`;

/** A chain with ENS, and nobody in it yet. */
export async function startEnsChain(): Promise<TestChain> {
  const chain = await startChain();
  const { code } = chain.contract("Names");
  for (const address of [REGISTRY, RESOLVER]) await chain.rpc("anvil_setCode", [address, code]);
  return chain;
}

/** Writes claims into the registry and the resolver. */
export async function claim(chain: TestChain, claims: readonly Claim[]): Promise<void> {
  const send = (to: Hex, signature: string, args: readonly unknown[]) =>
    chain.send(chain.accounts[0] ?? "0x", to, signature, args);
  const reverse = claims.map(({ address }) => reverseNode(address));
  const forward = claims.map(({ name }) => forwardNode(name));
  const names = claims.map(({ name }) => name);
  const owners = claims.map(({ address, leadsTo }) => leadsTo ?? address);
  await send(REGISTRY, "setResolvers(bytes32[],address)", [[...reverse, ...forward], RESOLVER]);
  await send(RESOLVER, "setNames(bytes32[],string[])", [reverse, names]);
  await send(RESOLVER, "setAddresses(bytes32[],address[])", [forward, owners]);
  for (const { address, name, reverseMood = "honest", forwardMood = "honest" } of claims) {
    for (const [node, mood] of [
      [reverseNode(address), reverseMood],
      [forwardNode(name), forwardMood],
    ] as const) {
      if (mood !== "honest") await send(RESOLVER, "setMood(bytes32,uint8)", [node, MOODS.indexOf(mood)]);
    }
  }
}

/** Whom ENS names through this door, what came of asking, and what went wrong first. */
export async function namesThrough(
  { http, url, chainId = CHAIN_ID }: { http: HttpClient; url: string; chainId?: number },
  addresses: readonly string[],
) {
  const names = new Map<string, string>();
  const reader = createNodeReader({ http, url, chainId });
  const keep = (address: string, name: string | undefined) => {
    if (name !== undefined) names.set(address, name);
  };
  const { trouble, ...counts } = await keepNames(reader, addresses, keep, () => {});
  return { names, counts, trouble };
}
