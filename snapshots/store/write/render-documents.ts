import type { z } from "zod";
import { csvText } from "../../base/csv.ts";
import { encodeLines, encodeParsed, sha256Hex } from "../../format/canonical-json.ts";
import { DataPackage } from "../../format/data-package.ts";
import { DelegateDay, DelegateItem } from "../../format/delegates.ts";
import { DOCUMENTS, type FileKind, type PublishedDocument } from "../../format/documents.ts";
import type { ManifestFile } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import type { LocatedVersion } from "../read/locate-version.ts";
import { describeAgain } from "../read/read-documents.ts";
import { shapeComplaint } from "../read/read-pointer.ts";
import { snapshotFailure } from "../read/snapshot-error.ts";

/** A file of a version before it is written: its entry for the manifest, and its bytes. */
export interface RenderedFile {
  readonly entry: ManifestFile;
  readonly bytes: Buffer;
}

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

export function renderedFile(
  bytes: Buffer,
  { path, records, media_type }: Pick<ManifestFile, "path" | "records" | "media_type">,
): RenderedFile {
  return { entry: { path, bytes: bytes.length, sha256: sha256Hex(bytes), records, media_type }, bytes };
}

/** Checks a value and encodes it canonically; throws `DOCUMENT_INVALID` with the file and the field. */
export function encodeDocument(path: string, shape: z.ZodType, value: unknown): Buffer {
  return encodeParsed(shaped(path, shape, value));
}

/** Checks and encodes the content of a file of some kind; throws like `encodeDocument`. */
export function encodeKind(kind: FileKind, path: string, value: unknown): Buffer {
  const { shape } = DOCUMENTS[kind];
  return bytesOf({ kind, value: shaped(path, shape, value) } as PublishedDocument);
}

function shaped(path: string, shape: z.ZodType, value: unknown): unknown {
  const { data, error } = shape.safeParse(value);
  if (error === undefined) return data;
  throw snapshotFailure("DOCUMENT_INVALID", `${path}: ${shapeComplaint(error)}`, { path });
}

/** Checks and renders a JSON document; throws `DOCUMENT_INVALID` with the file and the field. */
export function renderJson(path: string, shape: z.ZodType, value: unknown): RenderedFile {
  return renderedFile(encodeDocument(path, shape, value), {
    path,
    records: 1,
    media_type: "application/json",
  });
}

/** Renders the `datapackage.json` of a kept version for other files; empty if it has none. Throws `SnapshotFailure`. */
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

/** Rows of a whole ranking as CSV lines with newlines, without the header. */
export function delegateLines(items: readonly DelegateItem[]): string {
  return csvText(items, DELEGATE_COLUMNS);
}

/** The whole file `days.csv`; the block of a list is empty. */
export function delegateDays(days: readonly DelegateDay[]): Buffer {
  return Buffer.from(`${DAY_COLUMNS.join(",")}\n${csvText(days, DAY_COLUMNS)}`, "utf8");
}
