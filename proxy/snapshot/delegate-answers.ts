import { LRUCache } from "lru-cache";
import type { WeightTier } from "../../snapshots/format/value-sets.ts";
import type {
  ReadyListing,
  Representation,
  SnapshotReader,
} from "../../snapshots/store/read/snapshot-reader.ts";
import { compress, representationOf } from "../../snapshots/store/read/snapshot-reader.ts";

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

/** Makes cuts at first demand and keeps at most `cacheBytesMax` of them, compressed ones as well. */
export function createDelegateAnswers(cacheBytesMax: number): DelegateAnswers {
  const made = new LRUCache<string, Representation>({
    maxSize: cacheBytesMax,
    sizeCalculation: (entry) => entry.bytes.length + ENTRY_OVERHEAD_BYTES,
  });
  // By reader and not by version: the same version under another deny list shows other rows.
  const names = new WeakMap<SnapshotReader, number>();
  let named = 0;
  const nameOf = (reader: SnapshotReader): number => {
    const known = names.get(reader);
    if (known !== undefined) return known;
    // Of the versions before only what is under way still asks; their cuts would stand in memory for nobody.
    made.clear();
    named += 1;
    names.set(reader, named);
    return named;
  };

  return {
    find: (reader, cut) => {
      const { spaceId, date = "", weightTier = "", limit } = cut;
      const name = `${nameOf(reader)}|${spaceId}|${date}|${weightTier}|${limit}`;
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
