import { crc32 } from "node:zlib";
import { base62OfUint32, type RandomBytes, randomBase62 } from "./base62.ts";

/** What a key is for; `test` is a label for its owner, both open the same. */
export const KEY_ENVIRONMENTS = ["live", "test"] as const;
export type KeyEnvironment = (typeof KEY_ENVIRONMENTS)[number];

/** 40 digits of base62 are 238 bits. */
const SECRET_DIGITS = 40;
const CHECKSUM_DIGITS = 6;
const ID_DIGITS = 12;

const KEY = /^gvk_(live|test)_[0-9A-Za-z]{46}$/;

/** CRC-32 of all that precedes it, in base62: catches typing errors, proves nothing. */
export function keyChecksum(body: string): string {
  return base62OfUint32(crc32(body));
}

/** A new key. It is shown once; only its digest is kept. */
export function makeKey(environment: KeyEnvironment, randomBytes: RandomBytes): string {
  const body = `gvk_${environment}_${randomBase62(SECRET_DIGITS, randomBytes)}`;
  return `${body}${keyChecksum(body)}`;
}

/** A name for a key, independent of the key, for logs and for revoking it. */
export function makeKeyId(randomBytes: RandomBytes): string {
  return `key_${randomBase62(ID_DIGITS, randomBytes)}`;
}

/** Whether a text has the shape of a key and its checksum holds; says nothing of whether the key exists. */
export function isWellFormedKey(text: string): boolean {
  // Both are looked at for every text: a clock does not learn which of them failed.
  const hasShape = KEY.test(text);
  const isChecked = keyChecksum(text.slice(0, -CHECKSUM_DIGITS)) === text.slice(-CHECKSUM_DIGITS);
  return hasShape && isChecked;
}
