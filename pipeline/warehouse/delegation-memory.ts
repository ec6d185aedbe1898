import type { DelegationEvent } from "../facts/dao-facts.ts";
import { invariant } from "../facts/errors.ts";
import type { IndexedBlock } from "../facts/governance-source.ts";
import { addressOf } from "./byte-columns.ts";
import { busyElsewhere, type Database } from "./database.ts";
import { delegationRow, INSERT_EVENT } from "./delegation-events.ts";
import type { WriteAtOnce } from "./voter-numbers.ts";

/** How many recent blocks a rewind can return to; if the chain dropped all of them, it is read from its start. */
const HELD_BLOCKS_MAX = 32;

/** More logs than a source accepts of a block; with a block number, both fit one integer of SQLite. */
const LOGS_PER_BLOCK_MAX = 2 ** 24;

/** The fetch number of stored live events, which belong to no single fetch. */
const KEPT = 0;
const INSERT_NEW = `${INSERT_EVENT} ON CONFLICT DO NOTHING`;

/**
 * Opens the memory of one token in its current state. Every later write must continue from this state; otherwise it
 * throws WAREHOUSE_BUSY, so that of two processes fetching the same token, one stops before their events mix.
 *
 * No stored event is later than the newest held block, so rewinding to a held block restores exactly its state.
 */
export function createDelegationMemory(database: Database, tokenNumber: number, writeAtOnce: WriteAtOnce) {
  let held = heldBlocks(database, tokenNumber);
  let kept = 0;

  const writeInTurn = <Result>(work: () => Result): Result =>
    writeAtOnce(() => {
      if (!isSame(heldBlocks(database, tokenNumber)[0], held[0])) throw busyElsewhere();
      return work();
    });
  return {
    heldThrough: (): readonly IndexedBlock[] => held,
    /** Stores events at once, and `block` as the block up to which they are complete. */
    keep(events: readonly DelegationEvent[], block: IndexedBlock): void {
      const newest = held[0];
      const isNext = newest === undefined || block.number > newest.number;
      invariant(isNext || isSame(block, newest), `block ${block.number} does not come after what is held`);
      const next = isNext ? [block, ...held].slice(0, HELD_BLOCKS_MAX) : held;
      kept += writeInTurn(() => {
        let count = 0;
        for (const event of events) {
          count += database.run(INSERT_NEW, ...delegationRow(tokenNumber, KEPT, event));
        }
        if (isNext) {
          database.put("held_blocks", { tokenNumber, blockNumber: block.number, blockHash: block.hash });
          const dropOld = "DELETE FROM held_blocks WHERE token_number = ? AND block_number < ?";
          database.run(dropOld, tokenNumber, next.at(-1)?.number);
        }
        return count;
      });
      held = next;
    },
    rewind(block: IndexedBlock | undefined): void {
      const left =
        block === undefined ? [] : held.filter((one) => one.number < block.number || isSame(one, block));
      if (left.length === held.length) return;
      writeInTurn(() => dropAfter(database, tokenNumber, left[0]?.number ?? -1));
      held = left;
    },
    powersAt(blockNumber: number): ReadonlyMap<string, bigint> {
      // With max() in a group, SQLite takes the other columns from the row with the maximum.
      const powers = database.iterate<{ delegate: Buffer; votes: string }>(
        `SELECT delegate, after_votes AS votes, max(block_number * ${LOGS_PER_BLOCK_MAX} + log_index)
         FROM delegation_events
         WHERE token_number = ? AND block_number <= ? AND kind = 'votes-changed'
         GROUP BY delegate`,
        tokenNumber,
        blockNumber,
      );
      return new Map(Array.from(powers, ({ delegate, votes }) => [addressOf(delegate), BigInt(votes)]));
    },
    /** How many new events this fetch stored, including those that it rewound later. */
    keptCount: () => kept,
    /** Called within the commit's transaction: lets readers see events up to the newest held block, never fewer. */
    settle(confirmedAtMs: number): void {
      const newest = held[0];
      if (newest === undefined) return;
      const changes = database.run(
        `UPDATE tokens SET confirmed_block = max(ifnull(confirmed_block, @number), @number)
         WHERE token_number = @tokenNumber AND EXISTS (
           SELECT 1 FROM held_blocks
           WHERE token_number = @tokenNumber AND block_number = @number AND block_hash = @hash)`,
        { tokenNumber, ...newest },
      );
      // Another process may have rewound this block; only it can confirm what it stored instead.
      if (changes !== 1) throw busyElsewhere();
      // Without a new block since the last commit, there is nothing new to confirm.
      if (newest.timeMs === undefined) return;
      database.put("token_confirmations", { tokenNumber, confirmedAtMs, throughMs: newest.timeMs });
    },
  };
}

/** Newest first. */
function heldBlocks(database: Database, tokenNumber: number): readonly IndexedBlock[] {
  const select = `SELECT block_number AS number, block_hash AS hash
     FROM held_blocks WHERE token_number = ? ORDER BY block_number DESC`;
  return database.all<IndexedBlock>(select, tokenNumber);
}

/** Drops events and held blocks after a block, and lets readers see none of them; −1 drops everything. */
function dropAfter(database: Database, tokenNumber: number, blockNumber: number): void {
  for (const table of ["delegation_events", "held_blocks"]) {
    const drop = `DELETE FROM ${table} WHERE token_number = ? AND block_number > ?`;
    database.run(drop, tokenNumber, blockNumber);
  }
  const lower = `UPDATE tokens SET confirmed_block = iif(@blockNumber < 0, NULL, @blockNumber)
     WHERE token_number = @tokenNumber AND confirmed_block > @blockNumber`;
  const changes = database.run(lower, { tokenNumber, blockNumber });
  // Confirmed events will be read again and may differ.
  if (changes > 0) database.run("DELETE FROM token_confirmations WHERE token_number = ?", tokenNumber);
}

function isSame(one: IndexedBlock | undefined, other: IndexedBlock | undefined): boolean {
  return one?.number === other?.number && one?.hash === other?.hash;
}
