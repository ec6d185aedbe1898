import type { z } from "zod";
import { encodeParsed, sha256Hex } from "../../format/canonical-json.ts";
import { DataPackage } from "../../format/data-package.ts";
import { DOCUMENTS, type FileKind, type PublishedDocument } from "../../format/documents.ts";
import type { ManifestFile } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import type { LocatedVersion } from "../read/locate-version.ts";
import { encodeValue } from "../read/parse-document.ts";
import { describeAgain } from "../read/read-documents.ts";
import { shapeComplaint } from "../read/read-pointer.ts";
import { snapshotFailure } from "../read/snapshot-error.ts";

/** A file of a version before it is written: its entry for the manifest, and its bytes. */
export type RenderedFile = ReturnType<typeof renderedFile>;

export function renderDocument({ kind, path, value }: PublishedDocument): RenderedFile {
  const records = Array.isArray(value) ? value.length : 1;
  return renderedFile(encodeValue(kind, value), { path, records, media_type: DOCUMENTS[kind].mediaType });
}

export function renderedFile(
  bytes: Buffer,
  { path, records, media_type }: Pick<ManifestFile, "path" | "records" | "media_type">,
) {
  const entry: ManifestFile = { path, bytes: bytes.length, sha256: sha256Hex(bytes), records, media_type };
  return { entry, bytes };
}

/** Checks a value and encodes it canonically; throws `DOCUMENT_INVALID` with the file and the field. */
export function encodeDocument(path: string, shape: z.ZodType, value: unknown): Buffer {
  return encodeParsed(shaped(path, shape, value));
}

/** Checks and encodes the content of a file of some kind; throws like `encodeDocument`. */
export function encodeKind(kind: FileKind, path: string, value: unknown): Buffer {
  return encodeValue(kind, shaped(path, DOCUMENTS[kind].shape, value));
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

/** Renders the `datapackage.json` of a kept version for other files; throws `SnapshotFailure` if it is damaged. */
export function renderDataPackageAgain(
  located: LocatedVersion,
  files: readonly ManifestFile[],
): RenderedFile {
  return renderJson(PATHS.dataPackage, DataPackage, describeAgain(located, files));
}
