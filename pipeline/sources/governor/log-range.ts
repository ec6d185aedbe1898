import { GOVERNOR_LIMITS } from "./limits.ts";
import type { RpcError } from "./rpc-error.ts";

/** Blocks from … to, both included. */
export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

/** How many blocks to ask for next. */
export interface RangePace {
  blocks(): number;
  /** An answer came whole. */
  grow(): void;
  /** The node refused this range, and may have hinted at one that it would answer. */
  shrink(refused: BlockRange, error: RpcError | undefined): void;
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
export function createRangePace(start: number = GOVERNOR_LIMITS.rangeBlocksStart): RangePace {
  let blocks = start;
  let ceiling: number = GOVERNOR_LIMITS.rangeBlocksMax;
  let answers = 0;
  return {
    blocks: () => blocks,
    grow() {
      answers += 1;
      if (answers % ANSWERS_BEFORE_DEAR === 0) {
        ceiling = Math.min(GOVERNOR_LIMITS.rangeBlocksMax, ceiling * 2);
      }
      blocks = Math.max(1, Math.min(ceiling, blocks + Math.ceil(blocks / 8)));
    },
    shrink(refused, error) {
      const hint = error === undefined ? undefined : hintedEnd(error.detail, refused);
      const size = refused.to - refused.from + 1;
      blocks = hint === undefined ? Math.max(1, Math.floor(size / 2)) : hint - refused.from + 1;
      if (error?.code !== DEAR) return;
      answers = 0;
      ceiling = blocks;
    },
  };
}
