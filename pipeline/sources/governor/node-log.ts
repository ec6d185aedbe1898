import { z } from "zod";
import { PipelineError } from "../../facts/errors.ts";
import { ChainLog } from "../upstream/delegation-event.ts";
import { GOVERNOR_LIMITS, hexQuantity, parseQuantity, type RpcError } from "./rpc.ts";

/** Blocks from … to, both included. */
export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

const HINT = /\[\s*(0x[0-9a-f]{1,13})\s*,\s*(0x[0-9a-f]{1,13})\s*\]/i;
/** No such method: a smaller range does not help. Every other code has been seen for a range that is too large. */
const METHOD_NOT_FOUND = -32_601;

/** Whether a smaller range may be answered: limits come in too many shapes to list, and halving ends at one block. */
export function mayBeRangeLimit(error: RpcError, { from, to }: BlockRange): boolean {
  return error.code !== METHOD_NOT_FOUND && to > from;
}

/** The end of the range that a node proposes instead, where it is shorter and begins where ours does. */
export function hintedEnd(detail: string, { from, to }: BlockRange): number | undefined {
  const found = HINT.exec(detail);
  if (found === null) return undefined;
  const [hintFrom, hintTo] = [Number(found[1]), Number(found[2])];
  return hintFrom === from && hintTo >= from && hintTo < to ? hintTo : undefined;
}

/** Code of a range whose answer was too large or did not come: to find that out again costs minutes. */
const DEAR = 413;
/** So many whole answers after a dear refusal, twice as much is tried again. */
const ANSWERS_BEFORE_DEAR = 64;

/**
 * Starts with the largest range that public nodes answer; halves or takes the hint, and grows by an eighth. After a
 * dear refusal it does not grow for a while.
 */
export function createRangePace(start: number = GOVERNOR_LIMITS.rangeBlocksStart) {
  let blocks = start;
  let ceiling: number = GOVERNOR_LIMITS.rangeBlocksMax;
  let answers = 0;
  return {
    /** How many blocks to ask for next. */
    blocks: () => blocks,
    /** An answer came whole. */
    grow(): void {
      answers += 1;
      if (answers % ANSWERS_BEFORE_DEAR === 0) {
        ceiling = Math.min(GOVERNOR_LIMITS.rangeBlocksMax, ceiling * 2);
      }
      blocks = Math.max(1, Math.min(ceiling, blocks + Math.ceil(blocks / 8)));
    },
    /** The node refused this range, and may have hinted at one that it would answer. */
    shrink(refused: BlockRange, error: RpcError | undefined): void {
      const hint = error === undefined ? undefined : hintedEnd(error.detail, refused);
      const size = refused.to - refused.from + 1;
      blocks = hint === undefined ? Math.max(1, Math.floor(size / 2)) : hint - refused.from + 1;
      if (error?.code !== DEAR) return;
      answers = 0;
      ceiling = blocks;
    },
  };
}

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

/** A log with the time of its block, where that is known and newer nodes did not write it there themselves. */
export function timedLog({ log, blockNumber }: NodeLog, timesMs: ReadonlyMap<number, number>): ChainLog {
  const timeMs = timesMs.get(blockNumber);
  return timeMs === undefined ? log : { ...log, blockTimestamp: hexQuantity(timeMs / 1000) };
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
