import { namehash } from "ox/Ens";
import type { Hex } from "ox/Hex";
import type { ContractCall } from "../governor/contract-calls.ts";
import { isRevert, type RpcOutcome } from "../governor/rpc.ts";

/** Asks contracts of one chain, many at a time; throws INTERRUPTED and nothing else. */
export interface ContractReader {
  /** The outcomes in the order of the questions. */
  read(reads: readonly ContractCall[]): Promise<readonly ReadOutcome[]>;
  /** The node has been given up; whatever is asked from now on is `unknown`. */
  isAway(): boolean;
  /** What went wrong first, fit to be shown; `undefined` where nothing did. */
  trouble(): string | undefined;
}

/**
 * What came of a question. `refused`: the contract reverted, is none, used up its gas, or said more than anybody asked;
 * that is an answer. `unknown`: the way to it failed, and nothing may be concluded.
 */
export type ReadOutcome =
  | { readonly kind: "answer"; readonly data: Hex }
  | { readonly kind: "refused" }
  | { readonly kind: "unknown" };

/** What a node's outcome of a call says of the question. */
export function readOutcomeOf(said: RpcOutcome): ReadOutcome {
  if (said.kind === "result") return outcomeOfAnswer(said.result);
  // CCIP-Read's `OffchainLookup` is a revert too, and is never followed: it names an address that an attacker chose.
  return isRevert(said.error) ? { kind: "refused" } : { kind: "unknown" };
}

/** `0x` and twice the bytes of the longest answer that is looked at; the longest name fits in a dozen times. */
const ANSWER_DIGITS_MAX = 2 + 2 * 4096;

/** An answer as it may be kept: what is no hex, empty or far longer than any name is none. */
export function outcomeOfAnswer(result: unknown): ReadOutcome {
  if (typeof result !== "string" || result.length > ANSWER_DIGITS_MAX) return { kind: "refused" };
  if (!/^0x(?:[0-9a-f]{2})+$/i.test(result)) return { kind: "refused" };
  return { kind: "answer", data: `0x${result.slice(2)}` };
}

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
export function askRegistry(name: string): ContractCall {
  return { to: REGISTRY, data: `${SELECTORS.resolver}${namehash(name).slice(2)}` };
}

/** Asks a resolver for the text or the address of a name. */
export function askResolver(to: Hex, record: "name" | "addr", name: string): ContractCall {
  return { to, data: `${SELECTORS[record]}${namehash(name).slice(2)}` };
}
