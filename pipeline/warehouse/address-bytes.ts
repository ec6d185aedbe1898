import { invariant } from "../base/invariant.ts";
import { ADDRESS_DIGITS, ADDRESS_WORDS, readAddress } from "../facts/voter-list.ts";

const LOWER_CASE_ADDRESS = /^0x(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** An address as bytes: 20 of an EVM one, 32 of a Starknet one. Throws on any other spelling: two spellings would be two voters. */
export function addressBytes(address: string): Buffer {
  demandAddress(address);
  return Buffer.from(address.slice(2), "hex");
}

/** As `addressBytes`, but `undefined` for what is no such address. */
export function maybeAddressBytes(address: string): Buffer | undefined {
  return LOWER_CASE_ADDRESS.test(address) ? addressBytes(address) : undefined;
}

/** Back from `addressBytes`. */
export function addressOf(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")}`;
}

/** An address as a voter list holds it. */
export interface AddressWords {
  readonly words: Int32Array;
  readonly isLong: boolean;
}

/** An address as words; throws on any other spelling. */
export function addressWords(address: string): AddressWords {
  demandAddress(address);
  const digits = Buffer.from(address.slice(2), "latin1");
  const words = new Int32Array(ADDRESS_WORDS);
  readAddress(digits, 0, digits.length, words);
  return { words, isLong: digits.length === ADDRESS_DIGITS.starknet };
}

/** As `addressWords`, but `undefined` for what is no such address. */
export function maybeAddressWords(address: string): AddressWords | undefined {
  return LOWER_CASE_ADDRESS.test(address) ? addressWords(address) : undefined;
}

function demandAddress(address: string): void {
  invariant(LOWER_CASE_ADDRESS.test(address), "an address is not 0x and 40 or 64 lower-case hex digits");
}
