import type { TableName } from "./tables.ts";

/** Raised whenever a reader of an older export would go wrong. */
export const EXPORT_FORMAT = 1;

/** One file of an export. */
export interface ExportedFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** One table of it. */
export interface ExportedTable {
  readonly rows: number;
  readonly files: number;
  readonly bytes: number;
}

/** `about.json`: what an export is of, and every file but itself, by hash. */
export interface About {
  readonly kind: "govdata-export";
  readonly format: typeof EXPORT_FORMAT;
  readonly version: string;
  readonly sequence: number;
  readonly as_of: string;
  readonly methodology_version: string;
  /** When the version was made. */
  readonly created_at: string;
  /** DAOs that were fetched again since then; what the version says of their proposals still holds. */
  readonly fetched_since: readonly string[];
  /** Two exports with one key name their voters alike. */
  readonly pseudonyms: { readonly key_id: string };
  readonly tables: Readonly<Record<TableName, ExportedTable>>;
  readonly files: readonly ExportedFile[];
}
