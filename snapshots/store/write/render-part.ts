import type { CheckedDocuments } from "../../format/agreement/check-shapes.ts";
import { type IndexedVersion, indexRowsOf, type PackedRows, packRows } from "./build-index.ts";
import { type RenderedFile, renderDocument } from "./render-documents.ts";

/** Some rendered documents of a version, as plain data that can be passed between threads. */
export interface RenderedPart {
  readonly files: readonly RenderedFile[];
  readonly rows: PackedRows;
}

export function renderPart(checked: CheckedDocuments, about: IndexedVersion): RenderedPart {
  const files = checked.map(renderDocument);
  const byPath = new Map(files.map(({ entry, bytes }) => [entry.path, bytes]));
  const bytesOf = (path: string) => byPath.get(path) ?? Buffer.alloc(0);
  return { files, rows: packRows(indexRowsOf(about, checked, bytesOf)) };
}
