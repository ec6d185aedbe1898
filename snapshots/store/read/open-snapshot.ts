import type { z } from "zod";
import type { SqliteDatabase } from "../../base/sqlite.ts";
import { DelegateListing, DelegateSummary, monthOf } from "../../format/delegates.ts";
import { identifyFile } from "../../format/documents.ts";
import { type DocumentKind, ENVELOPES, Meta } from "../../format/envelope.ts";
import { dayEndMs, timestampOf } from "../../format/ids.ts";
import { LISTING_ROWS_PER_CUT } from "../../format/limits.ts";
import type { Manifest } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import { CATEGORIES, WEIGHT_TIERS } from "../../format/value-sets.ts";
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
import { invalidFile, isSnapshotFailure, orRefusal, type SnapshotFailure } from "./snapshot-error.ts";
import {
  encodingTroubles,
  type ReadyDocument,
  type ReadyListing,
  type SnapshotReader,
} from "./snapshot-reader.ts";
import { openFile, readVerifiedLine } from "./verified-file.ts";

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

const LISTING_ROWS_MAX = LISTING_ROWS_PER_CUT * (WEIGHT_TIERS.length + 1);

const DELEGATES = `SELECT space_id, count(*) AS rows,
  min(CASE WHEN json_valid(json) THEN json_type(json) = 'object' ELSE 0 END) AS isJson,
  min(weight_tier IN (${WEIGHT_TIERS.map((tier) => `'${tier}'`).join(", ")})) AS isOfTier
  FROM delegates GROUP BY space_id`;

interface DelegatesRow {
  readonly space_id: string;
  readonly rows: number;
  readonly isJson: 0 | 1;
  readonly isOfTier: 0 | 1;
}

/**
 * Refuses an index with rows that could not be served, or that would unpack to more than they say. Hashes do not show
 * that: they only prove that whoever wrote the manifest wanted these bytes. Each request for such a row would fail while
 * the server calls itself ready.
 */
function requireReadableRows(index: SqliteDatabase): void {
  for (const row of index.prepare<[], DocumentRow>("SELECT * FROM documents").iterate()) requireDocument(row);
  const list = index.prepare<[string]>("SELECT 1 FROM documents WHERE kind = 'daos' AND id = ?");
  for (const category of ["all", ...CATEGORIES]) {
    if (list.get(category) === undefined) throw unreadable(`daos ${category} is missing`);
  }
  const listings = index.prepare<[], ListingRow>("SELECT * FROM listings");
  for (const { space_id, meta, summary } of listings.iterate()) {
    requireShape(`the listing of ${space_id}`, Buffer.from(meta), Meta);
    requireShape(`the listing of ${space_id}`, Buffer.from(summary), DelegateSummary);
  }
  for (const { space_id, rows, isJson, isOfTier } of index.prepare<[], DelegatesRow>(DELEGATES).iterate()) {
    const name = `the listing of ${space_id}`;
    if (rows > LISTING_ROWS_MAX) throw unreadable(`${name} has ${rows} rows, more than ${LISTING_ROWS_MAX}`);
    if (isJson !== 1 || isOfTier !== 1) throw unreadable(`${name} contains a row that is no delegate`);
  }
}

function requireDocument(row: DocumentRow): void {
  const name = `${row.kind} ${row.id}`;
  if (!isServed(row.kind)) throw unreadable(`${name}: is of no kind that is served`);
  // Before it is parsed, because unpacking stops at the size of the body.
  for (const trouble of encodingTroubles(row)) throw unreadable(`${name} ${trouble}`);
  requireShape(name, row.body, ENVELOPES[row.kind]);
}

const isServed = (kind: string): kind is DocumentKind => Object.hasOwn(ENVELOPES, kind);

function requireShape(name: string, bytes: Buffer, shape: z.ZodType): void {
  const result = orRefusal(() => void parseJsonFile(name, bytes, shape));
  if (result !== undefined) throw unreadable(result.message, result.cause);
}

const unreadable = (message: string, cause?: unknown) => invalidFile(PATHS.index, message, cause);

/** Refuses a version whose dated listings are not all there. Their lines are verified whenever they are read. */
async function requireMonths(directory: string, { files }: Pick<Manifest, "files">): Promise<void> {
  for (const file of files) {
    if (identifyFile(file.path)?.kind !== "delegateMonth") continue;
    await (await openFile(directory, file)).close();
  }
}
