import { createHash } from "node:crypto";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { LRUCache } from "lru-cache";
import type { WeightTier } from "../../snapshots/format/value-sets.ts";
import type { ReadyListing, Representation, SnapshotReader } from "../../snapshots/store/snapshot-reader.ts";

/** The part of a listing a caller asks for. */
export interface DelegateCut {
  readonly spaceId: string;
  /** The latest listing without it. */
  readonly date: string | undefined;
  readonly weightTier: WeightTier | undefined;
  readonly limit: number;
}

/** An encoding a cut can be had in. */
export type CutEncoding = "br" | "gzip" | "identity";

/** Cuts delegate answers out of a version. */
export interface DelegateAnswers {
  /** The way to each encoding of a cut; undefined where the version has no such listing. */
  readonly find: (
    reader: SnapshotReader,
    cut: DelegateCut,
  ) => ((encoding: CutEncoding) => Representation) | undefined;
}

/** Beyond its bytes an entry costs its key, the maps and the Buffer object. */
const ENTRY_OVERHEAD_BYTES = 512;

/** The knee of the curve for JSON of this size. */
const BROTLI_QUALITY = 5;

/** Hex digits of the body's hash in an ETag: 128 bits, as in the index. */
const ETAG_DIGITS = 32;

/** Makes cuts at first demand and keeps at most `cacheBytesMax` of them, compressed ones as well. */
export function createDelegateAnswers(cacheBytesMax: number): DelegateAnswers {
  const made = new LRUCache<string, Representation>({
    maxSize: cacheBytesMax,
    sizeCalculation: (entry) => entry.bytes.length + ENTRY_OVERHEAD_BYTES,
  });

  return {
    find: (reader, cut) => {
      const { spaceId, date = "", weightTier = "", limit } = cut;
      const name = `${reader.version}|${spaceId}|${date}|${weightTier}|${limit}`;
      const plain = made.get(`${name}|identity`) ?? cutPlain(reader, cut);
      if (plain === undefined) return undefined;
      made.set(`${name}|identity`, plain);
      return (encoding) => {
        if (encoding === "identity") return plain;
        const known = made.get(`${name}|${encoding}`);
        if (known !== undefined) return known;
        const packed = representationOf(compress(plain.bytes, encoding));
        made.set(`${name}|${encoding}`, packed);
        return packed;
      };
    },
  };
}

function cutPlain(reader: SnapshotReader, cut: DelegateCut): Representation | undefined {
  const listing =
    cut.date === undefined ? reader.latestListing(cut.spaceId) : reader.datedListing(cut.spaceId, cut.date);
  return listing === undefined ? undefined : representationOf(cutBody(listing, cut));
}

/** The canonical bytes of the envelope, put together from what was serialised at publish time. */
function cutBody(listing: ReadyListing, { weightTier, limit }: DelegateCut): Buffer {
  const rows = listing.rows.filter((row) => weightTier === undefined || row.weightTier === weightTier);
  const delegates = rows
    .slice(0, limit)
    .map((row) => row.json)
    .join(",");
  const { methodology_version, as_of } = listing.meta;
  const head = JSON.stringify({
    dao: listing.dao,
    fetched_at: listing.fetchedAt,
    total_delegates: listing.totalDelegates,
  }).slice(0, -1);
  const data = `${head},"delegates":[${delegates}],"summary":${listing.summaryJson}}`;
  const meta = JSON.stringify({ methodology_version, as_of });
  return Buffer.from(`{"data":${data},"meta":${meta}}\n`, "utf8");
}

function compress(bytes: Buffer, encoding: "br" | "gzip"): Buffer {
  if (encoding === "gzip") return gzipSync(bytes);
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } });
}

function representationOf(bytes: Buffer): Representation {
  const hash = createHash("sha256").update(bytes).digest("hex");
  return { bytes, etag: `"${hash.slice(0, ETAG_DIGITS)}"` };
}
