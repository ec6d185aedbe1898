import { z } from "zod";
import { PipelineError } from "../../base/pipeline-error.ts";
import { hexQuantity, parseQuantity } from "./quantity.ts";
import type { Rpc } from "./rpc.ts";
import { RpcError } from "./rpc-error.ts";

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
export function parseBlock(answer: unknown): ChainBlock {
  const parsed = NodeBlock.safeParse(answer);
  if (!parsed.success) throw new PipelineError("SOURCE_FAILED", "the node does not have a block it spoke of");
  const { number, hash, timestamp } = parsed.data;
  return {
    number: parseQuantity(number, "block number"),
    hash: hash.toLowerCase(),
    timeMs: parseQuantity(timestamp, "block time") * 1000,
  };
}

/** One block by its number. */
export async function readBlock(rpc: Rpc, number: number): Promise<ChainBlock> {
  const block = parseBlock(await rpc.call("eth_getBlockByNumber", [hexQuantity(number), false]));
  if (block.number === number) return block;
  throw new PipelineError("SOURCE_FAILED", "the node answered with another block than it was asked for");
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
