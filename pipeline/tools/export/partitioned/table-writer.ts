import type { Row } from "../../../documents/columns.ts";
import type { OutputFolder } from "../../output-folder.ts";
import { createParquet } from "../encode.ts";
import { cellOf } from "../rows.ts";
import { pathOfTable, TABLE_NAMES, TABLES, type TableName } from "./tables.ts";

export type TableWriter = ReturnType<typeof createTableWriter>;

export function createTableWriter(folder: Pick<OutputFolder, "put">) {
  const tables = Object.fromEntries(
    TABLE_NAMES.map((name) => [name, { rows: 0, files: 0, bytes: 0 }]),
  ) as Record<TableName, { rows: number; files: number; bytes: number }>;
  /** Unpartitioned tables, as the compressed bytes of their files: a few megabytes for all DAOs. */
  const collected = new Map<TableName, { parquet: ReturnType<typeof parquetOf>; chunks: Uint8Array[] }>();

  const parquetOf = (name: TableName) => createParquet(TABLES[name].columns, TABLES[name].groupRows);

  function* counted(name: TableName, rows: Iterable<Row>): Generator<Row> {
    for (const row of rows) {
      tables[name].rows += 1;
      yield row;
    }
  }
  function put(name: TableName, spaceId: string, chunks: Iterable<Uint8Array>): void {
    tables[name].bytes += folder.put(pathOfTable(name, spaceId), chunks).bytes;
    tables[name].files += 1;
  }
  function writeRows(name: TableName, spaceId: string, rows: Iterable<Row>): number {
    const before = tables[name].rows;
    const parquet = parquetOf(name);
    const groups = parquet.add(counted(name, rows));
    const first = groups.next();
    function* chunks() {
      if (first.done !== true) yield first.value;
      yield* groups;
      yield* parquet.end();
    }
    if (tables[name].rows > before) put(name, spaceId, chunks());
    return tables[name].rows - before;
  }
  return {
    tables,
    /** Writes the rows of one DAO, or of a table for all DAOs; returns their number. Writes no file without rows. */
    rows: writeRows,
    records(name: TableName, spaceId: string, records: Iterable<object>): void {
      writeRows(name, spaceId, rowsOf(name, records));
    },
    /** Collects rows of an unpartitioned table for its single file. */
    collect(name: TableName, records: Iterable<object>): void {
      const { parquet, chunks } = collected.get(name) ?? { parquet: parquetOf(name), chunks: [] };
      collected.set(name, { parquet, chunks });
      chunks.push(...parquet.add(counted(name, rowsOf(name, records))));
    },
    /** Writes collected rows, and an empty file for each table without one, so that file patterns find its columns. */
    finish(spaceId: string): void {
      for (const [name, { parquet, chunks }] of collected)
        if (tables[name].rows > 0) put(name, "", [...chunks, ...parquet.end()]);
      for (const name of TABLE_NAMES) if (tables[name].files === 0) put(name, spaceId, parquetOf(name).end());
    },
  };
}

function* rowsOf(name: TableName, records: Iterable<object>): Generator<Row> {
  const { columns } = TABLES[name];
  for (const record of records) yield columns.map((column) => cellOf(record, column));
}
