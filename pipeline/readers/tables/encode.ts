import { ByteWriter, type ColumnSource, ParquetWriter, type SchemaElement } from "hyparquet-writer";
import { csvText } from "../csv.ts";
import type { Cell, Column, ColumnType } from "./columns.ts";
import type { Table } from "./rows.ts";

/** Items in lists of so many, the last with what is left. */
function* inBatches<Item>(items: Iterable<Item>, size: number): Generator<readonly Item[]> {
  let batch: Item[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Rows of one row group: what is held in memory at a time, and what a reader can skip at once. */
export const GROUP_ROWS = 20_000;

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
function schemaOf(columns: readonly Column[]): SchemaElement[] {
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

/** Values of one column for some rows; numbers that are never null may lie in a typed array. */
export type ColumnValues = ColumnSource["data"];

/** Some rows as columns by name, all of one length. */
export interface ColumnGroup {
  readonly rows: number;
  readonly values: Readonly<Record<string, ColumnValues>>;
}

/** Makes a Parquet file of groups of rows, a row group each, packed with Snappy; columns that are never null are declared so. */
export function createColumnEncoder(columns: readonly Column[]) {
  const writer = new ByteWriter();
  const file = new ParquetWriter({ writer, schema: schemaOf(columns), createdBy: "govdata" });
  const written = (): Uint8Array => {
    const bytes = writer.getBytes().slice();
    writer.index = 0;
    return bytes;
  };
  return {
    /** The bytes of the next group, which may be overwritten from then on. */
    add({ rows, values }: ColumnGroup): Uint8Array {
      const columnData = columns.map(({ name }) => ({ name, data: values[name] ?? [] }));
      file.write({ rowGroupSize: rows, columnData });
      return written();
    },
    /** The bytes that end the file. */
    end(): Uint8Array {
      file.finish();
      return written();
    },
  };
}

/** Groups of rows as a Parquet file, piece by piece. A group may be overwritten once the next one is asked for. */
export function* encodeColumns(
  columns: readonly Column[],
  groups: Iterable<ColumnGroup>,
): Generator<Uint8Array> {
  const encoder = createColumnEncoder(columns);
  for (const group of groups) yield encoder.add(group);
  yield encoder.end();
}

function storedValue(type: ColumnType, cell: Cell): Cell | bigint | Date {
  if (cell === null) return null;
  if (type === "integer") return BigInt(cell);
  return type === "date" || type === "timestamp" ? new Date(String(cell)) : cell;
}

/** The rows of a table in groups of columns, as they are stored. */
export function* columnGroups(
  { columns, rows }: Table,
  groupRows = GROUP_ROWS,
): Generator<ColumnGroup, undefined> {
  for (const group of inBatches(rows, groupRows)) {
    const entries = columns.map(({ name, type }, index) => {
      return [name, group.map((row) => storedValue(type, row[index] ?? null))] as const;
    });
    yield { rows: group.length, values: Object.fromEntries(entries) };
  }
}

/** Rows that become text at once: enough to be quick, few enough to stay small. */
const BATCH_ROWS = 1000;

const bytesOf = (text: string): Buffer => Buffer.from(text, "utf8");

/** A table as CSV with a header. */
function* encodeCsv({ columns, rows }: Table): Generator<Uint8Array> {
  yield bytesOf(`${columns.map(({ name }) => name).join(",")}\n`);
  for (const batch of inBatches(rows, BATCH_ROWS)) yield bytesOf(csvText(batch));
}

/** A table as one JSON object a line, its keys in the order of the columns. */
function* encodeNdjson({ columns, rows }: Table): Generator<Uint8Array> {
  for (const batch of inBatches(rows, BATCH_ROWS)) {
    const lines = batch.map((row) => {
      const entries = columns.map(({ name }, place) => [name, row[place] ?? null] as const);
      return `${JSON.stringify(Object.fromEntries(entries))}\n`;
    });
    yield bytesOf(lines.join(""));
  }
}

/** The forms a table can be written in. */
export const EXPORT_FORMATS = ["csv", "ndjson", "parquet"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** A table as bytes, a piece at a time: the same table gives the same bytes. */
export const ENCODERS: Readonly<Record<ExportFormat, (table: Table) => Iterable<Uint8Array>>> = {
  csv: encodeCsv,
  ndjson: encodeNdjson,
  parquet: (table) => encodeColumns(table.columns, columnGroups(table)),
};
