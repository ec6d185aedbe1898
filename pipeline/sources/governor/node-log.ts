import { z } from "zod";
import { type PipelineFailure, sourceFailed } from "../../facts/errors.ts";
import { ChainLog } from "../upstream/delegation-event.ts";
import { GOVERNOR_LIMITS, parseQuantity } from "./rpc.ts";

/** A range of blocks, both ends included. */
export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

/** A log of a live node. Unlike an archive's it has its block's hash, so that two answers can be compared. */
const NodeLogShape = ChainLog.extend({ blockHash: z.string().regex(/^0x[0-9a-fA-F]{64}$/) });
const NodeLogs = z.array(NodeLogShape).max(GOVERNOR_LIMITS.logsPerAnswerMax);

/** A log with its position as numbers. */
export interface NodeLog {
  readonly log: ChainLog;
  readonly blockNumber: number;
  /** Lower case. */
  readonly blockHash: string;
  readonly logIndex: number;
}

/** Block hash and index identify a log: a transaction may emit several, and block numbers may repeat. */
export function logKey({ blockHash, logIndex }: NodeLog): string {
  return `${blockHash}:${logIndex}`;
}

/** The logs of an answer, sorted and distinct; throws `SOURCE_FAILED` if it is invalid. */
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
      throw broken("contains blocks that were not requested");
    if (node.blockNumber >= GOVERNOR_LIMITS.blocksMax || node.logIndex >= GOVERNOR_LIMITS.logsPerBlockMax) {
      throw broken("contains block numbers or log indexes too large for any chain");
    }
    byKey.set(logKey(node), node);
  }
  const logs = [...byKey.values()].sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex);
  const isOneChain = logs.every(({ blockNumber, blockHash }, index) => {
    const before = logs[index - 1];
    return before === undefined || (before.blockNumber === blockNumber) === (before.blockHash === blockHash);
  });
  if (!isOneChain) throw broken("contains two blocks with the same number");
  return logs;
}

function broken(what: string): PipelineFailure {
  return sourceFailed(`the node's answer to eth_getLogs ${what}`);
}
