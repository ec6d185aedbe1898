import { ADDRESS_DIGITS, ADDRESS_WORDS, type VoterList } from "../facts/voter-list.ts";
import { checksumOf } from "./checksum.ts";
import { corrupt } from "./corrupt.ts";

/** Voters in a full block; small, because the last block is written again with every commit that brings new ones. */
export const VOTERS_A_BLOCK = 1_024;

/**
 * A block of voters by their numbers: format (1 byte), a bit for each that is set for a Starknet address, the
 * addresses (20 or 32 bytes each), and a CRC-32 of all that, begun with the name of the block.
 */
const FORMAT = 1;
const CHECKSUM_BYTES = 4;
const SHORT_WORDS = ADDRESS_DIGITS.evm / 8;

/** The voters of a list from place `from` as the bytes of a block: as many as there are, at most a full one. */
export function packVoters(blockNumber: number, list: VoterList, from: number): Buffer {
  const count = Math.min(VOTERS_A_BLOCK, list.count - from);
  const bytes = Buffer.alloc(addressesAt(count) + count * ADDRESS_WORDS * 4 + CHECKSUM_BYTES);
  bytes[0] = FORMAT;
  let at = addressesAt(count);
  for (let place = 0; place < count; place += 1) {
    const isLong = list.isLong[from + place] === 1;
    if (isLong) bytes[1 + (place >> 3)] = (bytes[1 + (place >> 3)] as number) | (1 << (place & 7));
    const start = (from + place) * ADDRESS_WORDS;
    const end = start + (isLong ? ADDRESS_WORDS : SHORT_WORDS);
    for (let word = start; word < end; word += 1) at = bytes.writeInt32BE(list.words[word] as number, at);
  }
  bytes.writeUInt32LE(checksumOf(blockName(blockNumber, count), bytes.subarray(0, at)), at);
  return bytes.subarray(0, at + CHECKSUM_BYTES);
}

/** The voters that `packVoters` wrote; throws WAREHOUSE_CORRUPT naming the block where the bytes are not that. */
export function unpackVoters(blockNumber: number, count: number, packed: Uint8Array): VoterList {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  const end = bytes.length - CHECKSUM_BYTES;
  const fail = (what: string) => corrupt(`${blockName(blockNumber, count)}: ${what}`);
  const isWhole =
    end >= 1 && bytes.readUInt32LE(end) === checksumOf(blockName(blockNumber, count), bytes.subarray(0, end));
  if (!isWhole) throw fail("its checksum does not match");
  if (bytes[0] !== FORMAT) throw fail(`format ${bytes[0]} is not known`);
  const words = new Int32Array(count * ADDRESS_WORDS);
  const isLong = new Uint8Array(count);
  let at = addressesAt(count);
  for (let place = 0; place < count; place += 1) {
    const kind = ((bytes[1 + (place >> 3)] ?? 0) >> (place & 7)) & 1;
    const length = kind === 1 ? ADDRESS_WORDS : SHORT_WORDS;
    if (at + length * 4 > end) throw fail("its addresses do not fill it");
    isLong[place] = kind;
    for (let word = 0; word < length; word += 1) {
      words[place * ADDRESS_WORDS + word] = bytes.readInt32BE(at);
      at += 4;
    }
  }
  if (at !== end) throw fail("its addresses do not fill it");
  return { count, words, isLong };
}

function addressesAt(count: number): number {
  return 1 + ((count + 7) >> 3);
}

function blockName(blockNumber: number, count: number): string {
  return `block ${blockNumber} of ${count} voters`;
}
