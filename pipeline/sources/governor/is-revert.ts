import type { RpcError } from "./rpc-error.ts";

/** Geth's code for a call that the contract itself ended. */
const REVERTED = 3;

/** How other nodes say it in words: Erigon, Besu, Nethermind and OpenEthereum have each their own spelling. */
export const REVERT_WORDS =
  /revert|invalid ?\w*(?:opcode|jump)|out ?of ?gas|vm execution|bad instruction|stack ?(?:under|over)flow/i;

/** Whether a node's refusal says that the contract itself ended the call, which is an answer. */
export function isRevert({ code, detail }: Pick<RpcError, "code" | "detail">): boolean {
  return code === REVERTED || REVERT_WORDS.test(detail);
}
