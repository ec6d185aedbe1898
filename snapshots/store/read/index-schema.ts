/** `application_id` of an index: "gvdx". */
export const INDEX_APPLICATION_ID = 0x67766478;

/** `user_version` of an index: the version of the tables below; a reader refuses any other. */
export const INDEX_SCHEMA_VERSION = 1;

/** Fixed, because the same content must give the same bytes whatever SQLite's default becomes. */
export const INDEX_PAGE_BYTES = 4096;

/** The tables of an index, word for word as `sqlite_schema` must hold them. */
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
  path TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (space_id, date)
) STRICT, WITHOUT ROWID`,
];

/** A row of `documents`. */
export interface DocumentRow {
  readonly kind: string;
  readonly id: string;
  readonly path: string;
  readonly meta: string;
  readonly body: Buffer;
  readonly body_etag: string;
  readonly gzip: Buffer;
  readonly gzip_etag: string;
  readonly brotli: Buffer;
  readonly brotli_etag: string;
}

/** A row of `listings`. */
export interface ListingRow {
  readonly space_id: string;
  readonly path: string;
  readonly meta: string;
  readonly fetched_at: string;
  readonly total_delegates: number;
  readonly summary: string;
}

/** A row of `delegates`. */
export interface DelegateRow {
  readonly space_id: string;
  readonly rank: number;
  readonly weight_tier: string;
  readonly json: string;
}

/** A row of `wallets`. */
export interface WalletRow {
  readonly wallet: string;
  readonly entity_id: string;
}

/** A row of `dated_listings`. */
export interface DatedListingRow {
  readonly space_id: string;
  readonly date: string;
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
}
