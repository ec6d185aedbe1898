import { createHash } from "node:crypto";

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const BITS_PER_DIGIT = 5;
const DIGITS = 26;

/** The id of an entity: `ent_` and the first 26 digits of the lower-case base32 (RFC 4648) of sha256(label). */
export function entityIdOf(label: string): string {
  let bits = 0;
  let bitsCount = 0;
  let digits = "";
  for (const byte of createHash("sha256").update(label).digest()) {
    bits = (bits << 8) | byte;
    bitsCount += 8;
    while (bitsCount >= BITS_PER_DIGIT) {
      bitsCount -= BITS_PER_DIGIT;
      digits += ALPHABET.charAt(bits >> bitsCount);
      bits &= (1 << bitsCount) - 1;
    }
  }
  return `ent_${digits.slice(0, DIGITS)}`;
}
