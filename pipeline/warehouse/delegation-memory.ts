import { invariant } from "../base/invariant.ts";
import type { DelegationEvent } from "../facts/delegation.ts";
import type { DelegationMemory, IndexedBlock } from "../facts/space-sink.ts";
import { busyElsewhere } from "./busy-elsewhere.ts";
import { BLOCK_NUMBER_MAX, HELD_BLOCKS_MAX, type KeptToken, LOG_INDEX_MAX } from "./queries/kept-token.ts";
import type { WriteAtOnce } from "./write-at-once.ts";

/** A token's memory, and what the commit of its fetch needs to know of it. */
export interface OpenDelegationMemory extends DelegationMemory {
  /** How many new events this fetch kept, those included that it took back later. */
  keptCount(): number;
  /** Called within the commit's transaction: readers see what is held from now on. */
  settle(): void;
}

/**
 * Opens the memory of one token, as it is on disk now. Whatever is written later goes on from there or is refused with
 * WAREHOUSE_BUSY: of two processes that fetch the same token, one stops before their events mix.
 *
 * No event is ever kept after the newest held block, so that going back to a held block is the same as never having
 * read on.
 */
export function createDelegationMemory(token: KeptToken, writeAtOnce: WriteAtOnce): OpenDelegationMemory {
  let held = token.heldBlocks();
  let kept = 0;

  const writeInTurn = <Result>(work: () => Result): Result =>
    writeAtOnce(() => {
      if (!isSame(token.heldBlocks()[0], held[0])) throw busyElsewhere();
      return work();
    });
  return {
    heldThrough: () => held,
    keep(events, block) {
      const newest = held[0];
      const isNext = newest === undefined || block.number > newest.number;
      invariant(isNext || isSame(block, newest), `block ${block.number} does not come after what is held`);
      invariant(isCount(block.number, BLOCK_NUMBER_MAX), `block ${block.number} is no block's number`);
      const brought = writeInTurn(() => {
        const count = insertAll(token, events, block.number);
        if (isNext) token.hold(block);
        return count;
      });
      if (isNext) held = [block, ...held].slice(0, HELD_BLOCKS_MAX);
      kept += brought;
      return brought;
    },
    rewind(block) {
      const standing =
        block === undefined ? [] : held.filter((one) => one.number < block.number || isSame(one, block));
      if (standing.length === held.length) return;
      writeInTurn(() => token.dropAfter(standing[0]?.number ?? -1));
      held = standing;
    },
    powersAt: (blockNumber) => token.powersAt(blockNumber),
    keptCount: () => kept,
    settle() {
      const newest = held[0];
      // Another process may have taken the block back: what it keeps instead is its own to confirm.
      if (newest !== undefined && !token.confirm(newest)) throw busyElsewhere();
    },
  };
}

function insertAll(token: KeptToken, events: readonly DelegationEvent[], through: number): number {
  let count = 0;
  for (const event of events) {
    const { blockNumber, logIndex } = event;
    if (!isCount(blockNumber, through) || !isCount(logIndex, LOG_INDEX_MAX)) {
      invariant(false, `log ${logIndex} of block ${blockNumber} is kept as one up to block ${through}`);
    }
    if (token.insert(event)) count += 1;
  }
  return count;
}

function isCount(value: number, most: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= most;
}

function isSame(one: IndexedBlock | undefined, other: IndexedBlock | undefined): boolean {
  return one?.number === other?.number && one?.hash === other?.hash;
}
