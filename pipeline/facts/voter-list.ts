/** Words of 32 bits that one address takes: all of a Starknet one, the first five of an EVM one, which the rest of 0 follows. */
export const ADDRESS_WORDS = 8;

/** Hex digits of an EVM address and of a Starknet one. */
export const ADDRESS_DIGITS = { evm: 40, starknet: 64 } as const;

/** Distinct addresses in an order of their own, so many that a text for each would be too much. */
export interface VoterList {
  readonly count: number;
  /** `ADDRESS_WORDS` for each; the first word holds the first eight hex digits. */
  readonly words: Int32Array;
  /** 1 for an address of 64 digits, 0 for one of 40. */
  readonly isLong: Uint8Array;
}

const NOT_HEX = 255;

/** By character code, what a hex digit of either case is worth. */
const WORTH = new Uint8Array(256).fill(NOT_HEX);
for (const [worth, digit] of [..."0123456789abcdef"].entries()) {
  WORTH[digit.charCodeAt(0)] = worth;
  WORTH[digit.toUpperCase().charCodeAt(0)] = worth;
}

/** Reads an address of 40 or 64 hex digits, of either case, from the codes of its characters; `false` where one is no hex digit. */
export function readAddress(codes: Uint8Array, from: number, digits: number, words: Int32Array): boolean {
  let bad = 0;
  let place = from;
  for (let word = 0; word < digits >> 3; word += 1) {
    let value = 0;
    for (const end = place + 8; place < end; place += 1) {
      const worth = WORTH[codes[place] ?? 0] ?? NOT_HEX;
      bad |= worth;
      value = (value << 4) | worth;
    }
    words[word] = value;
  }
  for (let word = digits >> 3; word < ADDRESS_WORDS; word += 1) words[word] = 0;
  return bad <= 15;
}

/** One address of a list as text: 0x and lower-case digits. */
export function addressAt({ words, isLong }: VoterList, place: number): string {
  const count = isLong[place] === 1 ? ADDRESS_WORDS : ADDRESS_DIGITS.evm / 8;
  let text = "0x";
  for (let word = 0; word < count; word += 1)
    text += ((words[place * ADDRESS_WORDS + word] ?? 0) >>> 0).toString(16).padStart(8, "0");
  return text;
}
