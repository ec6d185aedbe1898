import { monthOf } from "../../format/delegate-months.ts";
import { DelegateListing } from "../../format/delegates.ts";
import { Meta } from "../../format/envelope.ts";
import { dayEndMs, timestampOf } from "../../format/ids.ts";
import { PATHS } from "../../format/paths.ts";
import { WEIGHT_TIERS } from "../../format/value-sets.ts";
import type { DatedListingRow, DelegateRow, DocumentRow, ListingRow } from "./index-schema.ts";
import {
  locateVersion,
  type ManifestHead,
  manifestFile,
  type VersionChoice,
  versionDirectory,
} from "./locate-version.ts";
import { type OpenIndex, openIndex, reopenIndex } from "./open-index.ts";
import { parseJsonFile } from "./read-pointer.ts";
import { requireMonths, requireReadableRows } from "./require-readable.ts";
import { invalidFile, isSnapshotFailure, type SnapshotFailure } from "./snapshot-error.ts";
import type { ReadyDocument, ReadyListing, SnapshotReader } from "./snapshot-reader.ts";
import { readVerifiedLine } from "./verified-file.ts";

/** A verified version: what a reader needs to open it. Plain data, so that a thread can pass it on. */
export type InspectedVersion = Awaited<ReturnType<typeof inspectVersion>>;

/** Verifies a version, here or in another thread; throws `SnapshotFailure`. */
export type InspectVersion = typeof inspectVersion;

/**
 * Opens a version for reading after `inspect` has verified its pointer, manifest and index. `inspect` may run in another
 * thread, so that requests do not wait. Throws `SnapshotFailure`.
 */
export async function openSnapshot(
  root: string,
  choice: VersionChoice = {},
  inspect: InspectVersion = inspectVersion,
): Promise<SnapshotReader> {
  const inspected = await inspect(root, choice);
  const directory = versionDirectory(root, inspected.version);
  const index = await reopenIndex(directory, inspected.index, inspected.indexTrace);
  try {
    return readerOf(inspected, directory, index);
  } catch (error) {
    index.close();
    throw error;
  }
}

/** Verifies a version like `locateVersion` and `openIndex`, and that everything that is served can be read. */
export async function inspectVersion(root: string, choice: VersionChoice) {
  const { version, directory, manifest } = locateVersion(root, choice);
  const { files: _files, ...head } = manifest;
  await requireMonths(directory, manifest);
  const index = await openIndex(directory, manifest);
  try {
    index.read(requireReadableRows);
  } finally {
    index.close();
  }
  const indexTrace = index.trace();
  return { version, head, index: manifestFile(manifest, PATHS.index), indexTrace };
}

function readerOf({ version, head }: InspectedVersion, directory: string, index: OpenIndex): SnapshotReader {
  const find = index.read((database) => ({
    document: database.prepare<[string, string], DocumentRow>(
      "SELECT * FROM documents WHERE kind = ? AND id = ?",
    ),
    entities: database
      .prepare<[], string>("SELECT id FROM documents WHERE kind = 'entity' ORDER BY id")
      .pluck(),
    wallet: database.prepare<[string], string>("SELECT entity_id FROM wallets WHERE wallet = ?").pluck(),
    listing: database.prepare<[string], ListingRow>("SELECT * FROM listings WHERE space_id = ?"),
    delegates: database.prepare<[string], DelegateRow>(
      "SELECT weight_tier, json FROM delegates WHERE space_id = ? ORDER BY rank",
    ),
    dated: database.prepare<[string, string], DatedListingRow>(
      "SELECT * FROM dated_listings WHERE space_id = ? AND date = ?",
    ),
  }));
  /** Errors of dated listings, by DAO and day. */
  const refused = new Map<string, SnapshotFailure>();
  return {
    version,
    sequence: head.sequence,
    manifest: head,
    document(kind, id) {
      const row = index.read(() => find.document.get(kind, id));
      return row === undefined ? undefined : readyDocument(row);
    },
    entityIds: () => index.read(() => find.entities.all()),
    entityIdOfWallet: (wallet) => index.read(() => find.wallet.get(wallet)),
    latestListing(spaceId) {
      const listing = index.read(() => find.listing.get(spaceId));
      if (listing === undefined) return undefined;
      return {
        meta: parseJsonFile(PATHS.index, Buffer.from(listing.meta, "utf8"), Meta),
        dao: spaceId,
        fetchedAt: listing.fetched_at,
        totalDelegates: listing.total_delegates,
        summaryJson: listing.summary,
        rows: index.read(() => find.delegates.all(spaceId)).map(readyRow),
      };
    },
    datedListing(spaceId, date) {
      const row = index.read(() => find.dated.get(spaceId, date));
      const line = `${spaceId} ${date}`;
      if (row === undefined || refused.has(line)) return undefined;
      try {
        return readDated(directory, row, head);
      } catch (error) {
        if (isSnapshotFailure(error) && !isMomentary(error)) refused.set(line, error);
        throw error;
      }
    },
    refusedListing: () => refused.values().next().value,
    damage: index.damage,
    close: index.close,
  };
}

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
    throw invalidFile(PATHS.index, "contains a delegate of an unknown tier");
  }
  return { weightTier, json };
}

/** Whether an error is temporary: the process has no free file descriptor, and the file may be intact. */
function isMomentary({ cause }: SnapshotFailure): boolean {
  return cause instanceof Error && "code" in cause && (cause.code === "EMFILE" || cause.code === "ENFILE");
}

function readDated(directory: string, row: DatedListingRow, manifest: ManifestHead): ReadyListing {
  // The index was checked to refer only to lines of months in the manifest. Each line is verified on every read, because
  // a file may be damaged or replaced after the version was opened.
  const path = PATHS.delegateMonth(row.space_id, monthOf(row.date));
  const listing = parseJsonFile(path, readVerifiedLine(directory, path, row), DelegateListing);
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
