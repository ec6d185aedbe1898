import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync, gzipSync } from "node:zlib";
import { sha256Hex } from "../../format/canonical-json.ts";
import { DelegateItem, type DelegateListing, DelegateSummary } from "../../format/delegates.ts";
import type { DocumentKind, Meta } from "../../format/envelope.ts";
import type { WeightTier } from "../../format/value-sets.ts";
import type { DocumentRow } from "./index-schema.ts";
import type { ManifestHead } from "./locate-version.ts";
import type { SnapshotFailure } from "./snapshot-error.ts";

/** Number of hex digits of an ETag: 128 bits of SHA-256. */
const ETAG_DIGITS = 32;

/** The strong ETag of these bytes, with its quotes. */
export function etagOf(bytes: Uint8Array): string {
  return `"${sha256Hex(bytes).slice(0, ETAG_DIGITS)}"`;
}

type Representation = ReturnType<typeof representationOf>;

/** A whole envelope, ready to send in each encoding. */
export interface ReadyDocument {
  readonly identity: Representation;
  readonly gzip: Representation;
  readonly brotli: Representation;
}

/** A delegate listing with serialised rows, so that responses are only cut from it. */
export interface ReadyListing {
  readonly meta: Meta;
  readonly dao: string;
  readonly fetchedAt: string;
  readonly totalDelegates: number;
  readonly summaryJson: string;
  readonly rows: readonly { readonly weightTier: WeightTier; readonly json: string }[];
}

/** A listing as a document with the given rows. */
export function listingDocument(listing: ReadyListing, rows: ReadyListing["rows"]): DelegateListing {
  return {
    dao: listing.dao,
    fetched_at: listing.fetchedAt,
    total_delegates: listing.totalDelegates,
    delegates: rows.map((row) => DelegateItem.parse(JSON.parse(row.json))),
    summary: DelegateSummary.parse(JSON.parse(listing.summaryJson)),
  };
}

/** One verified version, open for reading. IDs are looked up in the index and never become paths. */
export interface SnapshotReader {
  readonly version: string;
  readonly sequence: number;
  readonly manifest: ManifestHead;
  document(kind: DocumentKind, id: string): ReadyDocument | undefined;
  /** IDs of all published entities, sorted. */
  entityIds(): readonly string[];
  /** `wallet` in lower case. */
  entityIdOfWallet(wallet: string): string | undefined;
  latestListing(spaceId: string): ReadyListing | undefined;
  /**
   * Reads one line from the file of its month and verifies its hash on each call. Throws `SnapshotFailure` once if it is
   * damaged, and returns undefined after that, so that the damaged line is not read again and again.
   */
  datedListing(spaceId: string, date: string): ReadyListing | undefined;
  /** The error of the first damaged listing; undefined while there is none. */
  refusedListing(): SnapshotFailure | undefined;
  /** Damage of the index since it was opened, or undefined. Repeated calls only cost a `stat` of the file. */
  damage(): Promise<SnapshotFailure | undefined>;
  close(): void;
}

/** The best trade-off of size and time for this JSON; fixed, because the same content must give the same bytes. */
const BROTLI_QUALITY = 5;
const GZIP_LEVEL = 9;

/** Bytes with their strong ETag, with its quotes. */
export function representationOf(bytes: Buffer) {
  return { bytes, etag: etagOf(bytes) };
}

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

/** What is wrong with the encodings of a body; never unpacks more than its size. */
export function* encodingTroubles(row: Encodings): Generator<string> {
  if (!unpacksTo(row.body, row.gzip, "gzip")) yield "has another body in gzip";
  if (!unpacksTo(row.body, row.brotli, "br")) yield "has another body in brotli";
  const isTagged =
    row.body_etag === etagOf(row.body) &&
    row.gzip_etag === etagOf(row.gzip) &&
    row.brotli_etag === etagOf(row.brotli);
  if (!isTagged) yield "has a wrong ETag";
}

type Encodings = Omit<DocumentRow, "kind" | "id" | "path" | "meta">;

function unpacksTo(body: Buffer, packed: Buffer, encoding: "br" | "gzip"): boolean {
  const unpack = encoding === "gzip" ? gunzipSync : brotliDecompressSync;
  try {
    return unpack(packed, { maxOutputLength: Math.max(1, body.length) }).equals(body);
  } catch {
    return false;
  }
}

export function readyDocumentOf(bytes: Buffer): ReadyDocument {
  return {
    identity: representationOf(bytes),
    gzip: representationOf(compress(bytes, "gzip")),
    brotli: representationOf(compress(bytes, "br")),
  };
}
