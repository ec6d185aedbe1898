import * as AbiFunction from "ox/AbiFunction";
import type { Hex } from "ox/Hex";
import { inBatches } from "../../../snapshots/base/concurrency.ts";
import type { ChainBlock } from "./blocks.ts";
import { GOVERNOR_LIMITS, isRevert, isRpcRefusal, type Rpc } from "./rpc.ts";

export interface ContractCall {
  readonly to: string;
  readonly data: Hex;
}

/** What a contract returned; `undefined` if it reverted or has no such function. */
export type ContractAnswer = Hex | undefined;

/** Calls contracts as of the latest block. A revert counts as an answer; any other refusal throws `RpcRefusal`. */
export async function callContracts(rpc: Rpc, calls: readonly ContractCall[]): Promise<ContractAnswer[]> {
  const outcomes = await rpc.callMany(
    calls.map((call) => ({ method: "eth_call", params: [call, "latest"] })),
  );
  return outcomes.map((outcome) => {
    if (outcome.kind === "result") return filledHex(outcome.result);
    if (isRevert(outcome.error.data)) return undefined;
    throw outcome.error;
  });
}

/** Non-empty hex. An address without code and a contract with an empty fallback return nothing. */
export function filledHex(value: unknown): ContractAnswer {
  return typeof value === "string" && /^0x(?:[0-9a-fA-F]{2})+$/.test(value)
    ? `0x${value.slice(2)}`
    : undefined;
}

export function decodeAnswer<Item extends AbiFunction.AbiFunction>(
  item: Item,
  answer: ContractAnswer,
): AbiFunction.decodeResult.ReturnType<Item> | undefined {
  if (answer === undefined) return undefined;
  try {
    return AbiFunction.decodeResult(item, answer);
  } catch {
    // Any contract may be at an address; an answer that does not decode counts as none.
    return undefined;
  }
}

/** Multicall3, at the same address on nearly every chain. */
const MULTICALL = "0xca11bde05977b3631167028862be2a173976ca11";
const AGGREGATE = AbiFunction.from(
  "function aggregate3((address target, bool allowFailure, bytes callData)[] calls) returns ((bool success, bytes returnData)[] returnData)",
);

export type AggregateCalls = ReturnType<typeof createAggregateCalls>;

/** Uses Multicall3 if it has code and its first answer equals the contract's own; otherwise calls one by one. */
export function createAggregateCalls(rpc: Rpc) {
  let hasCode: boolean | undefined;
  return async (calls: readonly ContractCall[]): Promise<ContractAnswer[]> => {
    if (calls.length < 2) return callContracts(rpc, calls);
    hasCode ??= filledHex(await rpc.call("eth_getCode", [MULTICALL, "latest"])) !== undefined;
    if (!hasCode) return callContracts(rpc, calls);
    const answers: ContractAnswer[] = [];
    for (const part of inBatches(calls, GOVERNOR_LIMITS.callsPerAggregateMax)) {
      const together = await aggregate(rpc, part);
      // Any contract may be at that address; one direct call shows whether its answers can be trusted.
      const [direct] = await callContracts(rpc, part.slice(0, 1));
      const isTrusted = together !== undefined && together[0] === direct;
      if (!isTrusted) hasCode = false;
      answers.push(...(isTrusted ? together : await callContracts(rpc, part)));
    }
    return answers;
  };
}

/** The answers of one aggregated call; `undefined` if the node refuses it or the answer is not of Multicall3. */
async function aggregate(rpc: Rpc, calls: readonly ContractCall[]): Promise<ContractAnswer[] | undefined> {
  const targets = calls.map(({ to, data }) => {
    return { target: `0x${to.slice(2)}`, allowFailure: true, callData: data } as const;
  });
  try {
    const data = AbiFunction.encodeData(AGGREGATE, [targets]);
    const [answer] = await callContracts(rpc, [{ to: MULTICALL, data }]);
    const results = decodeAnswer(AGGREGATE, answer);
    if (results?.length !== calls.length) return undefined;
    return results.map(({ success, returnData }) => (success ? filledHex(returnData) : undefined));
  } catch (error) {
    if (isRpcRefusal(error)) return undefined;
    throw error;
  }
}

/** The unit in which a contract counts time; `unknown` is a clock of another chain. */
export type ContractClock = "blocknumber" | "timestamp" | "unknown";

const CLOCK_MODE = AbiFunction.from("function CLOCK_MODE() view returns (string)");

/** Arbitrum One and Nova: `block.number` in a contract is a block number of Ethereum there. */
const CHAINS_OF_FOREIGN_BLOCKS: ReadonlySet<number> = new Set([42_161, 42_170]);

/** Reads a contract's clock (ERC-6372). Without an answer it is block numbers, as before that standard. */
export async function readClock(rpc: Rpc, contract: string, chainId: number): Promise<ContractClock> {
  const call = { to: contract, data: AbiFunction.encodeData(CLOCK_MODE) };
  const [answer] = await callContracts(rpc, [call]);
  return parseClock(decodeAnswer(CLOCK_MODE, answer) ?? "mode=blocknumber", chainId);
}

/** Parses the result of `CLOCK_MODE()`: a query string, in which `from` may name another chain's blocks. */
function parseClock(mode: string, chainId: number): ContractClock {
  const parameters = new URLSearchParams(mode);
  if (parameters.get("mode") === "timestamp") return "timestamp";
  const from = parameters.get("from") ?? "default";
  const isOwnChain =
    from === "default" ? !CHAINS_OF_FOREIGN_BLOCKS.has(chainId) : from === `eip155:${chainId}`;
  return parameters.get("mode") === "blocknumber" && isOwnChain ? "blocknumber" : "unknown";
}

/** A block's number or time in a contract's clock; `undefined` for an unreadable clock. */
export function timepointOf(block: ChainBlock, clock: ContractClock): bigint | undefined {
  if (clock === "unknown") return undefined;
  return BigInt(clock === "timestamp" ? block.timeMs / 1000 : block.number);
}
