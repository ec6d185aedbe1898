import { sha256Hex } from "../format/canonical-json.ts";
import type { ManifestFile } from "../format/manifest.ts";

/** A file of a version before it is written: what the manifest will say of it, and its bytes. */
export interface RenderedFile {
  readonly entry: ManifestFile;
  readonly bytes: Buffer;
}

/** Bytes with what the manifest says of them. */
export function renderedFile(
  bytes: Buffer,
  about: Pick<ManifestFile, "path" | "records" | "media_type">,
): RenderedFile {
  const { path, records, media_type } = about;
  return { entry: { path, bytes: bytes.length, sha256: sha256Hex(bytes), records, media_type }, bytes };
}
