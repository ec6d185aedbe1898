import { brotliCompressSync, gzipSync, constants as zlib } from "node:zlib";
import Database from "better-sqlite3";
import { etagOf } from "./etag-of.ts";
import type { IndexContent, IndexDocument } from "./index-content.ts";
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
} from "./index-schema.ts";

/** The knee of size against time on JSON of this kind; fixed, because the same content must give the same bytes. */
const BROTLI_QUALITY = 5;
const GZIP_LEVEL = 9;

/** Every row of an index, table by table. */
export interface IndexRows {
  readonly documents: Iterable<DocumentRow>;
  readonly listings: Iterable<ListingRow>;
  readonly delegates: Iterable<DelegateRow>;
  readonly wallets: Iterable<WalletRow>;
  readonly dated_listings: Iterable<DatedListingRow>;
}

function documentRow({ kind, id, path, meta, body: text }: IndexDocument): DocumentRow {
  const body = Buffer.from(text, "utf8");
  const gzip = gzipSync(body, { level: GZIP_LEVEL });
  const brotli = brotliCompressSync(body, {
    params: {
      [zlib.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [zlib.BROTLI_PARAM_MODE]: zlib.BROTLI_MODE_TEXT,
      [zlib.BROTLI_PARAM_SIZE_HINT]: body.length,
    },
  });
  return {
    kind,
    id,
    path,
    meta,
    body,
    body_etag: etagOf(body),
    gzip,
    gzip_etag: etagOf(gzip),
    brotli,
    brotli_etag: etagOf(brotli),
  };
}

function* documentRows(documents: readonly IndexDocument[]): Generator<DocumentRow> {
  for (const document of documents) yield documentRow(document);
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

/** The bytes of `index.sqlite`: the same content gives the same bytes. */
export function buildIndex(content: IndexContent): Buffer {
  const database = new Database(":memory:");
  try {
    database.pragma(`page_size = ${INDEX_PAGE_BYTES}`);
    database.pragma(`application_id = ${INDEX_APPLICATION_ID}`);
    database.pragma(`user_version = ${INDEX_SCHEMA_VERSION}`);
    for (const table of INDEX_TABLES) database.exec(table);
    const rows: IndexRows = { documents: documentRows(content.documents), ...plainRows(content) };
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
