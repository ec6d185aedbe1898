import { namehash } from "ox/Ens";
import type { ContractRead, Hex } from "./contract-reader.ts";

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

/** Asks the registry for the resolver of a name. */
export function askRegistry(name: string): ContractRead {
  return { to: REGISTRY, data: `${SELECTORS.resolver}${namehash(name).slice(2)}` };
}

/** Asks a resolver for the text or the address of a name. */
export function askResolver(to: Hex, record: "name" | "addr", name: string): ContractRead {
  return { to, data: `${SELECTORS[record]}${namehash(name).slice(2)}` };
}
