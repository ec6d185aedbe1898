import { ADDRESS_DIGITS, ADDRESS_WORDS, type VoterList } from "../facts/voters.ts";
import { openSealed, sealColumns } from "./byte-columns.ts";
import { corrupt, type Database } from "./database.ts";

/** Voters in a full block; small, because every commit with new voters rewrites the last block. */
const VOTERS_PER_BLOCK = 1_024;

/**
 * A block of voters, sorted by number: format (1 byte), one bit per voter that is set for a Starknet address, the
 * addresses (20 or 32 bytes each), and a checksum of all this under the name of the block.
 */
const FORMAT = 1;
const SHORT_WORDS = ADDRESS_DIGITS.evm / 8;

/** Packs the voters of a list from index `from` on into a block, at most a full one. */
function packVoters(blockNumber: number, list: VoterList, from: number): Buffer {
  const count = Math.min(VOTERS_PER_BLOCK, list.count - from);
  const bytes = Buffer.alloc(addressesAt(count) + count * ADDRESS_WORDS * 4);
  bytes[0] = FORMAT;
  let offset = addressesAt(count);
  for (let index = 0; index < count; index += 1) {
    const isLong = list.isLong[from + index] === 1;
    if (isLong) bytes[1 + (index >> 3)] = (bytes[1 + (index >> 3)] as number) | (1 << (index & 7));
    const start = (from + index) * ADDRESS_WORDS;
    const end = start + (isLong ? ADDRESS_WORDS : SHORT_WORDS);
    for (let word = start; word < end; word += 1)
      offset = bytes.writeInt32BE(list.words[word] as number, offset);
  }
  return sealColumns(blockName(blockNumber, count), [bytes.subarray(0, offset)]);
}

/** The inverse of `packVoters`; throws WAREHOUSE_CORRUPT, naming the block, if the bytes are damaged. */
function unpackVoters(blockNumber: number, count: number, packed: Uint8Array): VoterList {
  const name = blockName(blockNumber, count);
  const fail = (what: string) => corrupt(`${name}: ${what}`);
  const bytes = openSealed(name, packed, 1, fail);
  const end = bytes.length;
  if (bytes[0] !== FORMAT) throw fail(`format ${bytes[0]} is not known`);
  const words = new Int32Array(count * ADDRESS_WORDS);
  const isLong = new Uint8Array(count);
  let offset = addressesAt(count);
  for (let index = 0; index < count; index += 1) {
    const kind = ((bytes[1 + (index >> 3)] ?? 0) >> (index & 7)) & 1;
    const length = kind === 1 ? ADDRESS_WORDS : SHORT_WORDS;
    if (offset + length * 4 > end) throw fail("its length does not match its addresses");
    isLong[index] = kind;
    for (let word = 0; word < length; word += 1) {
      words[index * ADDRESS_WORDS + word] = bytes.readInt32BE(offset);
      offset += 4;
    }
  }
  if (offset !== end) throw fail("its length does not match its addresses");
  return { count, words, isLong };
}

function addressesAt(count: number): number {
  return 1 + ((count + 7) >> 3);
}

function blockName(blockNumber: number, count: number): string {
  return `block ${blockNumber} of ${count} voters`;
}

/** Receives each voter: `ADDRESS_WORDS` words from `at`, and the voter number. */
type VisitVoter = (words: Int32Array, offset: number, isLong: boolean, voterNumber: number) => void;

// Voters are numbered from 1 without gaps and stored in blocks; all blocks but the last are full.

/** The largest voter number; 0 without voters. */
export function highestVoter(database: Database): number {
  const last = database.get<{ blockNumber: number; count: number }>(
    "SELECT block_number, voters_count AS count FROM voter_blocks ORDER BY block_number DESC LIMIT 1",
  );
  return last === undefined ? 0 : last.blockNumber * VOTERS_PER_BLOCK + last.count;
}

/** Visits the voters after a number, in order; throws WAREHOUSE_CORRUPT if a block is missing or damaged. */
export function eachVoterAfter(database: Database, voterNumber: number, visit: VisitVoter): void {
  const first = blockOf(voterNumber + 1);
  let end = first * VOTERS_PER_BLOCK;
  const blocks = database.iterate<{ blockNumber: number; count: number; packed: Buffer }>(
    `SELECT block_number, voters_count AS count, packed
     FROM voter_blocks WHERE block_number >= ? ORDER BY block_number`,
    first,
  );
  for (const { blockNumber, count, packed } of blocks) {
    // Unequal if a block is missing, or if a block that is not full is followed by another one.
    if (blockNumber * VOTERS_PER_BLOCK !== end) throw notInOrder();
    const { words, isLong } = unpackVoters(blockNumber, count, packed);
    for (let index = Math.max(0, voterNumber - end); index < count; index += 1) {
      visit(words, index * ADDRESS_WORDS, isLong[index] === 1, end + index + 1);
    }
    end += count;
  }
  if (end < voterNumber) throw notInOrder();
}

/** Writes voters (index 0 has number 1), from the block of the voter after `voterNumber` on. */
export function putVotersAfter(database: Database, voterNumber: number, voters: VoterList): void {
  for (let block = blockOf(voterNumber + 1); block * VOTERS_PER_BLOCK < voters.count; block += 1) {
    const from = block * VOTERS_PER_BLOCK;
    const votersCount = Math.min(VOTERS_PER_BLOCK, voters.count - from);
    database.put("voter_blocks", {
      blockNumber: block,
      votersCount,
      packed: packVoters(block, voters, from),
    });
  }
}

/** The error for voters that are not numbered 1, 2, 3 and so on, each with its own address. */
export function notInOrder(): Error {
  return corrupt("its voters are not numbered from 1 to their count");
}

function blockOf(voterNumber: number): number {
  return Math.floor((voterNumber - 1) / VOTERS_PER_BLOCK);
}
