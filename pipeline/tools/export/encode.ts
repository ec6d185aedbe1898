import { ByteWriter, ParquetWriter, type SchemaElement } from "hyparquet-writer";
import { inBatches } from "../../../snapshots/base/concurrency.ts";
import { csvText } from "../../../snapshots/base/csv.ts";
import type { Cell, Column, ColumnType, Row } from "../../documents/columns.ts";
import type { ExportFormat } from "./choices.ts";
import type { Table } from "./rows.ts";

/** Rows per row group: held in memory together, and skipped together by readers. */
const GROUP_ROWS = 20_000;

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

function storedValue(type: ColumnType, cell: Cell): Cell | bigint | Date {
  if (cell === null) return null;
  if (type === "integer") return BigInt(cell);
  return type === "date" || type === "timestamp" ? new Date(String(cell)) : cell;
}

/** Writes a Parquet file piece by piece, compressed with Snappy; columns without nulls are `required`. */
export function createParquet(columns: readonly Column[], groupRows = GROUP_ROWS) {
  const writer = new ByteWriter();
  const file = new ParquetWriter({ writer, schema: schemaOf(columns), createdBy: "govdata" });
  let waiting: Row[] = [];
  const written = (): Uint8Array => {
    const bytes = writer.getBytes().slice();
    writer.index = 0;
    return bytes;
  };
  const writeGroup = (): Uint8Array => {
    const columnData = columns.map(({ name, type }, index) => ({
      name,
      data: waiting.map((row) => storedValue(type, row[index] ?? null)),
    }));
    file.write({ rowGroupSize: waiting.length, columnData });
    waiting = [];
    return written();
  };
  return {
    /** Takes rows; yields the bytes of each row group once it is whole. */
    *add(rows: Iterable<Row>): Generator<Uint8Array> {
      for (const row of rows) if (waiting.push(row) === groupRows) yield writeGroup();
    },
    *end(): Generator<Uint8Array> {
      if (waiting.length > 0) yield writeGroup();
      file.finish();
      yield written();
    },
  };
}

function* encodeParquet({ columns, rows }: Table): Generator<Uint8Array> {
  const parquet = createParquet(columns);
  yield* parquet.add(rows);
  yield* parquet.end();
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
  parquet: encodeParquet,
};
