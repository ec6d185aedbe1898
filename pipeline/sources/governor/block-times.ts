import { PipelineError } from "../../base/pipeline-error.ts";
import { parseBlock } from "./chain-block.ts";
import { GOVERNOR_LIMITS } from "./limits.ts";
import type { NodeLog } from "./node-log.ts";
import { hexQuantity } from "./quantity.ts";
import type { Rpc } from "./rpc.ts";

/** The exact times of blocks; a bounded number of them is remembered. */
export interface BlockTimes {
  /** Times in milliseconds by block number. */
  ofNumbers(numbers: Iterable<number>): Promise<ReadonlyMap<number, number>>;
  /** Times of the logs' blocks; a block that is not the one the log stands in was reorganised away: SOURCE_FAILED. */
  ofLogs(logs: readonly NodeLog[]): Promise<ReadonlyMap<number, number>>;
}

interface KnownBlock {
  readonly hash: string;
  readonly timeMs: number;
}

/** Asks for blocks in batches, each once as long as it is remembered. Nothing is interpolated. */
export function createBlockTimes(rpc: Rpc): BlockTimes {
  const remembered = new Map<number, KnownBlock>();

  const readAll = async (numbers: Iterable<number>): Promise<Map<number, KnownBlock>> => {
    const found = new Map<number, KnownBlock>();
    const missing: number[] = [];
    for (const number of new Set(numbers)) {
      const known = remembered.get(number);
      if (known === undefined) missing.push(number);
      else found.set(number, known);
    }
    const calls = missing.map((number) => ({
      method: "eth_getBlockByNumber",
      params: [hexQuantity(number), false],
    }));
    for (const [index, outcome] of (await rpc.callMany(calls)).entries()) {
      if (outcome.kind === "refused") throw outcome.error;
      const block = parseBlock(outcome.result);
      if (block.number !== missing[index]) {
        throw new PipelineError(
          "SOURCE_FAILED",
          "the node answered with another block than it was asked for",
        );
      }
      found.set(block.number, block);
      remembered.set(block.number, { hash: block.hash, timeMs: block.timeMs });
    }
    for (const oldest of remembered.keys()) {
      if (remembered.size <= GOVERNOR_LIMITS.blockTimesMax) break;
      remembered.delete(oldest);
    }
    return found;
  };
  const timesOf = (blocks: ReadonlyMap<number, KnownBlock>) =>
    new Map([...blocks].map(([number, { timeMs }]) => [number, timeMs]));

  return {
    ofNumbers: async (numbers) => timesOf(await readAll(numbers)),
    async ofLogs(logs) {
      const blocks = await readAll(logs.map(({ blockNumber }) => blockNumber));
      const isSame = logs.every(({ blockNumber, blockHash }) => blocks.get(blockNumber)?.hash === blockHash);
      if (isSame) return timesOf(blocks);
      throw new PipelineError("SOURCE_FAILED", "a log stands in a block that the chain no longer has", {
        hint: "The chain was reorganised while it was read. Run again.",
      });
    },
  };
}
