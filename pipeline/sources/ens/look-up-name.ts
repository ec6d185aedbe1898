import { namehash } from "ox/Ens";
import { decodeAddress, decodeText } from "./decode-answer.ts";
import { type EthCall, type Hex, isRevert } from "./eth-call.ts";
import { normalName } from "./normal-name.ts";

/** The ENS registry, at this address on Ethereum's mainnet and its test networks. */
const REGISTRY: Hex = "0x00000000000c2e074ec69a0dfb2997ba6c7d2e1e";

/** First four bytes of the hash of each function's signature. */
const SELECTORS = {
  /** `resolver(bytes32)` of the registry. */
  resolver: "0x0178b8bf",
  /** `name(bytes32)` of a resolver. */
  name: "0x691f3431",
  /** `addr(bytes32)` of a resolver. */
  addr: "0x3b3b57de",
} as const;

/**
 * The name that an address claims and that leads back to it; `undefined` where there is none. Throws only when a call
 * did not get through, for then nothing is known. A name must have a resolver of its own: a parent's wildcard
 * (ENSIP-10) is not asked, as nearly all of them answer by CCIP-Read.
 */
export async function lookUpName(call: EthCall, address: string): Promise<string | undefined> {
  const claimed = decodeText(await askResolver(call, `${address.slice(2)}.addr.reverse`, SELECTORS.name));
  const name = claimed === undefined ? undefined : normalName(claimed);
  if (name === undefined) return undefined;
  const owner = decodeAddress(await askResolver(call, name, SELECTORS.addr));
  return owner === address ? name : undefined;
}

/** What the resolver of `name` says; nothing where the registry knows none or the resolver refuses. */
async function askResolver(call: EthCall, name: string, selector: Hex): Promise<string> {
  const node = namehash(name).slice(2);
  const resolver = decodeAddress(await ask(call, REGISTRY, `${SELECTORS.resolver}${node}`));
  return resolver === undefined ? "" : ask(call, resolver, `${selector}${node}`);
}

async function ask(call: EthCall, to: Hex, data: Hex): Promise<string> {
  try {
    return await call(to, data);
  } catch (error) {
    if (isRevert(error)) return "";
    throw error;
  }
}
