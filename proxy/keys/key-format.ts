import { crc32 } from "node:zlib";

/** What a key is for. `test` is only a label for its owner: both give the same access. */
export const KEY_ENVIRONMENTS = ["live", "test"] as const;
export type KeyEnvironment = (typeof KEY_ENVIRONMENTS)[number];

/** Bytes from a cryptographically secure source. */
export type RandomBytes = (count: number) => Uint8Array;

const BASE62_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** 40 digits of base62 are 238 bits. */
const SECRET_DIGITS = 40;
const CHECKSUM_DIGITS = 6;
const ID_DIGITS = 12;

const KEY = /^gvk_(live|test)_[0-9A-Za-z]{46}$/;

/** Bytes from this value up are discarded, so that every digit is equally likely (248 = 4 × 62). */
const UNBIASED_BELOW = 248;

/** A source that needs more rounds is broken: for a sound one, the chance is 2⁻⁸⁰⁰⁰. */
const ROUNDS_MAX = 100;

/** Makes a key. It is shown once; only its digest is kept. */
export function makeKey(environment: KeyEnvironment, randomBytes: RandomBytes): string {
  const body = `gvk_${environment}_${randomBase62(SECRET_DIGITS, randomBytes)}`;
  return `${body}${keyChecksum(body)}`;
}

/** Makes a key's id, for logs and for revoking it. It is independent of the key. */
export function makeKeyId(randomBytes: RandomBytes): string {
  return `key_${randomBase62(ID_DIGITS, randomBytes)}`;
}

/** Whether a text has the format of a key and a correct checksum. The key need not exist. */
export function isWellFormedKey(text: string): boolean {
  return KEY.test(text) && keyChecksum(text.slice(0, -CHECKSUM_DIGITS)) === text.slice(-CHECKSUM_DIGITS);
}

/** CRC-32 of the text before it, in base62, left-padded with `0`. Catches typing errors, proves nothing. */
function keyChecksum(body: string): string {
  let text = "";
  for (let rest = crc32(body); rest > 0; rest = Math.floor(rest / 62)) {
    text = `${BASE62_DIGITS[rest % 62]}${text}`;
  }
  return text.padStart(CHECKSUM_DIGITS, "0");
}

/** Returns `length` base62 digits, each uniformly distributed by rejection sampling. */
function randomBase62(length: number, randomBytes: RandomBytes): string {
  let text = "";
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    for (const byte of randomBytes(length)) {
      if (byte < UNBIASED_BELOW) text += BASE62_DIGITS[byte % 62];
      if (text.length === length) return text;
    }
  }
  throw new Error("the random source gives no usable bytes");
}
