import { openSqlite, type SqliteDatabase, type SqliteStatement, stampSqlite } from "../../base/sqlite.ts";
import { dgiTail } from "../../format/agreement/check-documents.ts";
import { sha256Hex } from "../../format/canonical-json.ts";
import type { UnscoredDao, UnscoredList } from "../../format/dao.ts";
import { byMonth, lineSpans } from "../../format/delegates.ts";
import { DOCUMENTS, type FileRow, type PublishedDocument, valuesOf } from "../../format/documents.ts";
import {
  type Certainty,
  certaintyOf,
  type DaoMeta,
  type DocumentKind,
  type IndexMeta,
  type ListMeta,
  type Meta,
  type ScoreMeta,
} from "../../format/envelope.ts";
import type { Manifest } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import type { Rankings } from "../../format/rankings.ts";
import { CATEGORIES, DGI_PERIODS } from "../../format/value-sets.ts";
import {
  type DatedListingRow,
  type DelegateRow,
  type DocumentRow,
  INDEX_PAGE_BYTES,
  INDEX_STAMP,
  INDEX_TABLES,
  type ListingRow,
  type WalletRow,
} from "../read/index-schema.ts";
import { compress, etagOf, representationOf } from "../read/snapshot-reader.ts";
import { type RenderedFile, renderedFile } from "./render-documents.ts";

/** One envelope of the index, not compressed yet. */
export interface IndexDocument extends Pick<DocumentRow, "id" | "path" | "meta"> {
  readonly kind: DocumentKind;
  readonly body: string;
}

export type IndexRows = ReturnType<typeof noIndexRows>;

/** Rows of an index with compressed bodies, as its tables contain them. */
export type PackedRows = Omit<IndexRows, "documents"> & { readonly documents: readonly DocumentRow[] };

export function renderIndex(rows: IndexRows): RenderedFile {
  const index = createIndex();
  index.add(packRows(rows));
  return index.finish();
}

export function noIndexRows() {
  return {
    documents: [] as IndexDocument[],
    listings: [] as ListingRow[],
    delegates: [] as DelegateRow[],
    wallets: [] as WalletRow[],
    dated_listings: [] as DatedListingRow[],
  };
}

export interface IndexedVersion extends Pick<Manifest, keyof Meta> {
  readonly certainty: ReadonlyMap<string, Certainty>;
}

/** How certain the scores of DAOs are, by their evidence among these documents and their places. */
export function certaintyIn(
  documents: readonly PublishedDocument[],
  rankings: Rankings,
): IndexedVersion["certainty"] {
  const places = new Map(rankings.map((place) => [place.space_id, place]));
  return new Map(
    valuesOf(documents, "evidence").flatMap((evidence) => {
      const place = places.get(evidence.space_id);
      return place === undefined ? [] : [[evidence.space_id, certaintyOf(evidence, place)]];
    }),
  );
}

/**
 * Adds the index rows of one document: from its bytes if the index serves it as a whole, else from its value. The rows of
 * dated listings come from `days.csv`. Documents must be added in the order of their paths.
 */
export function addIndexRows(
  rows: IndexRows,
  { methodology_version, as_of, certainty }: IndexedVersion,
  document: PublishedDocument,
  bytesOf: (path: string) => Buffer,
  unscored: UnscoredList = [],
): void {
  const { id, path } = document;
  const { indexed }: FileRow = DOCUMENTS[document.kind];
  if (indexed === undefined) return;
  const whole: Meta = { methodology_version, as_of };
  const addEnvelope = (
    kind: DocumentKind,
    documentId: string,
    data: string,
    metaOf: ScoreMeta | DaoMeta | ListMeta | IndexMeta = whole,
  ) => {
    const meta = JSON.stringify(metaOf);
    rows.documents.push({ kind, id: documentId, path, meta, body: `{"data":${data},"meta":${meta}}\n` });
  };
  if (indexed !== "in parts") {
    const known = indexed === "risk" ? certainty.get(id) : undefined;
    addEnvelope(indexed, id || "current", bytesOf(path).toString("utf8").trimEnd(), { ...whole, ...known });
  }
  switch (document.kind) {
    case "daos":
      for (const category of ["all", ...CATEGORIES] as const) {
        const isListed = (dao: Pick<UnscoredDao, "category">) =>
          category === "all" || dao.category === category;
        const daos = document.value.filter(isListed);
        const certainties = daos.flatMap(({ space_id }) => {
          const known = certainty.get(space_id);
          if (known === undefined) return [];
          const { concentration: _, ...listed } = known;
          const { risk: __, ...interval } = known.interval;
          return [[space_id, { ...listed, interval }]];
        });
        const listMeta = {
          ...whole,
          total: daos.length,
          unscored: unscored.filter(isListed).length,
          updated_at: as_of,
          by_space_id: Object.fromEntries(certainties),
        };
        addEnvelope("daos", category, JSON.stringify(daos), listMeta);
      }
      return;
    case "dao": {
      const { gvs_30d_dates, ...data } = document.value;
      addEnvelope("dao", id, JSON.stringify(data), { ...whole, gvs_30d_dates, ...certainty.get(id) });
      return;
    }
    case "dgi": {
      const { interval, ...data } = document.value;
      addEnvelope(
        "dgi",
        "current",
        JSON.stringify(data),
        interval === undefined ? whole : { ...whole, interval },
      );
      return;
    }
    case "dgiHistory":
      for (const period of DGI_PERIODS) {
        addEnvelope("dgi-history", period, JSON.stringify(dgiTail(document.value.values, period, as_of)));
      }
      return;
    case "unscored":
      for (const { space_id, reason } of document.value) {
        addEnvelope("unscored", space_id, JSON.stringify(reason));
      }
      return;
    case "entity":
      for (const wallet of document.value.wallets) rows.wallets.push({ wallet, entity_id: id });
      return;
    case "latestListing": {
      const { fetched_at, total_delegates, delegates } = document.value;
      const [meta, summary] = [JSON.stringify(whole), JSON.stringify(document.value.summary)];
      rows.listings.push({ space_id: id, path, meta, fetched_at, total_delegates, summary });
      for (const delegate of delegates) {
        const { rank, weight_tier } = delegate;
        rows.delegates.push({ space_id: id, rank, weight_tier, json: JSON.stringify(delegate) });
      }
      return;
    }
    case "delegateDays":
      for (const { month, days } of byMonth(document.value)) {
        const lines = bytesOf(PATHS.delegateMonth(id, month));
        for (const [index, { offset, bytes }] of lineSpans(lines).entries()) {
          const sha256 = sha256Hex(lines.subarray(offset, offset + bytes));
          const date = days[index]?.date;
          if (date !== undefined) rows.dated_listings.push({ space_id: id, date, offset, bytes, sha256 });
        }
      }
  }
}

/** The index rows of documents, which must be sorted by path. */
export function indexRowsOf(
  version: IndexedVersion,
  documents: readonly PublishedDocument[],
  bytesOf: (path: string) => Buffer,
): IndexRows {
  const rows = noIndexRows();
  const [unscored = []] = valuesOf(documents, "unscored");
  for (const document of documents) addIndexRows(rows, version, document, bytesOf, unscored);
  return rows;
}

export function packRows({ documents, ...tables }: IndexRows): PackedRows {
  const packed = new Map<string, Pick<DocumentRow, "gzip" | "gzip_etag" | "brotli" | "brotli_etag">>();
  return {
    ...tables,
    documents: documents.map(({ kind, id, path, meta, body: text }) => {
      const { bytes: body, etag } = representationOf(Buffer.from(text, "utf8"));
      let packedBody = packed.get(etag);
      if (packedBody === undefined) {
        const [gzip, brotli] = [compress(body, "gzip"), compress(body, "br")];
        packedBody = { gzip, gzip_etag: etagOf(gzip), brotli, brotli_etag: etagOf(brotli) };
        packed.set(etag, packedBody);
      }
      return { kind, id, path, meta, body, body_etag: etag, ...packedBody };
    }),
  };
}

/** Creates an empty index; rows are added one by one to save memory. Equal rows in equal order give equal bytes. */
export function createIndex() {
  const database = openSqlite(":memory:");
  database.pragma(`page_size = ${INDEX_PAGE_BYTES}`);
  stampSqlite(database, INDEX_STAMP);
  for (const table of INDEX_TABLES) database.exec(table);
  let records = 0;
  return {
    add(rows: PackedRows): void {
      records += rows.documents.length;
      database.transaction(() => {
        for (const [table, tableRows] of Object.entries(rows)) insertAll(database, table, tableRows);
      })();
    },
    /** Returns the file; no row can be added afterwards. */
    finish(): RenderedFile {
      try {
        return renderedFile(database.serialize(), {
          path: PATHS.index,
          records,
          media_type: "application/vnd.sqlite3",
        });
      } finally {
        database.close();
      }
    },
    close(): void {
      database.close();
    },
  };
}

function insertAll(database: SqliteDatabase, table: string, rows: Iterable<object>): void {
  let insert: SqliteStatement | undefined;
  for (const row of rows) {
    const columns = Object.keys(row);
    insert ??= database.prepare(
      `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map((name) => `@${name}`).join(", ")})`,
    );
    insert.run(row);
  }
}
