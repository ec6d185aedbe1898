import { ByteWriter, type ColumnSource, ParquetWriter } from "hyparquet-writer";
import type { Column } from "../column.ts";
import { schemaOf } from "../encode-parquet.ts";

/** Values of one column for some rows, by name; numbers that are never null may lie in a typed array. */
export type ColumnValues = ColumnSource["data"];

/** Some rows as columns, all of one length. */
export interface ColumnGroup {
  readonly rows: number;
  readonly values: Readonly<Record<string, ColumnValues>>;
}

/**
 * Groups of rows as Parquet, a row group each, as `encodeParquet` writes rows: for tables so long that a row must not
 * become an object. A group may be overwritten once the next one is asked for.
 */
export function* encodeColumns(
  columns: readonly Column[],
  groups: Iterable<ColumnGroup>,
): Generator<Uint8Array> {
  const writer = new ByteWriter();
  const file = new ParquetWriter({ writer, schema: schemaOf(columns), createdBy: "govdata" });
  const written = (): Uint8Array => {
    const bytes = writer.getBytes().slice();
    writer.index = 0;
    return bytes;
  };
  for (const { rows, values } of groups) {
    file.write({
      rowGroupSize: rows,
      columnData: columns.map(({ name }) => ({ name, data: values[name] ?? [] })),
    });
    yield written();
  }
  file.finish();
  yield written();
}
