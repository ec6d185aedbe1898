import { createHash } from "node:crypto";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { ReadyDocument, Representation } from "../../snapshots/store/snapshot-reader.ts";

/** The knee of the curve for JSON of this size. */
const BROTLI_QUALITY = 5;

/** Hex digits of the body's hash in an ETag: 128 bits, as in the index. */
const ETAG_DIGITS = 32;

/** Bytes with the strong ETag of exactly these bytes. */
export function representationOf(bytes: Buffer): Representation {
  const hash = createHash("sha256").update(bytes).digest("hex");
  return { bytes, etag: `"${hash.slice(0, ETAG_DIGITS)}"` };
}

/** A body packed in one encoding. */
export function compress(bytes: Buffer, encoding: "br" | "gzip"): Buffer {
  if (encoding === "gzip") return gzipSync(bytes);
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } });
}

/** A body in every encoding, each with its own ETag. */
export function readyDocumentOf(bytes: Buffer): ReadyDocument {
  return {
    identity: representationOf(bytes),
    gzip: representationOf(compress(bytes, "gzip")),
    brotli: representationOf(compress(bytes, "br")),
  };
}
