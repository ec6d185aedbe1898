import { randomInt } from "node:crypto";
import { createVoterBook, type VoterBook } from "../../facts/voter-book.ts";
import { ADDRESS_DIGITS, ADDRESS_WORDS, readAddress } from "../../facts/voter-list.ts";

/** The voters of one file by the order in which they were first seen, as text or as bytes. */
export interface VotersOfFile {
  readonly book: VoterBook;
  /** The place of an address of 0x and 40 or 64 hex digits. */
  placeOfText(address: string): number;
}

/** Nobody yet. */
export function createVotersOfFile(): VotersOfFile {
  const book = createVoterBook(randomInt(2 ** 32));
  const codes = new Uint8Array(2 + ADDRESS_DIGITS.starknet);
  const words = new Int32Array(ADDRESS_WORDS);
  return {
    book,
    placeOfText(address) {
      for (let place = 0; place < address.length; place += 1) codes[place] = address.charCodeAt(place);
      const digits = address.length - 2;
      readAddress(codes, 2, digits, words);
      return book.placeOf(words, 0, digits === ADDRESS_DIGITS.starknet);
    },
  };
}
