import type { Database } from "better-sqlite3";
import type { DelegationEvent } from "../../facts/delegation.ts";
import type { IndexedBlock } from "../../facts/space-sink.ts";
import { addressOf } from "../address-bytes.ts";
import { DELEGATION_COLUMNS, type DelegationRow, delegationRow } from "../delegation-row.ts";

/** How many blocks are remembered up to which all is held; a chain that took back all of them is read from its start. */
export const HELD_BLOCKS_MAX = 32;

/** More logs than any block has, and more blocks than any chain: a place of both fits one integer of SQLite. */
export const LOG_INDEX_MAX = 2 ** 24 - 1;
export const BLOCK_NUMBER_MAX = 2 ** 39 - 1;

/** What is kept of one token, row by row. The caller opens the transactions, and knows what goes together. */
export interface KeptToken {
  /** Newest first. */
  heldBlocks(): readonly IndexedBlock[];
  /** Answers whether the event is new; one that is there already stays as it is. */
  insert(event: DelegationEvent): boolean;
  hold(block: IndexedBlock): void;
  /** Drops the events and the held blocks after a block, and shows readers no more than up to there; -1: everything. */
  dropAfter(blockNumber: number): void;
  /** Shows readers the events up to a block, or further where that was confirmed already; `false` where it is not held. */
  confirm(block: IndexedBlock): boolean;
  powersAt(blockNumber: number): ReadonlyMap<string, bigint>;
}

/** Prepares what is said about kept tokens. */
export function keptToken(database: Database): (tokenNumber: number) => KeptToken {
  const selectHeld = database.prepare<[number], IndexedBlock>(
    `SELECT block_number AS number, block_hash AS hash
     FROM held_blocks WHERE token_number = ? ORDER BY block_number DESC`,
  );
  const insertEvent = database.prepare<DelegationRow>(
    `INSERT INTO delegation_events (${DELEGATION_COLUMNS})
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const insertHeld = database.prepare<[number, number, string]>(
    "INSERT INTO held_blocks (token_number, block_number, block_hash) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const dropOldest = database.prepare<[object]>(
    `DELETE FROM held_blocks WHERE token_number = @tokenNumber AND block_number <= (
       SELECT block_number FROM held_blocks WHERE token_number = @tokenNumber
       ORDER BY block_number DESC LIMIT 1 OFFSET ${HELD_BLOCKS_MAX})`,
  );
  const dropEvents = database.prepare<[number, number]>(
    "DELETE FROM delegation_events WHERE token_number = ? AND block_number > ?",
  );
  const dropHeld = database.prepare<[number, number]>(
    "DELETE FROM held_blocks WHERE token_number = ? AND block_number > ?",
  );
  const lower = database.prepare<[object]>(
    `UPDATE tokens SET confirmed_block = iif(@blockNumber < 0, NULL, @blockNumber)
     WHERE token_number = @tokenNumber AND confirmed_block > @blockNumber`,
  );
  const raise = database.prepare<[object]>(
    `UPDATE tokens SET confirmed_block = max(ifnull(confirmed_block, @number), @number)
     WHERE token_number = @tokenNumber AND EXISTS (
       SELECT 1 FROM held_blocks
       WHERE token_number = @tokenNumber AND block_number = @number AND block_hash = @hash)`,
  );
  // Of a group with a max(), SQLite gives the other columns from the row that has it.
  const selectPowers = database.prepare<[number, number], { delegate: Buffer; votes: string }>(
    `SELECT delegate, after_votes AS votes, max(block_number * ${LOG_INDEX_MAX + 1} + log_index)
     FROM delegation_events
     WHERE token_number = ? AND block_number <= ? AND kind = 'votes-changed'
     GROUP BY delegate`,
  );
  return (tokenNumber) => ({
    heldBlocks: () => selectHeld.all(tokenNumber),
    insert: (event) => insertEvent.run(...delegationRow(tokenNumber, KEPT, event)).changes === 1,
    hold({ number, hash }) {
      insertHeld.run(tokenNumber, number, hash);
      dropOldest.run({ tokenNumber });
    },
    dropAfter(blockNumber) {
      dropEvents.run(tokenNumber, blockNumber);
      dropHeld.run(tokenNumber, blockNumber);
      lower.run({ tokenNumber, blockNumber });
    },
    confirm: ({ number, hash }) => raise.run({ tokenNumber, number, hash }).changes === 1,
    powersAt(blockNumber) {
      const powers = new Map<string, bigint>();
      for (const { delegate, votes } of selectPowers.iterate(tokenNumber, blockNumber)) {
        powers.set(addressOf(delegate), BigInt(votes));
      }
      return powers;
    },
  });
}

/** Kept events belong to no one fetch. */
const KEPT = 0;
