import { dgiTail } from "../../format/agreement/check-documents.ts";
import { DaoList, DgiHistory } from "../../format/dao.ts";
import { DelegateListing } from "../../format/delegates.ts";
import { type FilePlace, placeOf } from "../../format/documents.ts";
import { Entity } from "../../format/entity.ts";
import type { DocumentKind, ListMeta, Meta } from "../../format/envelope.ts";
import type { ManifestFile } from "../../format/manifest.ts";
import { CATEGORIES, DGI_PERIODS, type WeightTier } from "../../format/value-sets.ts";
import { parseJsonFile } from "../read/read-pointer.ts";

/** One envelope of the index, found by kind and id. */
export interface IndexDocument {
  readonly kind: DocumentKind;
  readonly id: string;
  readonly path: string;
  readonly meta: string;
  readonly body: string;
}

/** The latest listing of one DAO, without its rows. */
export interface IndexListing {
  readonly spaceId: string;
  readonly path: string;
  readonly meta: string;
  readonly fetchedAt: string;
  readonly totalDelegates: number;
  readonly summary: string;
  readonly rows: readonly { readonly rank: number; readonly weightTier: WeightTier; readonly json: string }[];
}

/** Which file holds the listing of one DAO and day. */
export interface IndexDatedListing extends Pick<ManifestFile, "path" | "bytes" | "sha256"> {
  readonly spaceId: string;
  readonly date: string;
}

/** Everything the index of a version holds, before it is SQLite. */
export interface IndexContent {
  readonly documents: readonly IndexDocument[];
  readonly listings: readonly IndexListing[];
  readonly datedListings: readonly IndexDatedListing[];
  readonly wallets: readonly { readonly wallet: string; readonly entityId: string }[];
}

/** What the index is made of: the files of a version, as written or as read back. */
export interface IndexSource {
  readonly asOf: string;
  readonly methodologyVersion: string;
  readonly files: readonly Pick<ManifestFile, "path" | "bytes" | "sha256">[];
  readonly bytesOf: (path: string) => Buffer;
}

/** The envelope of `data` and `meta`, both canonical JSON without a newline. */
export function envelopeOf(data: string, meta: string): string {
  return `{"data":${data},"meta":${meta}}\n`;
}

function listDocuments(source: IndexSource, path: string): IndexDocument[] {
  const daos = parseJsonFile(path, source.bytesOf(path), DaoList);
  return (["all", ...CATEGORIES] as const).map((id) => {
    const data = id === "all" ? daos : daos.filter((dao) => dao.category === id);
    const listMeta: ListMeta = { ...metaOf(source), total: data.length, updated_at: source.asOf };
    const meta = JSON.stringify(listMeta);
    return { kind: "daos", id, path, meta, body: envelopeOf(JSON.stringify(data), meta) };
  });
}

function historyDocuments(source: IndexSource, path: string): IndexDocument[] {
  const { values } = parseJsonFile(path, source.bytesOf(path), DgiHistory);
  const meta = JSON.stringify(metaOf(source));
  return DGI_PERIODS.map((period) => {
    const data = JSON.stringify(dgiTail(values, period, source.asOf));
    return { kind: "dgi-history", id: period, path, meta, body: envelopeOf(data, meta) };
  });
}

function latestListing(source: IndexSource, path: string, spaceId: string): IndexListing {
  const listing = parseJsonFile(path, source.bytesOf(path), DelegateListing);
  return {
    spaceId,
    path,
    meta: JSON.stringify(metaOf(source)),
    fetchedAt: listing.fetched_at,
    totalDelegates: listing.total_delegates,
    summary: JSON.stringify(listing.summary),
    rows: listing.delegates.map((row) => ({
      rank: row.rank,
      weightTier: row.weight_tier,
      json: JSON.stringify(row),
    })),
  };
}

function metaOf(source: IndexSource): Meta {
  return { methodology_version: source.methodologyVersion, as_of: source.asOf };
}

function documentsAt(source: IndexSource, path: string, { kind, id }: FilePlace): IndexDocument[] {
  const single = (documentKind: DocumentKind, documentId: string): IndexDocument[] => {
    const data = source.bytesOf(path).toString("utf8").trimEnd();
    const meta = JSON.stringify(metaOf(source));
    return [{ kind: documentKind, id: documentId, path, meta, body: envelopeOf(data, meta) }];
  };
  if (kind === "daos") return listDocuments(source, path);
  if (kind === "dgi-history") return historyDocuments(source, path);
  if (kind === "dgi") return single("dgi", "current");
  if (kind === "dao" || kind === "risk" || kind === "entity") return single(kind, id);
  return [];
}

/** The content of the index of a version, from the bytes of its files alone, in the order of their paths. */
export function indexContent(source: IndexSource): IndexContent {
  const placed = source.files
    .map((file) => ({ file, place: placeOf(file.path) }))
    .toSorted((a, b) => (a.file.path < b.file.path ? -1 : 1));
  const of = (kind: FilePlace["kind"]) =>
    placed.flatMap(({ file, place }) => (place?.kind === kind ? [{ file, place }] : []));
  return {
    documents: placed.flatMap(({ file, place }) =>
      place === undefined ? [] : documentsAt(source, file.path, place),
    ),
    listings: of("latest-listing").map(({ file, place }) => latestListing(source, file.path, place.id)),
    datedListings: of("dated-listing").map(({ file, place }) => ({
      spaceId: place.id,
      date: place.date,
      path: file.path,
      bytes: file.bytes,
      sha256: file.sha256,
    })),
    wallets: of("entity").flatMap(({ file, place }) =>
      parseJsonFile(file.path, source.bytesOf(file.path), Entity).wallets.map((wallet) => ({
        wallet,
        entityId: place.id,
      })),
    ),
  };
}
