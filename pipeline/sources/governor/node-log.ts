import { z } from "zod";
import { type PipelineFailure, sourceFailed } from "../../facts/errors.ts";
import { ChainLog } from "../upstream/delegation-event.ts";
import { GOVERNOR_LIMITS, hexQuantity, parseQuantity, type RpcRefusal } from "./rpc.ts";

/** A range of blocks, both ends included. */
export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

const HINT = /\[\s*(0x[0-9a-f]{1,13})\s*,\s*(0x[0-9a-f]{1,13})\s*\]/i;
/** No such method: a smaller range does not help. Every other code has been seen for too large a range. */
const METHOD_NOT_FOUND = -32_601;

/** Whether a smaller range may succeed: range errors are too many to list, and halving stops at one block. */
export function mayBeRangeLimit(error: RpcRefusal, { from, to }: BlockRange): boolean {
  return error.data.code !== METHOD_NOT_FOUND && to > from;
}

/** The end of the range that a node suggests, if it starts where ours does and is shorter. */
function hintedEnd(detail: string, { from, to }: BlockRange): number | undefined {
  const hint = HINT.exec(detail);
  if (hint === null) return undefined;
  const [hintFrom, hintTo] = [Number(hint[1]), Number(hint[2])];
  return hintFrom === from && hintTo >= from && hintTo < to ? hintTo : undefined;
}

/** Code for an answer that was too large or timed out: another attempt at that size costs minutes. */
const EXPENSIVE = 413;
/** After this many complete answers, the limit set by an expensive refusal is doubled. */
const ANSWERS_BEFORE_RETRY = 64;

/**
 * Chooses the size of block ranges. Starts with the largest range that public nodes accept, halves it or
 * follows the node's hint, and grows by an eighth. After an expensive refusal it stops growing for a while.
 */
export function createRangePace() {
  let blocks: number = GOVERNOR_LIMITS.rangeBlocksStart;
  let ceiling: number = GOVERNOR_LIMITS.rangeBlocksMax;
  let answers = 0;
  return {
    /** Number of blocks to request next. */
    blocks: () => blocks,
    grow(): void {
      answers += 1;
      if (answers % ANSWERS_BEFORE_RETRY === 0) {
        ceiling = Math.min(GOVERNOR_LIMITS.rangeBlocksMax, ceiling * 2);
      }
      blocks = Math.max(1, Math.min(ceiling, blocks + Math.ceil(blocks / 8)));
    },
    /** Called after a refusal, which may contain a hint at an acceptable range. */
    shrink(refused: BlockRange, error: RpcRefusal | undefined): void {
      const hint = error === undefined ? undefined : hintedEnd(error.data.detail, refused);
      const size = refused.to - refused.from + 1;
      blocks = hint === undefined ? Math.max(1, Math.floor(size / 2)) : hint - refused.from + 1;
      if (error?.data.code !== EXPENSIVE) return;
      answers = 0;
      ceiling = blocks;
    },
  };
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

/** Adds the block's time to a log if it is known; newer nodes include it themselves. */
export function timedLog({ log, blockNumber }: NodeLog, timesMs: ReadonlyMap<number, number>): ChainLog {
  const timeMs = timesMs.get(blockNumber);
  return timeMs === undefined ? log : { ...log, blockTimestamp: hexQuantity(timeMs / 1000) };
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
