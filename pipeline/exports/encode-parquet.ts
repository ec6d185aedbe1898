import { ByteWriter, ParquetWriter, type SchemaElement } from "hyparquet-writer";
import type { Cell, Column, ColumnType } from "./column.ts";
import { inBatches } from "./in-batches.ts";
import type { Table } from "./rows-of-versions.ts";

/** Rows of one row group: what is held in memory at a time, and what a reader can skip at once. */
const GROUP_ROWS = 20_000;

/** How each type is stored. A moment is UTC, so that readers do not take it for a time of theirs. */
const STORED: Readonly<Record<ColumnType, Pick<SchemaElement, "type" | "converted_type" | "logical_type">>> =
  {
    string: { type: "BYTE_ARRAY", converted_type: "UTF8" },
    integer: { type: "INT64" },
    number: { type: "DOUBLE" },
    boolean: { type: "BOOLEAN" },
    date: { type: "INT32", converted_type: "DATE" },
    timestamp: {
      type: "INT64",
      converted_type: "TIMESTAMP_MILLIS",
      logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
    },
  };

/** The columns as a Parquet file declares them. */
export function schemaOf(columns: readonly Column[]): SchemaElement[] {
  return [
    { name: "root", num_children: columns.length },
    ...columns.map(
      ({ name, type, isNullable }): SchemaElement => ({
        name,
        ...STORED[type],
        repetition_type: isNullable ? "OPTIONAL" : "REQUIRED",
      }),
    ),
  ];
}

function storedValue(type: ColumnType, cell: Cell): Cell | bigint | Date {
  if (cell === null) return null;
  if (type === "integer") return BigInt(cell);
  return type === "date" || type === "timestamp" ? new Date(String(cell)) : cell;
}

/** A table as Parquet, a row group at a time, packed with Snappy; columns that are never null are declared so. */
export function* encodeParquet({ columns, rows }: Table): Generator<Uint8Array> {
  const writer = new ByteWriter();
  const file = new ParquetWriter({ writer, schema: schemaOf(columns), createdBy: "govdata" });
  const written = (): Uint8Array => {
    const bytes = writer.getBytes().slice();
    writer.index = 0;
    return bytes;
  };
  for (const group of inBatches(rows, GROUP_ROWS)) {
    file.write({
      rowGroupSize: group.length,
      columnData: columns.map(({ name, type }, place) => ({
        name,
        data: group.map((row) => storedValue(type, row[place] ?? null)),
      })),
    });
    yield written();
  }
  file.finish();
  yield written();
}
