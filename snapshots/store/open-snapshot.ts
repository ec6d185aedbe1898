import type Database from "better-sqlite3";
import { DelegateListing } from "../format/delegates.ts";
import { type DocumentKind, Meta } from "../format/envelope.ts";
import { dayEndMs, timestampOf } from "../format/ids.ts";
import type { Manifest } from "../format/manifest.ts";
import { WEIGHT_TIERS } from "../format/value-sets.ts";
import type { DatedListingRow, DelegateRow, DocumentRow, ListingRow } from "./index-schema.ts";
import { locateVersion, type VersionChoice } from "./locate-version.ts";
import { openIndex } from "./open-index.ts";
import { parseJsonFile } from "./parse-json-file.ts";
import { SnapshotError } from "./snapshot-error.ts";
import type { ReadyDocument, ReadyListing, SnapshotReader } from "./snapshot-reader.ts";
import { readVerified } from "./verified-file.ts";

function readyDocument(row: DocumentRow): ReadyDocument {
  return {
    identity: { bytes: row.body, etag: row.body_etag },
    gzip: { bytes: row.gzip, etag: row.gzip_etag },
    brotli: { bytes: row.brotli, etag: row.brotli_etag },
  };
}

function readyRow({ weight_tier, json }: Pick<DelegateRow, "weight_tier" | "json">) {
  const weightTier = WEIGHT_TIERS.find((tier) => tier === weight_tier);
  if (weightTier === undefined) {
    throw new SnapshotError("SNAPSHOT_INVALID", "index.sqlite: holds a delegate of an unknown tier");
  }
  return { weightTier, json };
}

function latestReader(index: Database.Database): SnapshotReader["latestListing"] {
  const find = index.prepare<[string], ListingRow>("SELECT * FROM listings WHERE space_id = ?");
  const rows = index.prepare<[string], DelegateRow>(
    "SELECT weight_tier, json FROM delegates WHERE space_id = ? ORDER BY rank",
  );
  return (spaceId) => {
    const found = find.get(spaceId);
    if (found === undefined) return undefined;
    return {
      meta: parseJsonFile("index.sqlite", Buffer.from(found.meta, "utf8"), Meta),
      dao: spaceId,
      fetchedAt: found.fetched_at,
      totalDelegates: found.total_delegates,
      summaryJson: found.summary,
      rows: rows.all(spaceId).map(readyRow),
    };
  };
}

function readDated(directory: string, row: DatedListingRow, manifest: Manifest): ReadyListing {
  // Verified each time: a file may rot, or be swapped, after the version was opened.
  const listing = parseJsonFile(row.path, readVerified(directory, row), DelegateListing);
  return {
    meta: {
      methodology_version: manifest.methodology_version,
      as_of: timestampOf(dayEndMs(row.date)),
    },
    dao: listing.dao,
    fetchedAt: listing.fetched_at,
    totalDelegates: listing.total_delegates,
    summaryJson: JSON.stringify(listing.summary),
    rows: listing.delegates.map((item) => ({ weightTier: item.weight_tier, json: JSON.stringify(item) })),
  };
}

/** Opens one version for reading once its pointer, manifest and index are verified; throws `SnapshotError`. */
export async function openSnapshot(root: string, choice: VersionChoice = {}): Promise<SnapshotReader> {
  const { version, directory, manifest } = locateVersion(root, choice);
  const index = await openIndex(directory, manifest);
  const findDocument = index.prepare<[string, string], DocumentRow>(
    "SELECT * FROM documents WHERE kind = ? AND id = ?",
  );
  const findWallet = index
    .prepare<[string], string>("SELECT entity_id FROM wallets WHERE wallet = ?")
    .pluck();
  const findDated = index.prepare<[string, string], DatedListingRow>(
    "SELECT * FROM dated_listings WHERE space_id = ? AND date = ?",
  );
  return {
    version,
    sequence: manifest.sequence,
    manifest,
    document(kind: DocumentKind, id: string) {
      const row = findDocument.get(kind, id);
      return row === undefined ? undefined : readyDocument(row);
    },
    entityIdOfWallet: (wallet) => findWallet.get(wallet),
    latestListing: latestReader(index),
    datedListing(spaceId, date) {
      const row = findDated.get(spaceId, date);
      return row === undefined ? undefined : readDated(directory, row, manifest);
    },
    close: () => {
      index.close();
    },
  };
}
