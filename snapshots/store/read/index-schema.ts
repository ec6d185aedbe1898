import type { SqliteStamp } from "../../base/sqlite.ts";

/** "gvdx" in ASCII, and the version of the tables below; readers refuse any other. */
export const INDEX_STAMP: SqliteStamp = { applicationId: 0x67766478, version: 2 };

/** Fixed, because the same content must give the same bytes even if SQLite's default changes. */
export const INDEX_PAGE_BYTES = 4096;

/** The tables of an index, exactly as `sqlite_schema` must contain them. */
export const INDEX_TABLES: readonly string[] = [
  `CREATE TABLE documents (
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  path TEXT NOT NULL,
  meta TEXT NOT NULL,
  body BLOB NOT NULL,
  body_etag TEXT NOT NULL,
  gzip BLOB NOT NULL,
  gzip_etag TEXT NOT NULL,
  brotli BLOB NOT NULL,
  brotli_etag TEXT NOT NULL,
  PRIMARY KEY (kind, id)
) STRICT`,
  `CREATE TABLE listings (
  space_id TEXT NOT NULL PRIMARY KEY,
  path TEXT NOT NULL,
  meta TEXT NOT NULL,
  fetched_at TEXT NOT NULL,
  total_delegates INTEGER NOT NULL,
  summary TEXT NOT NULL
) STRICT, WITHOUT ROWID`,
  `CREATE TABLE delegates (
  space_id TEXT NOT NULL,
  rank INTEGER NOT NULL,
  weight_tier TEXT NOT NULL,
  json TEXT NOT NULL,
  PRIMARY KEY (space_id, rank)
) STRICT, WITHOUT ROWID`,
  `CREATE TABLE wallets (
  wallet TEXT NOT NULL PRIMARY KEY,
  entity_id TEXT NOT NULL
) STRICT, WITHOUT ROWID`,
  `CREATE TABLE dated_listings (
  space_id TEXT NOT NULL,
  date TEXT NOT NULL,
  offset INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  PRIMARY KEY (space_id, date)
) STRICT, WITHOUT ROWID`,
];

/** A row type, from the names of its columns of each type. */
type Row<Text extends string, Integer extends string = never, Blob extends string = never> = Readonly<
  Record<Text, string> & Record<Integer, number> & Record<Blob, Buffer>
>;

export type DocumentRow = Row<
  "kind" | "id" | "path" | "meta" | "body_etag" | "gzip_etag" | "brotli_etag",
  never,
  "body" | "gzip" | "brotli"
>;

export type ListingRow = Row<"space_id" | "path" | "meta" | "fetched_at" | "summary", "total_delegates">;

export type DelegateRow = Row<"space_id" | "weight_tier" | "json", "rank">;

export type WalletRow = Row<"wallet" | "entity_id">;

/** A row of `dated_listings`: the position of a line in the file of its month, and its hash. */
export type DatedListingRow = Row<"space_id" | "date" | "sha256", "offset" | "bytes">;
