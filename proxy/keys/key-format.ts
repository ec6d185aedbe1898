import { crc32 } from "node:zlib";
import { BASE62_DIGITS, base62OfUint32, type RandomBytes, randomBase62 } from "./base62.ts";

/** What a key is for; `test` is a label for its owner, both open the same. */
export const KEY_ENVIRONMENTS = ["live", "test"] as const;
export type KeyEnvironment = (typeof KEY_ENVIRONMENTS)[number];

/** 40 digits of base62 are 238 bits. */
const SECRET_DIGITS = 40;
const CHECKSUM_DIGITS = 6;
const ID_DIGITS = 12;

const PREFIXES: readonly string[] = KEY_ENVIRONMENTS.map((environment) => `gvk_${environment}_`);
const PREFIX_CHARACTERS = 9;
const KEY_CHARACTERS = PREFIX_CHARACTERS + SECRET_DIGITS + CHECKSUM_DIGITS;

/** 0 for a digit of base62 and 1 for the rest of ASCII. */
const STRANGENESS = Uint8Array.from({ length: 128 }, (_, code) =>
  BASE62_DIGITS.includes(String.fromCharCode(code)) ? 0 : 1,
);

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
  // All of it is looked at in every text: a clock does not learn what failed, nor how far it was right.
  const hasShape = hasKeyShape(text);
  const isChecked = keyChecksum(text.slice(0, -CHECKSUM_DIGITS)) === text.slice(-CHECKSUM_DIGITS);
  return hasShape && isChecked;
}

/** As `^gvk_(live|test)_[0-9A-Za-z]{46}$`, without stopping at the first strange character. */
function hasKeyShape(text: string): boolean {
  if (text.length !== KEY_CHARACTERS) return false;
  let strange = PREFIXES.includes(text.slice(0, PREFIX_CHARACTERS)) ? 0 : 1;
  for (let place = PREFIX_CHARACTERS; place < KEY_CHARACTERS; place += 1) {
    strange += STRANGENESS[text.charCodeAt(place)] ?? 1;
  }
  return strange === 0;
}
