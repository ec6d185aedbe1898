import { z } from "zod";
import { invariant, sourceFailed } from "../../facts/errors.ts";
import type { IndexedBlock } from "../../facts/governance-source.ts";
import { GOVERNOR_LIMITS, hexQuantity, isRpcRefusal, parseQuantity, type Rpc } from "./rpc.ts";

export type ChainBlock = Required<IndexedBlock>;

export const NodeBlock = z.object({
  number: z.string(),
  hash: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
  timestamp: z.string(),
});

function parseBlock(answer: unknown): ChainBlock {
  const parsed = NodeBlock.safeParse(answer);
  if (!parsed.success) throw sourceFailed("the node returned no valid block");
  const { number, hash, timestamp } = parsed.data;
  return {
    number: parseQuantity(number, "block number"),
    hash: hash.toLowerCase(),
    timeMs: parseQuantity(timestamp, "block time") * 1000,
  };
}

export async function readBlock(rpc: Rpc, number: number): Promise<ChainBlock> {
  const [block] = await readBlocks(rpc, [number]);
  invariant(block !== undefined, "readBlocks returns a block for each number");
  return block;
}

export async function readBlocks(rpc: Rpc, numbers: readonly number[]): Promise<ChainBlock[]> {
  const calls = numbers.map((number) => ({
    method: "eth_getBlockByNumber",
    params: [hexQuantity(number), false],
  }));
  return (await rpc.callMany(calls)).map((outcome, index) => {
    if (outcome.kind === "refused") throw outcome.error;
    const block = parseBlock(outcome.result);
    if (block.number === numbers[index]) return block;
    throw sourceFailed("the node returned another block than requested");
  });
}

/** The newest block that no reorganisation can remove. Nothing after it is read. */
export async function readFinalizedBlock(rpc: Rpc): Promise<ChainBlock> {
  try {
    return parseBlock(await rpc.call("eth_getBlockByNumber", ["finalized", false]));
  } catch (error) {
    if (!isRpcRefusal(error)) throw error;
    throw sourceFailed("the node does not report the finalized block", {
      hint: "Only finalized blocks are read. Use a node that supports the tag `finalized`.",
      cause: error,
    });
  }
}

/** The last block at or before a moment; `undefined` if `firstBlock` is later. Binary search: times never decrease. */
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
    invariant(step < GOVERNOR_LIMITS.searchStepsMax, "a binary search over blocks ends");
    const middle = await readBlock(rpc, Math.floor((known.number + beyond) / 2));
    if (middle.timeMs <= atMs) known = middle;
    else beyond = middle.number;
  }
  return known;
}

export async function readBlockTimes(
  rpc: Rpc,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const blocks = await readBlocks(rpc, [...new Set(numbers)]);
  return new Map(blocks.map(({ number, timeMs }) => [number, timeMs]));
}

/** Whether a block that was read earlier is still part of the chain up to `head`. */
export async function isOnChain(rpc: Rpc, head: ChainBlock, block: IndexedBlock): Promise<boolean> {
  if (block.number > head.number) return false;
  // The head itself was read a moment ago.
  const now = block.number === head.number ? head : await readBlock(rpc, block.number);
  return now.hash === block.hash;
}

/**
 * The newest of `blocks` (newest first) that is still part of the chain up to `head`; everything after it was
 * reverted. Throws SOURCE_FAILED if the node merely lags behind, as nothing was reverted then.
 */
export async function newestOnChain(
  rpc: Rpc,
  head: ChainBlock,
  blocks: readonly IndexedBlock[],
): Promise<IndexedBlock | undefined> {
  const [newest] = blocks;
  const reached = blocks.filter(({ number }) => number <= head.number);
  let reverted = 0;
  for (const block of reached) {
    if (await isOnChain(rpc, head, block)) break;
    reverted += 1;
  }
  if (newest !== undefined && newest.number > head.number && reverted === 0) {
    throw sourceFailed(
      `the node's finalized block ${head.number} is before block ${newest.number}, which was already read`,
      { hint: "The node lags behind. Run again, or use another node." },
    );
  }
  return reached[reverted];
}
