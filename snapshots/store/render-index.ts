import type { ManifestFile } from "../format/manifest.ts";
import { PATHS } from "../format/paths.ts";
import type { PublishedSet } from "../format/published-set.ts";
import { buildIndex } from "./build-index.ts";
import { indexContent } from "./index-content.ts";
import type { PackedBodyOf } from "./packed-bodies.ts";
import { type RenderedFile, renderedFile, type ShapedFile } from "./rendered-file.ts";

/** `index.sqlite` of a set, made from the very bytes its documents are published as. */
export function renderIndex(
  set: Pick<PublishedSet, "asOf" | "methodologyVersion">,
  documents: readonly ShapedFile[],
  entries: readonly ManifestFile[],
  packedBefore: PackedBodyOf,
): RenderedFile {
  const byPath = new Map(documents.map((file) => [file.about.path, file]));
  const content = indexContent({
    asOf: set.asOf,
    methodologyVersion: set.methodologyVersion,
    files: entries,
    bytesOf: (path) => byPath.get(path)?.encode() ?? Buffer.alloc(0),
  });
  return renderedFile(buildIndex(content, packedBefore), {
    path: PATHS.index,
    records: content.documents.length,
    media_type: "application/vnd.sqlite3",
  });
}
