import fc from "fast-check";
import {
  ADDRESS_WORDS,
  createVoterTable,
  readAddress,
  type VoterList,
  type VoterTable,
} from "../../../pipeline/facts/voters.ts";

const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: length, maxLength: length });

/** Any address of either length; many of them differ in little, as those do that a person mines. */
export const arbitraryAddress: fc.Arbitrary<string> = fc.oneof(
  hex(40).map((digits) => `0x${digits}`),
  hex(64).map((digits) => `0x${digits}`),
  fc.nat(20).map((n) => `0x${n.toString(16).padStart(40, "0")}`),
  fc.nat(20).map((n) => `0x${n.toString(16).padEnd(64, "0")}`),
  fc.nat(20).map((n) => `0x${n.toString(16).padStart(64, "0")}`),
);

/** An address as words; fails on what is none. */
export function wordsOf(address: string): { readonly words: Int32Array; readonly isLong: boolean } {
  const digits = Buffer.from(address.slice(2));
  const words = new Int32Array(ADDRESS_WORDS);
  if (!readAddress(digits, 0, digits.length, words)) throw new Error(`${address} is no address`);
  return { words, isLong: digits.length === 64 };
}

/** The place of an address in a table, as callers ask for it. */
export function placeIn(table: VoterTable, address: string): number {
  const { words, isLong } = wordsOf(address);
  return table.intern(words, 0, isLong);
}

/** Distinct addresses as a list. */
export function voterListOf(addresses: Iterable<string>): VoterList {
  const table = createVoterTable(7);
  for (const address of addresses) placeIn(table, address);
  return table.list();
}
