import { sha256Hex } from "../format/canonical-json.ts";

/** Hex digits of a strong ETag: 128 bits of SHA-256. */
const ETAG_DIGITS = 32;

/** The strong ETag, with its quotes, of exactly these bytes. */
export function etagOf(bytes: Uint8Array): string {
  return `"${sha256Hex(bytes).slice(0, ETAG_DIGITS)}"`;
}
