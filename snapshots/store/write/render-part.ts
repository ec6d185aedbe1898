import type { CheckedDocuments } from "../../format/agreement/check-shapes.ts";
import { type IndexedVersion, indexRowsOf, type PackedRows, packRows } from "./build-index.ts";
import { type RenderedFile, renderDocument } from "./render-documents.ts";

/** Some documents of a version as the bytes that they are published as: in plain data that can be handed from thread to thread. */
export interface RenderedPart {
  readonly files: readonly RenderedFile[];
  /** What the index says of them. */
  readonly rows: PackedRows;
  /** How far the scores of its DAO are known; the list of all DAOs tells it too. */
  readonly certainty: IndexedVersion["certainty"];
}

/** Documents as bytes; `known` says how far the scores of DAOs are known of which the evidence is in another part. */
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
