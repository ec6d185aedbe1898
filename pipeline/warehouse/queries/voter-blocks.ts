import type { Database } from "better-sqlite3";
import { ADDRESS_WORDS, type VoterList } from "../../facts/voter-list.ts";
import { corrupt } from "../corrupt.ts";
import { packVoters, unpackVoters, VOTERS_A_BLOCK } from "../pack-voters.ts";

/** What is done with each voter: `ADDRESS_WORDS` words from `at`, and the number. */
export type VisitVoter = (words: Int32Array, at: number, isLong: boolean, voterNumber: number) => void;

/** All voters by number, from 1 without gaps, in blocks of which all but the last are full. */
export interface VoterBlocks {
  /** The largest number; 0 where there is none. */
  highest(): number;
  /** Goes through the voters after a number; throws WAREHOUSE_CORRUPT where a block is missing or damaged. */
  eachAfter(voterNumber: number, visit: VisitVoter): void;
  /** Writes the voters of a list whose place 0 has number 1, from the block on that holds the one after `voterNumber`. */
  putAfter(voterNumber: number, voters: VoterList): void;
}

interface Row {
  readonly blockNumber: number;
  readonly count: number;
  readonly packed: Buffer;
}

/** The voters of one connection's file. */
export function voterBlocks(database: Database): VoterBlocks {
  const selectLast = database.prepare<[], { blockNumber: number; count: number }>(
    "SELECT block_number AS blockNumber, voters_count AS count FROM voter_blocks ORDER BY block_number DESC LIMIT 1",
  );
  const select = database.prepare<[number], Row>(
    `SELECT block_number AS blockNumber, voters_count AS count, packed
     FROM voter_blocks WHERE block_number >= ? ORDER BY block_number`,
  );
  const replace = database.prepare<[number, number, Buffer]>(
    "INSERT OR REPLACE INTO voter_blocks (block_number, voters_count, packed) VALUES (?, ?, ?)",
  );
  return {
    highest() {
      const last = selectLast.get();
      return last === undefined ? 0 : last.blockNumber * VOTERS_A_BLOCK + last.count;
    },
    eachAfter(voterNumber, visit) {
      const first = blockOf(voterNumber + 1);
      let end = first * VOTERS_A_BLOCK;
      for (const { blockNumber, count, packed } of select.iterate(first)) {
        // `end` is past a full block, or else another block stands where the unfinished one was the last.
        if (blockNumber * VOTERS_A_BLOCK !== end) throw notInOrder();
        const { words, isLong } = unpackVoters(blockNumber, count, packed);
        for (let place = Math.max(0, voterNumber - end); place < count; place += 1) {
          visit(words, place * ADDRESS_WORDS, isLong[place] === 1, end + place + 1);
        }
        end += count;
      }
      if (end < voterNumber) throw notInOrder();
    },
    putAfter(voterNumber, voters) {
      for (let block = blockOf(voterNumber + 1); block * VOTERS_A_BLOCK < voters.count; block += 1) {
        const from = block * VOTERS_A_BLOCK;
        replace.run(block, Math.min(VOTERS_A_BLOCK, voters.count - from), packVoters(block, voters, from));
      }
    },
  };
}

/** The one error for voters whose numbers are not 1, 2, 3 and so on, each for one address. */
export function notInOrder(): Error {
  return corrupt("its voters are not numbered from 1 to their count");
}

function blockOf(voterNumber: number): number {
  return Math.floor((voterNumber - 1) / VOTERS_A_BLOCK);
}
