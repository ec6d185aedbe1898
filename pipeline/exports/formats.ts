import { encodeParquet } from "./encode-parquet.ts";
import { encodeCsv, encodeNdjson } from "./encode-text.ts";
import type { Table } from "./rows-of-versions.ts";

/** The forms a table can be written in. */
export const EXPORT_FORMATS = ["csv", "ndjson", "parquet"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** A table as bytes, a piece at a time: the same table gives the same bytes. */
export const ENCODERS: Readonly<Record<ExportFormat, (table: Table) => Iterable<Uint8Array>>> = {
  csv: encodeCsv,
  ndjson: encodeNdjson,
  parquet: encodeParquet,
};
