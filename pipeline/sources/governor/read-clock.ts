import * as AbiFunction from "ox/AbiFunction";
import { callContracts, decodeAnswer } from "./contract-call.ts";
import type { Rpc } from "./rpc.ts";

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
