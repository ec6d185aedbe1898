import { sha256Hex } from "../format/canonical-json.ts";
import type { ManifestFile } from "../format/manifest.ts";

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
