import { sourceFailed } from "../../facts/errors.ts";
import type { IndexedBlock } from "../../facts/governance-source.ts";
import { createPageSize } from "../graphql/page-size.ts";
import { readBlocks } from "./blocks.ts";
import { type BlockRange, logKey, type NodeLog, parseLogs } from "./node-log.ts";
import type { GovernorReading } from "./reading.ts";
import { GOVERNOR_LIMITS, hexQuantity, isRpcRefusal, type Rpc, type RpcRefusal } from "./rpc.ts";

/** Which logs to read, and who receives them: in order, without duplicates, in parts. */
interface LogRequest {
  readonly rpc: Rpc;
  readonly address: string;
  /** Accepted first topics. */
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
  /** A step ends after this many logs. */
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
