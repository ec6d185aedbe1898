import { invariant } from "../../base/invariant.ts";
import { type ChainBlock, readBlock } from "./chain-block.ts";
import { GOVERNOR_LIMITS } from "./limits.ts";
import type { Rpc } from "./rpc.ts";

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
