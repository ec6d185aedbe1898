import type { DelegationEvent } from "../facts/delegation.ts";
import { invariant } from "../facts/errors.ts";
import type { IndexedBlock } from "../facts/governance-source.ts";
import { addressOf } from "./byte-columns.ts";
import { busyElsewhere, type Database } from "./database.ts";
import { DELEGATION_COLUMNS, type DelegationRow, delegationRow } from "./delegation-events.ts";
import type { WriteAtOnce } from "./voter-numbers.ts";

/** How many blocks are remembered up to which all is held; a chain that took back all of them is read from its start. */
const HELD_BLOCKS_MAX = 32;

/** More logs than any block has, and more blocks than any chain: a place of both fits one integer of SQLite. */
const LOG_INDEX_MAX = 2 ** 24 - 1;
const BLOCK_NUMBER_MAX = 2 ** 39 - 1;

/** What is kept of one token, row by row. The caller opens the transactions, and knows what goes together. */
type KeptToken = ReturnType<ReturnType<typeof keptToken>>;

/** Prepares what is said about kept tokens. */
export function keptToken(database: Database) {
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
  return (tokenNumber: number) => ({
    /** Newest first. */
    heldBlocks: (): readonly IndexedBlock[] => selectHeld.all(tokenNumber),
    /** Answers whether the event is new; one that is there already stays as it is. */
    insert: (event: DelegationEvent) =>
      insertEvent.run(...delegationRow(tokenNumber, KEPT, event)).changes === 1,
    hold({ number, hash }: IndexedBlock) {
      insertHeld.run(tokenNumber, number, hash);
      dropOldest.run({ tokenNumber });
    },
    /** Drops the events and the held blocks after a block, and shows readers no more than up to there; -1: everything. */
    dropAfter(blockNumber: number) {
      dropEvents.run(tokenNumber, blockNumber);
      dropHeld.run(tokenNumber, blockNumber);
      lower.run({ tokenNumber, blockNumber });
    },
    /** Shows readers the events up to a block, or further where that was confirmed already; `false` where it is not held. */
    confirm: ({ number, hash }: IndexedBlock) => raise.run({ tokenNumber, number, hash }).changes === 1,
    powersAt(blockNumber: number): ReadonlyMap<string, bigint> {
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

/** A token's memory, and what the commit of its fetch needs to know of it. */
export type OpenDelegationMemory = ReturnType<typeof createDelegationMemory>;

/**
 * Opens the memory of one token, as it is on disk now. Whatever is written later goes on from there or is refused with
 * WAREHOUSE_BUSY: of two processes that fetch the same token, one stops before their events mix.
 *
 * No event is ever kept after the newest held block, so that going back to a held block is the same as never having
 * read on.
 */
export function createDelegationMemory(token: KeptToken, writeAtOnce: WriteAtOnce) {
  let held = token.heldBlocks();
  let kept = 0;

  const writeInTurn = <Result>(work: () => Result): Result =>
    writeAtOnce(() => {
      if (!isSame(token.heldBlocks()[0], held[0])) throw busyElsewhere();
      return work();
    });
  return {
    heldThrough: (): readonly IndexedBlock[] => held,
    /** Keeps events, and that all are held up to `block`; at once. */
    keep(events: readonly DelegationEvent[], block: IndexedBlock): void {
      const newest = held[0];
      const isNext = newest === undefined || block.number > newest.number;
      invariant(isNext || isSame(block, newest), `block ${block.number} does not come after what is held`);
      invariant(isCount(block.number, BLOCK_NUMBER_MAX), `block ${block.number} is no block's number`);
      kept += writeInTurn(() => {
        const count = insertAll(token, events, block.number);
        if (isNext) token.hold(block);
        return count;
      });
      if (isNext) held = [block, ...held].slice(0, HELD_BLOCKS_MAX);
    },
    rewind(block: IndexedBlock | undefined): void {
      const standing =
        block === undefined ? [] : held.filter((one) => one.number < block.number || isSame(one, block));
      if (standing.length === held.length) return;
      writeInTurn(() => token.dropAfter(standing[0]?.number ?? -1));
      held = standing;
    },
    powersAt: token.powersAt,
    /** How many new events this fetch kept, those included that it took back later. */
    keptCount: () => kept,
    /** Called within the commit's transaction: readers see what is held from now on. */
    settle(): void {
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
