import { z } from "zod";
import { type PipelineFailure, sourceFailed } from "../../facts/errors.ts";
import type { IndexedBlock } from "../../facts/governance-source.ts";
import { createPageSize } from "../graphql/page-size.ts";
import { ChainLog } from "../upstream/delegation-event.ts";
import { readBlocks } from "./blocks.ts";
import type { GovernorReading } from "./reading.ts";
import {
  GOVERNOR_LIMITS,
  hexQuantity,
  isRpcRefusal,
  parseQuantity,
  type Rpc,
  type RpcRefusal,
} from "./rpc.ts";

/** A range of blocks, both ends included. */
interface BlockRange {
  readonly from: number;
  readonly to: number;
}

/** A log of a live node. Unlike an archive's it has its block's hash, so that two answers can be compared. */
export const NodeLogShape = ChainLog.extend({ blockHash: z.string().regex(/^0x[0-9a-fA-F]{64}$/) });
const NodeLogs = z.array(NodeLogShape).max(GOVERNOR_LIMITS.logsPerAnswerMax);

export interface NodeLog {
  readonly log: ChainLog;
  readonly blockNumber: number;
  /** Lower case. */
  readonly blockHash: string;
  readonly logIndex: number;
}

/** Block hash and index identify a log: a transaction may emit several, and block numbers may repeat. */
function logKey({ blockHash, logIndex }: NodeLog): string {
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

/**
 * Adds to logs the times of their blocks; newer nodes include them. Throws SOURCE_FAILED if a block's hash is not the
 * log's: it was reorganised away.
 */
export async function withTimes(rpc: Rpc, logs: readonly NodeLog[]): Promise<readonly NodeLog[]> {
  const untimed = logs.filter(({ log }) => log.blockTimestamp == null);
  const numbers = new Set(untimed.map(({ blockNumber }) => blockNumber));
  const blocks = new Map((await readBlocks(rpc, [...numbers])).map((block) => [block.number, block]));
  return logs.map((node) => {
    if (node.log.blockTimestamp != null) return node;
    const block = blocks.get(node.blockNumber);
    if (block?.hash === node.blockHash) {
      return { ...node, log: { ...node.log, blockTimestamp: hexQuantity(block.timeMs / 1000) } };
    }
    throw sourceFailed("a log is in a block that is no longer part of the chain", {
      hint: "The chain was reorganised during the fetch. Run again.",
    });
  });
}

/** Which logs to read, and who receives them: in order, without duplicates, in parts. */
interface LogRequest {
  readonly rpc: Rpc;
  readonly address: string;
  readonly topics: readonly string[];
  readonly range: BlockRange;
  /** Receives a part; `through` is the block up to which all logs of the range are now delivered. */
  take(logs: readonly NodeLog[], through: number): Promise<void>;
}

/**
 * Reads every log of a range. Some nodes truncate answers silently, so an answer is trusted only up to the
 * block before its last log: the next range starts with that last block again and must confirm it. Returns
 * the number of answers that turned out to be truncated.
 */
export async function readLogs(request: LogRequest): Promise<number> {
  const { to: end } = request.range;
  const size = createPageSize(GOVERNOR_LIMITS.rangeBlocksMax, GOVERNOR_LIMITS.rangeBlocksStart);
  let { from } = request.range;
  let held: readonly NodeLog[] = [];
  /** What the answer before implies: no logs after its last one. */
  let claim: { last: number; to: number; logsCount: number; isOneBlock: boolean } | undefined;
  let cuts = 0;
  /** The fewest logs at which the node truncated an answer. */
  let cutAt = Infinity;
  let isDoubtful = false;
  for (let ranges = 1; from <= end; ranges += 1) {
    if (ranges > GOVERNOR_LIMITS.rangesMax) {
      throw sourceFailed(`more than ${GOVERNOR_LIMITS.rangesMax} ranges of logs`);
    }
    // After a timeout, a single block shows whether the range was too large or the node has gone.
    const range = { from, to: Math.min(end, isDoubtful ? from : from + size.now() - 1) };
    const blocks = range.to - from + 1;
    const logs = await askForLogs(request, range);
    isDoubtful = isRpcRefusal(logs) && logs.data.code === TOO_MUCH;
    if (isRpcRefusal(logs)) {
      size.failed(blocks);
      continue;
    }
    if (held.some((log, index) => logs[index] === undefined || logKey(logs[index]) !== logKey(log))) {
      if (blocks === 1) throw differs();
      cuts += 1;
      size.failed(blocks);
      continue;
    }
    if (claim !== undefined) {
      const { last: before, to, logsCount } = claim;
      const again = logs.filter(({ blockNumber }) => blockNumber === before).length;
      if (again > held.length || logs.some((log) => log.blockNumber > before && log.blockNumber <= to)) {
        cuts += 1;
        cutAt = Math.min(cutAt, logsCount);
        if (claim.isOneBlock) throw cutsOneBlock(cutAt);
      }
    }
    const last = logs.at(-1)?.blockNumber;
    const isOneBlock = last === from;
    // No smaller range reveals the missing logs of a block.
    if (isOneBlock && logs.length >= cutAt) throw cutsOneBlock(cutAt);
    claim = last === undefined ? undefined : { last, to: range.to, logsCount: logs.length, isOneBlock };
    const through = last === undefined ? range.to : Math.max(from, last - 1);
    await request.take(
      logs.filter(({ blockNumber }) => blockNumber <= through),
      through,
    );
    held = logs.filter(({ blockNumber }) => blockNumber > through);
    from = through + 1;
    size.worked(blocks);
  }
  return cuts;
}

/** Status from a node, or from the HTTP client for a node that did not answer. */
const TOO_MUCH = 413;

/**
 * The logs of one range, or the error for which a smaller range may help: nodes report too large a range in too many ways
 * to list, and halving stops at one block.
 */
async function askForLogs(
  { rpc, address, topics }: LogRequest,
  range: BlockRange,
): Promise<readonly NodeLog[] | RpcRefusal> {
  const [fromBlock, toBlock] = [hexQuantity(range.from), hexQuantity(range.to)];
  const canAskForLess = range.to > range.from;
  try {
    const filter = { address, topics: [topics], fromBlock, toBlock };
    return parseLogs(await rpc.call("eth_getLogs", [filter], { canAskForLess }), range);
  } catch (error) {
    if (!isRpcRefusal(error)) throw error;
    if (canAskForLess) return error;
    throw sourceFailed(`${error.message}, even for a single block`, { cause: error });
  }
}

function cutsOneBlock(cutAt: number): Error {
  return sourceFailed(`the node truncates the logs of one block at ${cutAt}`, {
    hint: "Use a node that returns all logs of a block.",
  });
}

function differs(): Error {
  return sourceFailed("the node returned different logs for the same block", {
    hint: "The chain was reorganised during the fetch, or several nodes in different states answered. Run again.",
  });
}

/** Which logs to read up to the head, and who stores them. */
interface LogSteps extends Pick<LogRequest, "address" | "topics"> {
  readonly fromBlock: number;
  readonly logsPerStep: number;
  /** Stores the logs of a step, complete up to `through`. */
  keep(logs: readonly NodeLog[], through: IndexedBlock): Promise<void>;
}

/**
 * Reads logs in steps that are stored permanently, so that an interrupted reading resumes after the last one.
 * A step ends after a number of logs or ranges, and at the head. Returns the number of truncated answers.
 */
export function readLogSteps(
  reading: GovernorReading,
  { fromBlock, logsPerStep, keep, ...wanted }: LogSteps,
): Promise<number> {
  const { rpc, head, rangesPerStep } = reading;
  let waiting: NodeLog[] = [];
  let parts = 0;
  return readLogs({
    ...wanted,
    rpc,
    range: { from: fromBlock, to: head.number },
    async take(logs, through) {
      waiting = waiting.length === 0 ? [...logs] : waiting.concat(logs);
      parts += 1;
      const isDue = waiting.length >= logsPerStep || parts >= rangesPerStep;
      if (!isDue && through < head.number) return;
      const step = waiting;
      waiting = [];
      parts = 0;
      await keep(step, await blockAfterLogs(reading, through));
    },
  });
}

/** Reads a block after its logs. Its hash does not prove that they are of its chain; an unchanged head does. */
async function blockAfterLogs({ rpc, head }: GovernorReading, number: number): Promise<IndexedBlock> {
  const [block, last] = await readBlocks(rpc, [number, head.number].slice(number === head.number ? 1 : 0));
  if (block === undefined || (last ?? block).hash !== head.hash) {
    throw sourceFailed("the chain was reorganised below its finalized block", {
      hint: "The new logs were discarded. Run again.",
    });
  }
  return block;
}
