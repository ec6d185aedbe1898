import Database from "better-sqlite3";
import type { ManifestFile } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import type { PublishedSet } from "../../format/published-set.ts";
import {
  type DatedListingRow,
  type DelegateRow,
  type DocumentRow,
  INDEX_APPLICATION_ID,
  INDEX_PAGE_BYTES,
  INDEX_SCHEMA_VERSION,
  INDEX_TABLES,
  type ListingRow,
  type WalletRow,
} from "../read/index-schema.ts";
import { representationOf } from "../read/snapshot-reader.ts";
import { type IndexContent, type IndexDocument, indexContent } from "./index-content.ts";
import { type PackedBodyOf, packedOnce } from "./packed-bodies.ts";
import { type RenderedFile, renderedFile, type ShapedFile } from "./render-documents.ts";

/** Every row of an index, table by table. */
export interface IndexRows {
  readonly documents: Iterable<DocumentRow>;
  readonly listings: Iterable<ListingRow>;
  readonly delegates: Iterable<DelegateRow>;
  readonly wallets: Iterable<WalletRow>;
  readonly dated_listings: Iterable<DatedListingRow>;
}

function* documentRows(
  documents: readonly IndexDocument[],
  packedBefore: PackedBodyOf,
): Generator<DocumentRow> {
  const packedOf = packedOnce(packedBefore);
  for (const { kind, id, path, meta, body: text } of documents) {
    const { bytes: body, etag } = representationOf(Buffer.from(text, "utf8"));
    yield { kind, id, path, meta, body, body_etag: etag, ...packedOf({ kind, id, body, etag }) };
  }
}

/** The rows of the four small tables; `documents` adds compression and has its own row. */
export function plainRows(content: IndexContent): Omit<IndexRows, "documents"> {
  return {
    listings: content.listings.map((each) => ({
      space_id: each.spaceId,
      path: each.path,
      meta: each.meta,
      fetched_at: each.fetchedAt,
      total_delegates: each.totalDelegates,
      summary: each.summary,
    })),
    delegates: content.listings.flatMap(({ spaceId, rows }) =>
      rows.map(({ rank, weightTier, json }) => ({ space_id: spaceId, rank, weight_tier: weightTier, json })),
    ),
    wallets: content.wallets.map(({ wallet, entityId }) => ({ wallet, entity_id: entityId })),
    dated_listings: content.datedListings.map(({ spaceId, date, path, sha256, bytes }) => ({
      space_id: spaceId,
      date,
      path,
      sha256,
      bytes,
    })),
  };
}

function insertAll(database: Database.Database, table: keyof IndexRows, rows: Iterable<object>): void {
  let insert: Database.Statement | undefined;
  for (const row of rows) {
    const columns = Object.keys(row);
    insert ??= database.prepare(
      `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map((name) => `@${name}`).join(", ")})`,
    );
    insert.run(row);
  }
}

/** The bytes of `index.sqlite`: the same content gives the same bytes. What is packed already is not packed again. */
export function buildIndex(content: IndexContent, packedBefore: PackedBodyOf = () => undefined): Buffer {
  const database = new Database(":memory:");
  try {
    database.pragma(`page_size = ${INDEX_PAGE_BYTES}`);
    database.pragma(`application_id = ${INDEX_APPLICATION_ID}`);
    database.pragma(`user_version = ${INDEX_SCHEMA_VERSION}`);
    for (const table of INDEX_TABLES) database.exec(table);
    const rows: IndexRows = {
      documents: documentRows(content.documents, packedBefore),
      ...plainRows(content),
    };
    database.transaction(() => {
      insertAll(database, "documents", rows.documents);
      insertAll(database, "listings", rows.listings);
      insertAll(database, "delegates", rows.delegates);
      insertAll(database, "wallets", rows.wallets);
      insertAll(database, "dated_listings", rows.dated_listings);
    })();
    return database.serialize();
  } finally {
    database.close();
  }
}

/** `index.sqlite` of a set, made from the very bytes its documents are published as. */
export function renderIndex(
  set: Pick<PublishedSet, "asOf" | "methodologyVersion">,
  documents: readonly ShapedFile[],
  entries: readonly ManifestFile[],
  packedBefore: PackedBodyOf,
): RenderedFile {
  const byPath = new Map(documents.map((file) => [file.about.path, file]));
  const content = indexContent({
    asOf: set.asOf,
    methodologyVersion: set.methodologyVersion,
    files: entries,
    bytesOf: (path) => byPath.get(path)?.encode() ?? Buffer.alloc(0),
  });
  return renderedFile(buildIndex(content, packedBefore), {
    path: PATHS.index,
    records: content.documents.length,
    media_type: "application/vnd.sqlite3",
  });
}
