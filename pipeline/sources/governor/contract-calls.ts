import * as AbiFunction from "ox/AbiFunction";
import type { Hex } from "ox/Hex";
import type { ChainBlock } from "./blocks.ts";
import { GOVERNOR_LIMITS, isRevert, type Rpc, RpcError } from "./rpc.ts";

/** A read of a contract. */
export interface ContractCall {
  readonly to: string;
  readonly data: Hex;
}

/** What a contract answered; `undefined` where it has no such function or refused. */
export type ContractAnswer = Hex | undefined;

/** Reads contracts one call after the other; a revert is an answer, any other refusal throws `RpcError`. */
export async function callContracts(
  rpc: Rpc,
  calls: readonly ContractCall[],
  block: string,
): Promise<ContractAnswer[]> {
  const outcomes = await rpc.callMany(calls.map((call) => ({ method: "eth_call", params: [call, block] })));
  return outcomes.map((outcome) => {
    if (outcome.kind === "result") return filledHex(outcome.result);
    if (isRevert(outcome.error)) return undefined;
    throw outcome.error;
  });
}

/** An address without code, and a contract with an empty fallback, answer with nothing. */
export function filledHex(value: unknown): ContractAnswer {
  return typeof value === "string" && /^0x(?:[0-9a-fA-F]{2})+$/.test(value)
    ? `0x${value.slice(2)}`
    : undefined;
}

/** Decodes a contract's answer; `undefined` for no answer and for one of another form. */
export function decodeAnswer<Item extends AbiFunction.AbiFunction>(
  item: Item,
  answer: ContractAnswer,
): AbiFunction.decodeResult.ReturnType<Item> | undefined {
  if (answer === undefined) return undefined;
  try {
    return AbiFunction.decodeResult(item, answer);
  } catch {
    // Any contract may stand at an address; what does not decode is as good as no answer.
    return undefined;
  }
}

/** Multicall3, at the same address on nearly every chain. */
const MULTICALL = "0xca11bde05977b3631167028862be2a173976ca11";
const AGGREGATE = AbiFunction.from(
  "function aggregate3((address target, bool allowFailure, bytes callData)[] calls) returns ((bool success, bytes returnData)[] returnData)",
);

/** The call of Multicall3 that makes these calls. */
export function encodeAggregate(calls: readonly ContractCall[]): ContractCall {
  const targets = calls.map(
    ({ to, data }) => ({ target: `0x${to.slice(2)}`, allowFailure: true, callData: data }) as const,
  );
  return { to: MULTICALL, data: AbiFunction.encodeData(AGGREGATE, [targets]) };
}

/** What Multicall3 says of each of so many calls; `undefined` where something else has answered. */
export function decodeAggregate(
  answer: unknown,
  count: number,
): readonly { readonly success: boolean; readonly returnData: Hex }[] | undefined {
  const results = decodeAnswer(AGGREGATE, filledHex(answer));
  return results?.length === count ? results : undefined;
}

/** Reads many contracts at once. The answers stand in the order of the calls. */
export type AggregateCalls = (calls: readonly ContractCall[], block: string) => Promise<ContractAnswer[]>;

/**
 * Reads through Multicall3 where its code is there and it says of the first call what the contract says itself;
 * anywhere else the calls go out one by one.
 */
export function createAggregateCalls(rpc: Rpc): AggregateCalls {
  let hasCode: boolean | undefined;
  return async (calls, block) => {
    if (calls.length < 2) return callContracts(rpc, calls, block);
    hasCode ??= filledHex(await rpc.call("eth_getCode", [MULTICALL, "latest"])) !== undefined;
    if (!hasCode) return callContracts(rpc, calls, block);
    const answers: ContractAnswer[] = [];
    for (let from = 0; from < calls.length; from += GOVERNOR_LIMITS.callsPerAggregateMax) {
      const part = calls.slice(from, from + GOVERNOR_LIMITS.callsPerAggregateMax);
      const together = await aggregate(rpc, part, block);
      // Whatever stands at that address, one call asked directly tells whether it can be believed.
      const [direct] = await callContracts(rpc, part.slice(0, 1), block);
      const isBelieved = together !== undefined && together[0] === direct;
      if (!isBelieved) hasCode = false;
      answers.push(...(isBelieved ? together : await callContracts(rpc, part, block)));
    }
    return answers;
  };
}

async function aggregate(
  rpc: Rpc,
  calls: readonly ContractCall[],
  block: string,
): Promise<ContractAnswer[] | undefined> {
  try {
    const [answer] = await callContracts(rpc, [encodeAggregate(calls)], block);
    const results = decodeAggregate(answer, calls.length);
    return results?.map(({ success, returnData }) => (success ? filledHex(returnData) : undefined));
  } catch (error) {
    if (error instanceof RpcError) return undefined;
    throw error;
  }
}

/** What a contract counts time in; `unknown` is a clock that is not this chain's own. */
export type ContractClock = "blocknumber" | "timestamp" | "unknown";

const CLOCK_MODE = AbiFunction.from("function CLOCK_MODE() view returns (string)");

/** Arbitrum One and Nova: in a contract `block.number` is there the number of a block of Ethereum. */
const CHAINS_OF_FOREIGN_BLOCKS: ReadonlySet<number> = new Set([42_161, 42_170]);

/** Asks a contract for its clock (ERC-6372). One that says nothing counts blocks, as all did before that standard. */
export async function readClock(rpc: Rpc, contract: string, chainId: number): Promise<ContractClock> {
  const call = { to: contract, data: AbiFunction.encodeData(CLOCK_MODE) };
  const [answer] = await callContracts(rpc, [call], "latest");
  return parseClock(decodeAnswer(CLOCK_MODE, answer) ?? "mode=blocknumber", chainId);
}

/** Reads the words of `CLOCK_MODE()`: a query string, of which `from` may name another chain's blocks. */
export function parseClock(mode: string, chainId: number): ContractClock {
  const words = new URLSearchParams(mode);
  if (words.get("mode") === "timestamp") return "timestamp";
  const from = words.get("from") ?? "default";
  const isOwnChain =
    from === "default" ? !CHAINS_OF_FOREIGN_BLOCKS.has(chainId) : from === `eip155:${chainId}`;
  return words.get("mode") === "blocknumber" && isOwnChain ? "blocknumber" : "unknown";
}

/** Where a block stands in a contract's clock; `undefined` for a clock that we cannot read. */
export function timepointOf(block: ChainBlock, clock: ContractClock): bigint | undefined {
  if (clock === "unknown") return undefined;
  return BigInt(clock === "timestamp" ? block.timeMs / 1000 : block.number);
}
