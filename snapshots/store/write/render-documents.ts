import { stringify } from "csv-stringify/sync";
import { z } from "zod";
import { canonicalValue, encodeCanonical, sha256Hex } from "../../format/canonical-json.ts";
import {
  DataPackage,
  type DescribedVersion,
  describeVersion,
  type TableSchemaOf,
} from "../../format/data-package.ts";
import { DelegateDay, DelegateItem } from "../../format/delegates.ts";
import { FILE_SHAPES, type FileKind } from "../../format/documents.ts";
import type { ManifestFile, RunReport } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import { ProposalLine } from "../../format/proposal-line.ts";
import type { PublishedEvidence, PublishedListing, PublishedSet } from "../../format/published-set.ts";
import type { LocatedVersion } from "../read/locate-version.ts";
import { describeAgain } from "../read/read-documents.ts";
import { shapeComplaint } from "../read/read-pointer.ts";
import { SnapshotError } from "../read/snapshot-error.ts";

/** A value parsed under its shape; throws `DOCUMENT_INVALID` naming the file and the field. */
export function refuseUnlessShaped<Value>(path: string, parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw new SnapshotError("DOCUMENT_INVALID", `${path}: ${shapeComplaint(error)}`, { path });
  }
}

/** A document as canonical bytes; throws `DOCUMENT_INVALID` naming the file and the field. */
export function encodeDocument(path: string, shape: z.ZodType, value: unknown): Buffer {
  return refuseUnlessShaped(path, () => encodeCanonical(shape, value));
}

/** A file of a version before it is written: what the manifest will say of it, and its bytes. */
export interface RenderedFile {
  readonly entry: ManifestFile;
  readonly bytes: Buffer;
}

/** What the manifest says of a file whatever its bytes are. */
export type FileAbout = Pick<ManifestFile, "path" | "records" | "media_type">;

/** A document that has its shape and is not bytes yet: those of a whole version need not be there at once. */
export interface ShapedFile {
  readonly about: FileAbout;
  /** The same bytes each time. */
  readonly encode: () => Buffer;
}

/** Bytes with what the manifest says of them. */
export function renderedFile(bytes: Buffer, about: FileAbout): RenderedFile {
  const { path, records, media_type } = about;
  return { entry: { path, bytes: bytes.length, sha256: sha256Hex(bytes), records, media_type }, bytes };
}

function rendered(value: DataPackage): RenderedFile {
  const path = PATHS.dataPackage;
  return renderedFile(encodeDocument(path, DataPackage, value), {
    path,
    records: 1,
    media_type: "application/json",
  });
}

/** `datapackage.json` of a version that is being made, from what the manifest will say of its other files. */
export function renderDataPackage(version: DescribedVersion, tableSchemaOf: TableSchemaOf): RenderedFile {
  return rendered(describeVersion(version, tableSchemaOf));
}

/** `datapackage.json` of a kept version for these files instead of its own; none where it has none. Throws `SnapshotError`. */
export function renderDataPackageAgain(
  located: LocatedVersion,
  files: readonly ManifestFile[],
): readonly RenderedFile[] {
  const again = describeAgain(located, files);
  return again === undefined ? [] : [rendered(again)];
}

const CSV_COLUMNS = Object.keys(DelegateItem.shape);

/** A value of its shape, or a refusal that names file and field. */
function shaped<Shape extends z.ZodType>(path: string, shape: Shape, value: unknown): z.output<Shape> {
  return refuseUnlessShaped(path, () => canonicalValue(shape, value));
}

const textFile = (about: FileAbout, text: () => string): ShapedFile => ({
  about,
  encode: () => Buffer.from(text(), "utf8"),
});

function json(kind: FileKind, path: string, value: unknown): ShapedFile {
  const document = shaped<z.ZodType>(path, FILE_SHAPES[kind], value);
  const records = Array.isArray(value) ? value.length : 1;
  return textFile({ path, records, media_type: "application/json" }, () => `${JSON.stringify(document)}\n`);
}

/** Rows of a whole ranking as CSV lines, each with its newline, without the header. */
export function delegateLines(items: readonly DelegateItem[]): string {
  // A name from outside that begins like a formula would run in the reader's spreadsheet.
  return stringify([...items], { columns: CSV_COLUMNS, escape_formulas: true });
}

/** The first line of `all.csv`. */
export const DELEGATE_HEADER = `${CSV_COLUMNS.join(",")}\n`;

const Ranking = z.array(DelegateItem);

function wholeListing(listing: PublishedListing): ShapedFile {
  const path = PATHS.wholeListing(listing.spaceId);
  const items = shaped(path, Ranking, listing.all);
  return textFile(
    { path, records: items.length, media_type: "text/csv" },
    () => DELEGATE_HEADER + delegateLines(items),
  );
}

const DAY_COLUMNS = Object.keys(DelegateDay.shape);

/** What each dated listing was made from, as a whole file; a list without a block has nothing there. */
export function delegateDays(days: readonly DelegateDay[]): Buffer {
  return Buffer.from(stringify([...days], { header: true, columns: DAY_COLUMNS }), "utf8");
}

const Days = z.array(DelegateDay);

function daysFile({ spaceId, days = [] }: PublishedListing): ShapedFile[] {
  if (days.length === 0) return [];
  const path = PATHS.delegateDays(spaceId);
  const rows = shaped(path, Days, days);
  const about = { path, records: rows.length, media_type: "text/csv" } as const;
  return [{ about, encode: () => delegateDays(rows) }];
}

function listingFiles(listing: PublishedListing): ShapedFile[] {
  const { spaceId } = listing;
  return [
    json("latest-listing", PATHS.latestListing(spaceId), listing.latest),
    ...listing.dated.map(({ date, listing: dated }) =>
      json("dated-listing", PATHS.datedListing(spaceId, date), dated),
    ),
    ...daysFile(listing),
    wholeListing(listing),
  ];
}

function evidenceFiles({ evidence, proposals }: PublishedEvidence): ShapedFile[] {
  const path = PATHS.proposals(evidence.space_id);
  const lines = proposals.map((line) => shaped(path, ProposalLine, line));
  return [
    json("evidence", PATHS.evidence(evidence.space_id), evidence),
    textFile({ path, records: lines.length, media_type: "application/x-ndjson" }, () =>
      lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
    ),
  ];
}

/**
 * Every document of a set, each taken under its shape now and made into bytes when they are asked for; throws
 * `DOCUMENT_INVALID` naming file and field.
 */
export function renderDocuments(set: PublishedSet, run: RunReport): readonly ShapedFile[] {
  return [
    json("daos", PATHS.daos, set.daos),
    json("unscored", PATHS.unscored, set.unscored),
    json("run", PATHS.run, run),
    ...(set.dgi === undefined ? [] : [json("dgi", PATHS.dgi, set.dgi)]),
    ...(set.dgiHistory === undefined ? [] : [json("dgi-history", PATHS.dgiHistory, set.dgiHistory)]),
    ...set.details.map((detail) => json("dao", PATHS.dao(detail.space_id), detail)),
    ...set.risks.map((risk) => json("risk", PATHS.risk(risk.space_id), risk)),
    ...set.entities.map((entity) => json("entity", PATHS.entity(entity.entity_id), entity)),
    ...set.histories.map((history) => json("history", PATHS.history(history.space_id), history)),
    ...set.listings.flatMap(listingFiles),
    ...set.graphs.map((graph) => json("graph", PATHS.graph(graph.space_id), graph)),
    ...set.evidence.flatMap(evidenceFiles),
  ];
}
