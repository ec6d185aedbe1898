import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync, gzipSync } from "node:zlib";
import { sha256Hex } from "../../format/canonical-json.ts";
import { DelegateItem, type DelegateListing, DelegateSummary } from "../../format/delegates.ts";
import type { DocumentKind, Meta } from "../../format/envelope.ts";
import type { WeightTier } from "../../format/value-sets.ts";
import type { ManifestHead } from "./locate-version.ts";
import type { SnapshotError } from "./snapshot-error.ts";

/** Hex digits of a strong ETag: 128 bits of SHA-256. */
const ETAG_DIGITS = 32;

/** The strong ETag, with its quotes, of exactly these bytes. */
export function etagOf(bytes: Uint8Array): string {
  return `"${sha256Hex(bytes).slice(0, ETAG_DIGITS)}"`;
}

/** One representation of an answer: its bytes and the strong ETag of exactly these bytes (with quotes). */
export interface Representation {
  readonly bytes: Buffer;
  readonly etag: string;
}

/** A whole envelope, ready to send in each encoding. */
export interface ReadyDocument {
  readonly identity: Representation;
  readonly gzip: Representation;
  readonly brotli: Representation;
}

/** A delegate listing, its rows already serialised, so that an answer is cut and not computed. */
export interface ReadyListing {
  readonly meta: Meta;
  readonly dao: string;
  readonly fetchedAt: string;
  readonly totalDelegates: number;
  readonly summaryJson: string;
  readonly rows: readonly { readonly weightTier: WeightTier; readonly json: string }[];
}

/** A listing as a document, with these of its rows. */
export function listingDocument(listing: ReadyListing, rows: ReadyListing["rows"]): DelegateListing {
  return {
    dao: listing.dao,
    fetched_at: listing.fetchedAt,
    total_delegates: listing.totalDelegates,
    delegates: rows.map((row) => DelegateItem.parse(JSON.parse(row.json))),
    summary: DelegateSummary.parse(JSON.parse(listing.summaryJson)),
  };
}

/** One verified version, open for reading. Ids are looked up in the index; no path is built from them. */
export interface SnapshotReader {
  readonly version: string;
  readonly sequence: number;
  readonly manifest: ManifestHead;
  document(kind: DocumentKind, id: string): ReadyDocument | undefined;
  /** Of every published entity, in their order. */
  entityIds(): readonly string[];
  /** Wallet in lower case. */
  entityIdOfWallet(wallet: string): string | undefined;
  latestListing(spaceId: string): ReadyListing | undefined;
  /**
   * One line of the file of its month, read and verified by its own hash each time; throws `SnapshotError` when it is not
   * what was published. From then on this version has no such listing, so that nobody has damage read again and again.
   */
  datedListing(spaceId: string, date: string): ReadyListing | undefined;
  /** Why the first of those listings was refused; undefined while none was. */
  refusedListing(): SnapshotError | undefined;
  /** What has become wrong with the index since it was opened; asked again and again, it costs one look at the file. */
  damage(): Promise<SnapshotError | undefined>;
  close(): void;
}

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

/** Whether a packed body gives exactly this one; no more than its size is ever unpacked. */
export function unpacksTo(body: Buffer, packed: Buffer, encoding: "br" | "gzip"): boolean {
  const unpack = encoding === "gzip" ? gunzipSync : brotliDecompressSync;
  try {
    return unpack(packed, { maxOutputLength: Math.max(1, body.length) }).equals(body);
  } catch {
    return false;
  }
}

/** A body in every encoding, each with its own ETag. */
export function readyDocumentOf(bytes: Buffer): ReadyDocument {
  return {
    identity: representationOf(bytes),
    gzip: representationOf(compress(bytes, "gzip")),
    brotli: representationOf(compress(bytes, "br")),
  };
}
