import { createHash } from "node:crypto";
import { stringify } from "csv-stringify/sync";
import type { z } from "zod";
import { encodeInPieces, encodeLines, encodeParsed, sha256Hex } from "../../format/canonical-json.ts";
import { DataPackage } from "../../format/data-package.ts";
import { DelegateDay, DelegateItem } from "../../format/delegates.ts";
import { DOCUMENTS, type FileKind, type PublishedDocument } from "../../format/documents.ts";
import type { ManifestFile } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import type { LocatedVersion } from "../read/locate-version.ts";
import { describeAgain } from "../read/read-documents.ts";
import { shapeComplaint } from "../read/read-pointer.ts";
import { SnapshotError } from "../read/snapshot-error.ts";

/** A file of a version before it is written: what the manifest will say of it, and its bytes. */
export interface RenderedFile {
  readonly entry: ManifestFile;
  readonly bytes: Buffer;
}

/** A file that is too large to be held whole: its bytes are made each time they are taken. */
export interface LargeFile {
  readonly entry: ManifestFile;
  readonly bytes: Iterable<Buffer>;
}

/** A JSON object that is trusted to have its shape, as a file that nobody holds whole. */
export function largeJsonFile(path: string, value: object): LargeFile {
  const hash = createHash("sha256");
  let bytes = 0;
  for (const piece of encodeInPieces(value)) {
    hash.update(piece);
    bytes += piece.length;
  }
  return {
    entry: { path, bytes, sha256: hash.digest("hex"), records: 1, media_type: "application/json" },
    bytes: { [Symbol.iterator]: () => encodeInPieces(value) },
  };
}

/** A document that was checked, as the bytes it is published as. */
export function renderDocument(document: PublishedDocument): RenderedFile {
  const { kind, path, value } = document;
  const records = Array.isArray(value) ? value.length : 1;
  return renderedFile(bytesOf(document), { path, records, media_type: DOCUMENTS[kind].mediaType });
}

function bytesOf({ kind, value }: PublishedDocument): Buffer {
  if (kind === "proposals" || kind === "delegateMonth") return encodeLines(value);
  if (kind === "wholeListing") return Buffer.from(DELEGATE_HEADER + delegateLines(value), "utf8");
  return kind === "delegateDays" ? delegateDays(value) : encodeParsed(value);
}

/** Bytes with what the manifest says of them. */
export function renderedFile(
  bytes: Buffer,
  { path, records, media_type }: Pick<ManifestFile, "path" | "records" | "media_type">,
): RenderedFile {
  return { entry: { path, bytes: bytes.length, sha256: sha256Hex(bytes), records, media_type }, bytes };
}

/** A value that no gate has seen, as canonical bytes; throws `DOCUMENT_INVALID` naming the file and the field. */
export function encodeDocument(path: string, shape: z.ZodType, value: unknown): Buffer {
  return encodeParsed(shaped(path, shape, value));
}

/** What a file of a kind is to hold, not seen by any gate, as its bytes; throws `DOCUMENT_INVALID` as `encodeDocument` does. */
export function encodeKind(kind: FileKind, path: string, value: unknown): Buffer {
  const { shape } = DOCUMENTS[kind];
  return bytesOf({ kind, value: shaped(path, shape, value) } as PublishedDocument);
}

function shaped(path: string, shape: z.ZodType, value: unknown): unknown {
  const { data, error } = shape.safeParse(value);
  if (error === undefined) return data;
  throw new SnapshotError("DOCUMENT_INVALID", `${path}: ${shapeComplaint(error)}`, { path });
}

/** A JSON document that no gate has seen; throws `DOCUMENT_INVALID` naming the file and the field. */
export function renderJson(path: string, shape: z.ZodType, value: unknown): RenderedFile {
  return renderedFile(encodeDocument(path, shape, value), {
    path,
    records: 1,
    media_type: "application/json",
  });
}

/** `datapackage.json` of a kept version for these files instead of its own; none where it has none. Throws `SnapshotError`. */
export function renderDataPackageAgain(
  located: LocatedVersion,
  files: readonly ManifestFile[],
): readonly RenderedFile[] {
  const again = describeAgain(located, files);
  return again === undefined ? [] : [renderJson(PATHS.dataPackage, DataPackage, again)];
}

const DELEGATE_COLUMNS = Object.keys(DelegateItem.shape);
const DAY_COLUMNS = Object.keys(DelegateDay.shape);

/** The first line of `all.csv`. */
export const DELEGATE_HEADER = `${DELEGATE_COLUMNS.join(",")}\n`;

/** Rows of a whole ranking as CSV lines, each with its newline, without the header. */
export function delegateLines(items: readonly DelegateItem[]): string {
  // A name from outside that begins like a formula would run in the reader's spreadsheet.
  return stringify([...items], { columns: DELEGATE_COLUMNS, escape_formulas: true });
}

/** What each dated listing was made from, as a whole file; a list without a block has nothing there. */
export function delegateDays(days: readonly DelegateDay[]): Buffer {
  return Buffer.from(stringify([...days], { header: true, columns: DAY_COLUMNS }), "utf8");
}
