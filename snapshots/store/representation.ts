import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { etagOf } from "./etag-of.ts";
import type { ReadyDocument, Representation } from "./snapshot-reader.ts";

/** The knee of size against time on JSON of this kind; fixed, because the same content must give the same bytes. */
const BROTLI_QUALITY = 5;
const GZIP_LEVEL = 9;

/** Bytes with the strong ETag of exactly these bytes. */
export function representationOf(bytes: Buffer): Representation {
  return { bytes, etag: etagOf(bytes) };
}

/** A body packed in one encoding. */
export function compress(bytes: Buffer, encoding: "br" | "gzip"): Buffer {
  if (encoding === "gzip") return gzipSync(bytes, { level: GZIP_LEVEL });
  return brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
}

/** A body in every encoding, each with its own ETag. */
export function readyDocumentOf(bytes: Buffer): ReadyDocument {
  return {
    identity: representationOf(bytes),
    gzip: representationOf(compress(bytes, "gzip")),
    brotli: representationOf(compress(bytes, "br")),
  };
}
