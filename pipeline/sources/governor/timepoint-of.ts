import type { ChainBlock } from "./chain-block.ts";
import type { ContractClock } from "./read-clock.ts";

/** Where a block stands in a contract's clock; `undefined` for a clock that we cannot read. */
export function timepointOf(block: ChainBlock, clock: ContractClock): bigint | undefined {
  if (clock === "unknown") return undefined;
  return BigInt(clock === "timestamp" ? block.timeMs / 1000 : block.number);
}
