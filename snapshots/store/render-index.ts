import { PATHS } from "../format/paths.ts";
import type { PublishedSet } from "../format/published-set.ts";
import { buildIndex } from "./build-index.ts";
import { indexContent } from "./index-content.ts";
import { type RenderedFile, renderedFile } from "./rendered-file.ts";
import { SnapshotError } from "./snapshot-error.ts";

/** `index.sqlite` of a set, made from the very bytes its documents are published as. */
export function renderIndex(
  set: Pick<PublishedSet, "asOf" | "methodologyVersion">,
  documents: readonly RenderedFile[],
): RenderedFile {
  const byPath = new Map(documents.map((file) => [file.entry.path, file.bytes]));
  if (byPath.size !== documents.length) {
    throw new SnapshotError("DOCUMENT_INVALID", "two documents would have the same path");
  }
  const content = indexContent({
    asOf: set.asOf,
    methodologyVersion: set.methodologyVersion,
    files: documents.map((file) => file.entry),
    bytesOf: (path) => byPath.get(path) ?? Buffer.alloc(0),
  });
  return renderedFile(buildIndex(content), {
    path: PATHS.index,
    records: content.documents.length,
    media_type: "application/vnd.sqlite3",
  });
}
