import { PipelineError } from "../../base/pipeline-error.ts";
import type { IndexedBlock } from "../../facts/space-sink.ts";
import { type ChainBlock, parseBlock } from "./chain-block.ts";
import type { NodeLog } from "./node-log.ts";
import { hexQuantity } from "./quantity.ts";
import { type LogReading, readLogs } from "./read-logs.ts";
import type { GovernorReading } from "./reading.ts";

/** Which logs to read up to the reading's head, and who keeps them. */
export interface LogSteps {
  readonly address: string;
  readonly topics: readonly string[];
  readonly fromBlock: number;
  /** Logs after which a step ends. */
  readonly logsPerStep: number;
  /** Gets the logs of the next step, all there are up to `through`. */
  keep(logs: readonly NodeLog[], through: IndexedBlock): Promise<void>;
}

/**
 * Reads logs in steps that can each be kept for good: an interrupted reading goes on after the last of them. A step
 * ends after so many logs or ranges, and at the head.
 */
export async function readLogSteps(reading: GovernorReading, steps: LogSteps): Promise<LogReading> {
  const { rpc, head, rangesPerStep } = reading;
  const { address, topics, fromBlock, logsPerStep } = steps;
  let waiting: NodeLog[] = [];
  let parts = 0;
  return readLogs({
    rpc,
    address,
    topics,
    range: { from: fromBlock, to: head.number },
    async take(logs, through) {
      waiting = waiting.length === 0 ? [...logs] : waiting.concat(logs);
      parts += 1;
      const isDue = waiting.length >= logsPerStep || parts >= rangesPerStep;
      if (!isDue && through < head.number) return;
      const step = waiting;
      waiting = [];
      parts = 0;
      await steps.keep(step, await blockAfterLogs(reading, through));
    },
  });
}

/**
 * A block by its number, asked for after the logs up to it came. Its hash alone would say nothing of logs that were
 * read before a reorganisation: that the head is still the one from before the first log does.
 */
async function blockAfterLogs({ rpc, head }: GovernorReading, number: number): Promise<IndexedBlock> {
  const wanted = number === head.number ? [number] : [number, head.number];
  const outcomes = await rpc.callMany(
    wanted.map((block) => ({ method: "eth_getBlockByNumber", params: [hexQuantity(block), false] })),
  );
  const blocks = outcomes.map((outcome): ChainBlock => {
    if (outcome.kind === "refused") throw outcome.error;
    return parseBlock(outcome.result);
  });
  const [block] = blocks;
  const isAsked = blocks.every((one, index) => one.number === wanted[index]);
  if (block === undefined || !isAsked || blocks.at(-1)?.hash !== head.hash) {
    throw new PipelineError("SOURCE_FAILED", "the chain was reorganised below its finalized block", {
      hint: "What was read since is not kept. Run again.",
    });
  }
  return { number: block.number, hash: block.hash };
}
