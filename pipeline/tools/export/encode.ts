import { ByteWriter, type ColumnSource, ParquetWriter, type SchemaElement } from "hyparquet-writer";
import { inBatches } from "../../../snapshots/base/batches.ts";
import { csvText } from "../../../snapshots/base/csv.ts";
import type { Cell, Column, ColumnType } from "../../documents/columns.ts";
import type { ExportFormat } from "./choices.ts";
import type { Table } from "./rows.ts";

/** Rows per row group: held in memory together, and skipped together by readers. */
export const GROUP_ROWS = 20_000;

/** How each type is stored. Timestamps are marked as UTC, so that readers do not treat them as local time. */
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

/** Values of one column for some rows; numbers without nulls may be in a typed array. */
type ColumnValues = ColumnSource["data"];

/** Some rows as columns by name, all of the same length. */
export interface ColumnGroup {
  readonly rows: number;
  readonly values: Readonly<Record<string, ColumnValues>>;
}

/** Writes a Parquet file, a row group per group, compressed with Snappy; columns without nulls are `required`. */
export function createColumnEncoder(columns: readonly Column[]) {
  const writer = new ByteWriter();
  const file = new ParquetWriter({ writer, schema: schemaOf(columns), createdBy: "govdata" });
  const written = (): Uint8Array => {
    const bytes = writer.getBytes().slice();
    writer.index = 0;
    return bytes;
  };
  return {
    /** Writes the next group and returns its bytes; the group may then be overwritten. */
    add({ rows, values }: ColumnGroup): Uint8Array {
      const columnData = columns.map(({ name }) => ({ name, data: values[name] ?? [] }));
      file.write({ rowGroupSize: rows, columnData });
      return written();
    },
    end(): Uint8Array {
      file.finish();
      return written();
    },
  };
}

/** Encodes groups as a Parquet file, piece by piece. A group may be overwritten once the next is requested. */
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

/** Converts the rows of a table to groups of columns, in their stored types. */
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

/** Rows converted to text at once: enough to be fast, few enough to stay small. */
const BATCH_ROWS = 1000;

const bytesOf = (text: string): Buffer => Buffer.from(text, "utf8");

function* encodeCsv({ columns, rows }: Table): Generator<Uint8Array> {
  yield bytesOf(`${columns.map(({ name }) => name).join(",")}\n`);
  for (const batch of inBatches(rows, BATCH_ROWS)) yield bytesOf(csvText(batch));
}

/** So that spreadsheets read names as UTF-8. */
const BYTE_ORDER_MARK = "\uFEFF";

/** CSV for spreadsheets, which read no time with a zone: `2026-04-28 23:59:59`, in UTC. */
export function* encodeForSpreadsheets({ columns, rows }: Table): Generator<Uint8Array> {
  const isTime = columns.map(({ type }) => type === "timestamp");
  const zoneless = (cell: Cell, index: number): Cell =>
    cell !== null && isTime[index] === true ? String(cell).slice(0, 19).replace("T", " ") : cell;
  function* shown() {
    for (const row of rows) yield row.map(zoneless);
  }
  yield bytesOf(BYTE_ORDER_MARK);
  yield* encodeCsv({ columns, rows: shown() });
}

function* encodeNdjson({ columns, rows }: Table): Generator<Uint8Array> {
  for (const batch of inBatches(rows, BATCH_ROWS)) {
    const lines = batch.map((row) => {
      const entries = columns.map(({ name }, index) => [name, row[index] ?? null] as const);
      return `${JSON.stringify(Object.fromEntries(entries))}\n`;
    });
    yield bytesOf(lines.join(""));
  }
}

/** Encodes a table as bytes, piece by piece; deterministic. */
export const ENCODERS: Readonly<Record<ExportFormat, (table: Table) => Iterable<Uint8Array>>> = {
  csv: encodeCsv,
  ndjson: encodeNdjson,
  parquet: (table) => encodeColumns(table.columns, columnGroups(table)),
};
