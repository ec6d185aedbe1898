import { z } from "zod";
import { invariant, PipelineError } from "../../facts/errors.ts";
import type { IndexedBlock } from "../../facts/governance-source.ts";
import type { NodeLog } from "./node-log.ts";
import { GOVERNOR_LIMITS, hexQuantity, parseQuantity, type Rpc, type RpcCall, RpcError } from "./rpc.ts";

/** A block, as far as we need it. */
export interface ChainBlock {
  readonly number: number;
  /** Lower case. */
  readonly hash: string;
  readonly timeMs: number;
}

const NodeBlock = z.object({
  number: z.string(),
  hash: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
  timestamp: z.string(),
});

/** A block out of a node's answer; throws `PipelineError` SOURCE_FAILED where it is none, or none that the node has. */
function parseBlock(answer: unknown): ChainBlock {
  const parsed = NodeBlock.safeParse(answer);
  if (!parsed.success)
    throw new PipelineError("SOURCE_FAILED", "the node does not have a block that it named");
  const { number, hash, timestamp } = parsed.data;
  return {
    number: parseQuantity(number, "block number"),
    hash: hash.toLowerCase(),
    timeMs: parseQuantity(timestamp, "block time") * 1000,
  };
}

/** One block by its number. */
export async function readBlock(rpc: Rpc, number: number): Promise<ChainBlock> {
  const [block] = await readBlocks(rpc, [number]);
  invariant(block !== undefined, "every block that is asked for is answered or refused");
  return block;
}

/** Blocks by their numbers, in that order. */
export async function readBlocks(rpc: Rpc, numbers: readonly number[]): Promise<ChainBlock[]> {
  const outcomes = await rpc.callMany(numbers.map(blockCall));
  return outcomes.map((outcome, index) => {
    if (outcome.kind === "refused") throw outcome.error;
    const block = parseBlock(outcome.result);
    if (block.number === numbers[index]) return block;
    throw new PipelineError("SOURCE_FAILED", "the node answered with another block than it was asked for");
  });
}

function blockCall(number: number): RpcCall {
  return { method: "eth_getBlockByNumber", params: [hexQuantity(number), false] };
}

/** The newest block that no reorganisation takes back. Nothing past it is read. */
export async function readFinalizedBlock(rpc: Rpc): Promise<ChainBlock> {
  try {
    return parseBlock(await rpc.call("eth_getBlockByNumber", ["finalized", false]));
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    throw new PipelineError("SOURCE_FAILED", "the node does not tell which block is finalized", {
      hint: "Only finalized blocks are read; give the address of a node that knows the tag.",
      cause: error,
    });
  }
}

/**
 * The last block with a time at or before a moment, among `firstBlock` … `head`; `undefined` where the first is later.
 * Binary search: the times of blocks never fall.
 */
export async function blockAtMoment(
  rpc: Rpc,
  atMs: number,
  { firstBlock, head }: { readonly firstBlock: number; readonly head: ChainBlock },
): Promise<ChainBlock | undefined> {
  if (head.timeMs <= atMs) return head;
  if (firstBlock >= head.number) return undefined;
  const first = await readBlock(rpc, firstBlock);
  if (first.timeMs > atMs) return undefined;
  let known = first;
  let beyond = head.number;
  for (let step = 0; known.number + 1 < beyond; step += 1) {
    invariant(step < GOVERNOR_LIMITS.searchStepsMax, "a binary search over blocks comes to its end");
    const middle = await readBlock(rpc, Math.floor((known.number + beyond) / 2));
    if (middle.timeMs <= atMs) known = middle;
    else beyond = middle.number;
  }
  return known;
}

/** The exact times of blocks. */
export type BlockTimes = ReturnType<typeof createBlockTimes>;

/** Asks for blocks in batches, each once as long as it is remembered, which a bounded number is. Nothing is interpolated. */
export function createBlockTimes(rpc: Rpc) {
  const remembered = new Map<number, ChainBlock>();

  const readAll = async (numbers: Iterable<number>): Promise<ReadonlyMap<number, ChainBlock>> => {
    const asked = [...new Set(numbers)];
    const known = asked.flatMap((number) => remembered.get(number) ?? []);
    const missing = await readBlocks(
      rpc,
      asked.filter((number) => !remembered.has(number)),
    );
    for (const block of missing) remembered.set(block.number, block);
    for (const oldest of remembered.keys()) {
      if (remembered.size <= GOVERNOR_LIMITS.blockTimesMax) break;
      remembered.delete(oldest);
    }
    return new Map([...known, ...missing].map((block) => [block.number, block]));
  };
  const timesOf = (blocks: ReadonlyMap<number, ChainBlock>): ReadonlyMap<number, number> =>
    new Map([...blocks].map(([number, { timeMs }]) => [number, timeMs]));

  return {
    /** Times in milliseconds by block number. */
    ofNumbers: async (numbers: Iterable<number>) => timesOf(await readAll(numbers)),
    /** Times of the logs' blocks; a block that is not the one the log stands in was reorganised away: SOURCE_FAILED. */
    async ofLogs(logs: readonly NodeLog[]) {
      const blocks = await readAll(logs.map(({ blockNumber }) => blockNumber));
      const isSame = logs.every(({ blockNumber, blockHash }) => blocks.get(blockNumber)?.hash === blockHash);
      if (isSame) return timesOf(blocks);
      throw new PipelineError("SOURCE_FAILED", "a log is in a block that the chain no longer has", {
        hint: "The chain was reorganised meanwhile. Run again.",
      });
    },
  };
}

/** Whether the chain up to `head` still has a block that was read up to before. */
export async function isStanding(rpc: Rpc, head: ChainBlock, block: IndexedBlock): Promise<boolean> {
  if (block.number > head.number) return false;
  // The head itself was read a moment ago.
  const now = block.number === head.number ? head : await readBlock(rpc, block.number);
  return now.hash === block.hash;
}

/**
 * The newest of `blocks` (newest first) that the chain up to `head` still has; everything after it was taken back.
 * A node that merely lags behind has taken nothing back, so it is refused rather than believed: SOURCE_FAILED.
 */
export async function newestStanding(
  rpc: Rpc,
  head: ChainBlock,
  blocks: readonly IndexedBlock[],
): Promise<IndexedBlock | undefined> {
  const [newest] = blocks;
  const [first, ...others] = blocks.filter(({ number }) => number <= head.number);
  const isWhole = first === undefined || (await isStanding(rpc, head, first));
  if (newest !== undefined && newest.number > head.number && isWhole) {
    throw new PipelineError(
      "SOURCE_FAILED",
      `the node's finalized block ${head.number} is before block ${newest.number}, up to which was read before`,
      { hint: "The node lags behind. Run again, or give the address of another one." },
    );
  }
  if (isWhole) return first;
  const outcomes = await rpc.callMany(others.map(({ number }) => blockCall(number)));
  return others.find(({ hash }, index) => {
    const outcome = outcomes[index];
    if (outcome?.kind === "refused") throw outcome.error;
    return parseBlock(outcome?.result).hash === hash;
  });
}
