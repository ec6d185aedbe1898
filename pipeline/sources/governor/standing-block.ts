import { PipelineError } from "../../base/pipeline-error.ts";
import type { IndexedBlock } from "../../facts/space-sink.ts";
import { type ChainBlock, parseBlock, readBlock } from "./chain-block.ts";
import { hexQuantity } from "./quantity.ts";
import type { Rpc } from "./rpc.ts";

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
  const calls = others.map(({ number }) => ({
    method: "eth_getBlockByNumber",
    params: [hexQuantity(number), false],
  }));
  const outcomes = await rpc.callMany(calls);
  return others.find(({ hash }, index) => {
    const outcome = outcomes[index];
    if (outcome?.kind === "refused") throw outcome.error;
    return parseBlock(outcome?.result).hash === hash;
  });
}
