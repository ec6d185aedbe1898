import * as AbiFunction from "ox/AbiFunction";
import { namehash } from "ox/Ens";
import { decodeAnswer, filledHex } from "../governor/contract-calls.ts";
import {
  hexQuantity,
  isRevert,
  type Rpc,
  type RpcCall,
  type RpcError,
  type RpcOutcome,
} from "../governor/rpc.ts";

/** `0x` and hex digits. */
export type Hex = `0x${string}`;

/** One question to a contract. */
export interface ContractRead {
  readonly to: Hex;
  readonly data: Hex;
}

/**
 * What came of a question. `refused`: the contract reverted, is none, used up its gas, or said more than anybody asked;
 * that is an answer. `unknown`: the way to it failed, and nothing may be concluded.
 */
export type ReadOutcome =
  | { readonly kind: "answer"; readonly data: Hex }
  | { readonly kind: "refused" }
  | { readonly kind: "unknown" };

/** Asks contracts of one chain, many at a time; throws INTERRUPTED and nothing else. */
export interface ContractReader {
  /** The outcomes in the order of the questions. */
  read(reads: readonly ContractRead[]): Promise<readonly ReadOutcome[]>;
  /** The node has been given up; whatever is asked from now on is `unknown`. */
  isAway(): boolean;
  /** What went wrong first, fit to be shown; `undefined` where nothing did. */
  trouble(): string | undefined;
}

/**
 * What one contract may use up. Asking ENS costs some 50,000; ten times as much is left to a resolver with ideas of its
 * own. It also bounds answers: memory costs gas, and this buys less than half a megabyte.
 */
const READ_GAS = 500_000;

/** `0x` and twice the bytes of the longest answer that is looked at; the longest name fits in a dozen times. */
const ANSWER_DIGITS_MAX = 2 + 2 * 4096;

/** A call of one contract, at the latest block: names are as of now. */
export function ethCall({ to, data }: ContractRead, gas: number): RpcCall {
  return { method: "eth_call", params: [{ to, data, gas: hexQuantity(gas) }, "latest"] };
}

/** Asks contracts one call each, in one request where the node takes batches. Throws where no request got through. */
export async function readSingly(
  rpc: Rpc,
  reads: readonly ContractRead[],
): Promise<{ readonly outcomes: readonly ReadOutcome[]; readonly refusal: RpcError | undefined }> {
  const said = await rpc.callMany(reads.map((read) => ethCall(read, READ_GAS)));
  const refusals = said.flatMap((one) => (one.kind === "refused" && !isRevert(one.error) ? [one.error] : []));
  return { outcomes: said.map(outcomeOf), refusal: refusals[0] };
}

function outcomeOf(said: RpcOutcome): ReadOutcome {
  if (said.kind === "result") return answerOutcome(said.result);
  // CCIP-Read's `OffchainLookup` is a revert too, and is never followed: it names an address that an attacker chose.
  return isRevert(said.error) ? { kind: "refused" } : { kind: "unknown" };
}

/** An answer as it may be kept: what is no hex, empty or far longer than any name is none. */
export function answerOutcome(result: unknown): ReadOutcome {
  if (typeof result !== "string" || result.length > ANSWER_DIGITS_MAX) return { kind: "refused" };
  if (!/^0x(?:[0-9a-f]{2})+$/i.test(result)) return { kind: "refused" };
  return { kind: "answer", data: `0x${result.slice(2)}` };
}

/** Multicall3, at the same address on nearly every chain. */
const MULTICALL: Hex = "0xca11bde05977b3631167028862be2a173976ca11";

const AGGREGATE = AbiFunction.from(
  "function aggregate3((address target, bool allowFailure, bytes callData)[] calls) returns ((bool success, bytes returnData)[] returnData)",
);

/** Half of what Geth grants a call by default, and five times what a hundred plain answers cost. */
const AGGREGATE_GAS = 25_000_000;

/** What Multicall3 says of one of the calls it was given. */
export interface AggregatedAnswer {
  readonly success: boolean;
  readonly returnData: Hex;
}

/** One call of a node that asks many contracts. */
export function aggregateCall(reads: readonly ContractRead[]): RpcCall {
  const calls = reads.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }));
  return ethCall({ to: MULTICALL, data: AbiFunction.encodeData(AGGREGATE, [calls]) }, AGGREGATE_GAS);
}

/** The answers to so many calls; `undefined` where something else than Multicall3 has answered. */
export function decodeAggregate(result: unknown, count: number): readonly AggregatedAnswer[] | undefined {
  const answers = decodeAnswer(AGGREGATE, filledHex(result));
  return answers?.length === count ? answers : undefined;
}

/**
 * Which answers may be believed, and which questions are to be asked again: those that failed, alone, as another one may
 * have burnt their gas; and those after a failure, as they may have had too little of it left to say all they would.
 */
export function sortAnswers(
  reads: readonly ContractRead[],
  answers: readonly AggregatedAnswer[],
): {
  readonly known: Map<ContractRead, ReadOutcome>;
  readonly failed: readonly ContractRead[];
  readonly late: readonly ContractRead[];
} {
  const known = new Map<ContractRead, ReadOutcome>();
  const failed: ContractRead[] = [];
  const late: ContractRead[] = [];
  for (const [index, read] of reads.entries()) {
    const answer = answers[index];
    if (answer?.success !== true) failed.push(read);
    else if (failed.length > 0) late.push(read);
    else known.set(read, answerOutcome(answer.returnData));
  }
  return { known, failed, late };
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
export function askRegistry(name: string): ContractRead {
  return { to: REGISTRY, data: `${SELECTORS.resolver}${namehash(name).slice(2)}` };
}

/** Asks a resolver for the text or the address of a name. */
export function askResolver(to: Hex, record: "name" | "addr", name: string): ContractRead {
  return { to, data: `${SELECTORS[record]}${namehash(name).slice(2)}` };
}
