/** The digits of base62, lowest first. */
export const BASE62_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Bytes at or above this are thrown away, so that every digit is equally likely (248 = 4 × 62). */
const UNBIASED_BELOW = 248;

/** A source that gives this many useless bytes in a row is broken: for a sound one the chance is 2⁻⁸⁰⁰⁰. */
const ROUNDS_MAX = 100;

/** Bytes from a cryptographically secure source. */
export type RandomBytes = (count: number) => Uint8Array;

/** So many base62 digits, each chosen evenly by rejection sampling. */
export function randomBase62(length: number, randomBytes: RandomBytes): string {
  let text = "";
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    for (const byte of randomBytes(length)) {
      if (byte < UNBIASED_BELOW) text += BASE62_DIGITS[byte % 62];
      if (text.length === length) return text;
    }
  }
  throw new Error("the random source gives no usable bytes");
}

/** An unsigned 32-bit number in base62, left-padded with `0` to six digits. */
export function base62OfUint32(value: number): string {
  if (!Number.isInteger(value) || value < 0 || value > 0xffffffff) {
    throw new RangeError("not an unsigned 32-bit number");
  }
  let text = "";
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) {
    text = `${BASE62_DIGITS[rest % 62]}${text}`;
  }
  return text.padStart(6, "0");
}
