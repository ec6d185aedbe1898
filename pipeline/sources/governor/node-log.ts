import { z } from "zod";
import { PipelineError } from "../../base/pipeline-error.ts";
import { ChainLog } from "../upstream/chain-log.ts";
import { GOVERNOR_LIMITS } from "./limits.ts";
import type { BlockRange } from "./log-range.ts";
import { parseQuantity } from "./quantity.ts";

/** A log of a live node: unlike an archive's it names the block it stands in, so that two answers can be compared. */
const NodeLogShape = ChainLog.extend({ blockHash: z.string().regex(/^0x[0-9a-fA-F]{64}$/) });
const NodeLogs = z.array(NodeLogShape).max(GOVERNOR_LIMITS.logsPerAnswerMax);

/** A log with its place as numbers. */
export interface NodeLog {
  readonly log: ChainLog;
  readonly blockNumber: number;
  /** Lower case. */
  readonly blockHash: string;
  readonly logIndex: number;
}

/** Block and place in it: what a log is known by. A transaction may hold several, and a number may name two blocks. */
export function logKey({ blockHash, logIndex }: NodeLog): string {
  return `${blockHash}:${logIndex}`;
}

/** The logs of an answer in order, each once; throws `PipelineError` SOURCE_FAILED for an answer that no node gives. */
export function parseLogs(answer: unknown, { from, to }: BlockRange): NodeLog[] {
  const parsed = NodeLogs.safeParse(answer);
  if (!parsed.success) throw broken("is not a list of logs");
  const byKey = new Map<string, NodeLog>();
  for (const log of parsed.data) {
    const node = {
      log,
      blockNumber: parseQuantity(log.blockNumber, "blockNumber of a log"),
      blockHash: log.blockHash.toLowerCase(),
      logIndex: parseQuantity(log.logIndex, "logIndex of a log"),
    };
    if (node.blockNumber < from || node.blockNumber > to)
      throw broken("holds blocks that were not asked for");
    if (node.blockNumber >= GOVERNOR_LIMITS.blocksMax || node.logIndex >= GOVERNOR_LIMITS.logsPerBlockMax) {
      throw broken("names blocks or places larger than any chain's");
    }
    byKey.set(logKey(node), node);
  }
  const logs = [...byKey.values()].sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex);
  const isOneChain = logs.every(({ blockNumber, blockHash }, index) => {
    const before = logs[index - 1];
    return before === undefined || (before.blockNumber === blockNumber) === (before.blockHash === blockHash);
  });
  if (!isOneChain) throw broken("holds two blocks of one number");
  return logs;
}

function broken(what: string): PipelineError {
  return new PipelineError("SOURCE_FAILED", `the node's answer to eth_getLogs ${what}`);
}
