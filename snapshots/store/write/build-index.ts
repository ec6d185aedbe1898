import { join } from "node:path";
import Database from "better-sqlite3";
import { dgiTail } from "../../format/agreement/check-documents.ts";
import { DOCUMENTS, type FileRow, identifyFile, type PublishedDocument } from "../../format/documents.ts";
import {
  type Certainty,
  certaintyOf,
  type DocumentKind,
  type ListMeta,
  type Meta,
  type ScoreMeta,
} from "../../format/envelope.ts";
import type { Evidence } from "../../format/evidence.ts";
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
import type { PreviousVersion } from "../read/kept-versions.ts";
import { type OpenIndex, openIndex } from "../read/open-index.ts";
import { parseJsonFile } from "../read/read-pointer.ts";
import { SnapshotError } from "../read/snapshot-error.ts";
import { compress, etagOf, representationOf, unpacksTo } from "../read/snapshot-reader.ts";
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

/** What the `meta` of a version's answers is made of. */
export interface IndexedVersion extends Pick<Manifest, keyof Meta> {
  /** Of the scored DAOs of which there is evidence, by space_id. */
  readonly certainty: ReadonlyMap<string, Certainty>;
}

/** What the evidence of a version says of how far scores are known, by space_id. */
export function certaintyByDao(all: readonly Evidence[]): IndexedVersion["certainty"] {
  return new Map(
    all.flatMap((evidence) => {
      const certainty = certaintyOf(evidence);
      return certainty === undefined ? [] : [[evidence.space_id, certainty]];
    }),
  );
}

/**
 * Adds what the index says of one document: made of its value where it answers with a part of it, else of its very
 * bytes. Documents are to come in the order of their paths.
 */
export function addIndexRows(
  rows: IndexRows,
  { methodology_version, as_of, certainty }: IndexedVersion,
  document: PublishedDocument,
  file: { readonly entry: Pick<ManifestFile, "bytes" | "sha256">; readonly bytes: Buffer },
): void {
  const { id, path } = document;
  const { indexed }: FileRow = DOCUMENTS[document.kind];
  if (indexed === undefined) return;
  const whole: Meta = { methodology_version, as_of };
  const addEnvelope = (kind: DocumentKind, of: string, data: string, its: ScoreMeta | ListMeta = whole) => {
    const meta = JSON.stringify(its);
    rows.documents.push({ kind, id: of, path, meta, body: `{"data":${data},"meta":${meta}}\n` });
  };
  if (indexed !== "in parts") {
    const known = indexed === "dao" || indexed === "risk" ? certainty.get(id) : undefined;
    addEnvelope(indexed, id || "current", file.bytes.toString("utf8").trimEnd(), { ...whole, ...known });
  }
  switch (document.kind) {
    case "daos":
      for (const category of ["all", ...CATEGORIES] as const) {
        const daos = document.value.filter((dao) => category === "all" || dao.category === category);
        const of = daos.flatMap(({ space_id }) => {
          const known = certainty.get(space_id);
          if (known === undefined) return [];
          const { risk: _, ...interval } = known.interval;
          return [[space_id, { ...known, interval }]];
        });
        const its = { ...whole, total: daos.length, updated_at: as_of, by_space_id: Object.fromEntries(of) };
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
  const evidence = files.filter(({ path }) => identifyFile(path)?.kind === "evidence");
  const certainty = certaintyByDao(
    evidence.map(({ path }) => parseJsonFile(path, bytesOf(path), DOCUMENTS.evidence.shape)),
  );
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
    addIndexRows(rows, { ...version, certainty }, document, file);
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

/** A body that is to be packed: by its place in an index, and by its content. */
export type PlainBody = Pick<DocumentRow, "kind" | "id" | "body"> & { readonly etag: string };

/** The columns of an index that hold a body packed. */
export type PackedBody = Pick<DocumentRow, "gzip" | "gzip_etag" | "brotli" | "brotli_etag">;

/** Answers a body as it was packed before; nothing where it was not. */
export type PackedBodyOf = (plain: PlainBody) => PackedBody | undefined;

/** Packs each content once: taken from before where it was there, and from this run where it comes again. */
export function packedOnce(before: PackedBodyOf): (plain: PlainBody) => PackedBody {
  const ofThisRun = new Map<string, PackedBody>();
  return (plain) => {
    const { body, etag } = plain;
    const known = ofThisRun.get(etag) ?? before(plain);
    const packed = known ?? sealed(compress(body, "gzip"), compress(body, "br"));
    ofThisRun.set(etag, packed);
    return packed;
  };
}

function sealed(gzip: Buffer, brotli: Buffer): PackedBody {
  return { gzip, gzip_etag: etagOf(gzip), brotli, brotli_etag: etagOf(brotli) };
}

function bodiesIn(index: OpenIndex): PackedBodyOf {
  const find = index.read((database) =>
    database.prepare<[string, string], PackedBody & Pick<DocumentRow, "body">>(
      "SELECT body, gzip, gzip_etag, brotli, brotli_etag FROM documents WHERE kind = ? AND id = ?",
    ),
  );
  return ({ kind, id, body }) => {
    try {
      const found = index.read(() => find.get(kind, id));
      if (found === undefined || !found.body.equals(body)) return undefined;
      // What goes to callers must be what is signed: unpacking is a tenth of packing, and believing an index is neither.
      const isSame = unpacksTo(body, found.gzip, "gzip") && unpacksTo(body, found.brotli, "br");
      return isSame ? sealed(found.gzip, found.brotli) : undefined;
    } catch (error) {
      // What has become unreadable meanwhile saves no work any more.
      if (error instanceof SnapshotError) return undefined;
      throw error;
    }
  };
}

/**
 * The bodies that the version before has packed, from its index, verified like a reader's. A damaged one must not keep
 * a good version from being published; it only saves no work.
 */
export async function packedBefore(
  root: string,
  previous: PreviousVersion | undefined,
): Promise<{ readonly of: PackedBodyOf; readonly close: () => void }> {
  const nothing = { of: () => undefined, close: () => {} };
  if (previous === undefined) return nothing;
  try {
    const index = await openIndex(join(root, previous.pointer.version), {
      files: [...previous.files.values()],
    });
    return { of: bodiesIn(index), close: index.close };
  } catch (error) {
    if (error instanceof SnapshotError) return nothing;
    throw error;
  }
}
