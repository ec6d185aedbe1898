import type { CheckedDocuments } from "../../format/agreement/check-shapes.ts";
import { type IndexedVersion, indexRowsOf, type PackedRows, packRows } from "./build-index.ts";
import { type RenderedFile, renderDocument } from "./render-documents.ts";

/** Some rendered documents of a version, as plain data that can be passed between threads. */
export interface RenderedPart {
  readonly files: readonly RenderedFile[];
  /** Their rows in the index. */
  readonly rows: PackedRows;
  /** How certain the scores of its DAO are; the list of all DAOs needs it too. */
  readonly certainty: IndexedVersion["certainty"];
}

/** Renders documents; `known` has the certainty of DAOs whose evidence is in another part. */
export function renderPart(
  checked: CheckedDocuments,
  about: Omit<IndexedVersion, "certainty">,
  known?: IndexedVersion["certainty"],
): RenderedPart {
  const files = checked.map(renderDocument);
  const byPath = new Map(files.map(({ entry, bytes }) => [entry.path, bytes]));
  const bytesOf = (path: string) => byPath.get(path) ?? Buffer.alloc(0);
  const { rows, certainty } = indexRowsOf(about, checked, bytesOf, known);
  return { files, rows: packRows(rows), certainty };
}
