import Database from "better-sqlite3";
import { dgiTail } from "../../format/agreement/check-documents.ts";
import { DOCUMENTS, type FileRow, identifyFile, type PublishedDocument } from "../../format/documents.ts";
import type { DocumentKind, ListMeta, Meta } from "../../format/envelope.ts";
import type { Manifest, ManifestFile } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import { CATEGORIES, DGI_PERIODS } from "../../format/value-sets.ts";
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
import { parseJsonFile } from "../read/read-pointer.ts";
import { representationOf } from "../read/snapshot-reader.ts";
import { type PackedBodyOf, packedOnce } from "./packed-bodies.ts";
import { type RenderedFile, renderedFile } from "./render-documents.ts";

/** One envelope of the index, found by kind and id; not packed yet. */
export interface IndexDocument extends Pick<DocumentRow, "id" | "path" | "meta"> {
  readonly kind: DocumentKind;
  readonly body: string;
}

/** Every row of an index, table by table. */
export type IndexRows = ReturnType<typeof noIndexRows>;

/** `index.sqlite`: the same rows give the same bytes. What is packed already is not packed again. */
export function renderIndex(rows: IndexRows, packedBefore?: PackedBodyOf): RenderedFile {
  return renderedFile(buildIndex(rows, packedBefore), {
    path: PATHS.index,
    records: rows.documents.length,
    media_type: "application/vnd.sqlite3",
  });
}

/** No rows yet. */
export function noIndexRows() {
  return {
    documents: [] as IndexDocument[],
    listings: [] as ListingRow[],
    delegates: [] as DelegateRow[],
    wallets: [] as WalletRow[],
    dated_listings: [] as DatedListingRow[],
  };
}

/**
 * Adds what the index says of one document: made of its value where it answers with a part of it, else of its very
 * bytes. Documents are to come in the order of their paths.
 */
export function addIndexRows(
  rows: IndexRows,
  version: Pick<Manifest, keyof Meta>,
  document: PublishedDocument,
  file: { readonly entry: Pick<ManifestFile, "bytes" | "sha256">; readonly bytes: Buffer },
): void {
  const { id, path } = document;
  const { indexed }: FileRow = DOCUMENTS[document.kind];
  if (indexed === undefined) return;
  const { methodology_version, as_of } = version;
  const whole: Meta = { methodology_version, as_of };
  const addEnvelope = (kind: DocumentKind, of: string, data: string, its: Meta | ListMeta = whole) => {
    const meta = JSON.stringify(its);
    rows.documents.push({ kind, id: of, path, meta, body: `{"data":${data},"meta":${meta}}\n` });
  };
  if (indexed !== "in parts") addEnvelope(indexed, id || "current", file.bytes.toString("utf8").trimEnd());
  switch (document.kind) {
    case "daos":
      for (const category of ["all", ...CATEGORIES] as const) {
        const daos = document.value.filter((dao) => category === "all" || dao.category === category);
        const its = { ...whole, total: daos.length, updated_at: as_of };
        addEnvelope("daos", category, JSON.stringify(daos), its);
      }
      return;
    case "dgiHistory":
      for (const period of DGI_PERIODS) {
        addEnvelope("dgi-history", period, JSON.stringify(dgiTail(document.value.values, period, as_of)));
      }
      return;
    case "entity":
      for (const wallet of document.value.wallets) rows.wallets.push({ wallet, entity_id: id });
      return;
    case "latestListing": {
      const { fetched_at, total_delegates, delegates } = document.value;
      const [meta, summary] = [JSON.stringify(whole), JSON.stringify(document.value.summary)];
      rows.listings.push({ space_id: id, path, meta, fetched_at, total_delegates, summary });
      for (const each of delegates) {
        const { rank, weight_tier } = each;
        rows.delegates.push({ space_id: id, rank, weight_tier, json: JSON.stringify(each) });
      }
      return;
    }
    case "datedListing": {
      const { sha256, bytes } = file.entry;
      rows.dated_listings.push({ space_id: id, date: document.date, path, sha256, bytes });
    }
  }
}

/** The rows for the index of a version, from the bytes of its files alone; each is asked for once it is needed. */
export function indexRowsOf(
  version: Pick<Manifest, keyof Meta>,
  files: readonly Pick<ManifestFile, "path" | "bytes" | "sha256">[],
  bytesOf: (path: string) => Buffer,
): IndexRows {
  const rows = noIndexRows();
  for (const entry of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const { path } = entry;
    const identity = identifyFile(path);
    if (identity === undefined) continue;
    const document = {
      ...identity,
      path,
      get value() {
        return parseJsonFile(path, bytesOf(path), DOCUMENTS[identity.kind].shape);
      },
    } as PublishedDocument;
    const file = {
      entry,
      get bytes() {
        return bytesOf(path);
      },
    };
    addIndexRows(rows, version, document, file);
  }
  return rows;
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

function insertAll(database: Database.Database, table: string, rows: Iterable<object>): void {
  let insert: Database.Statement | undefined;
  for (const row of rows) {
    const columns = Object.keys(row);
    insert ??= database.prepare(
      `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map((name) => `@${name}`).join(", ")})`,
    );
    insert.run(row);
  }
}

function buildIndex(
  { documents, ...tables }: IndexRows,
  packedBefore: PackedBodyOf = () => undefined,
): Buffer {
  const database = new Database(":memory:");
  try {
    database.pragma(`page_size = ${INDEX_PAGE_BYTES}`);
    database.pragma(`application_id = ${INDEX_APPLICATION_ID}`);
    database.pragma(`user_version = ${INDEX_SCHEMA_VERSION}`);
    for (const table of INDEX_TABLES) database.exec(table);
    database.transaction(() => {
      insertAll(database, "documents", documentRows(documents, packedBefore));
      for (const [table, rows] of Object.entries(tables)) insertAll(database, table, rows);
    })();
    return database.serialize();
  } finally {
    database.close();
  }
}
