import type { Row } from "../../../documents/columns.ts";
import { type ColumnGroup, columnGroups, createColumnEncoder, encodeColumns, GROUP_ROWS } from "../encode.ts";
import { cellOf } from "../rows.ts";
import type { ExportFolder } from "./export-folder.ts";
import { pathOfTable, TABLE_NAMES, TABLES, type TableName } from "./tables.ts";

/** Writes the tables of an export, one file per DAO for partitioned tables. */
export type TableWriter = ReturnType<typeof createTableWriter>;

export function createTableWriter(folder: Pick<ExportFolder, "put">) {
  const tables = Object.fromEntries(
    TABLE_NAMES.map((name) => [name, { rows: 0, files: 0, bytes: 0 }]),
  ) as Record<TableName, { rows: number; files: number; bytes: number }>;
  const collected = new Map<TableName, ReturnType<typeof collectionOf>>();

  const write = (name: TableName, spaceId: string, groups: Iterable<ColumnGroup>): number => {
    let count = 0;
    function* counted() {
      for (const group of groups) {
        count += group.rows;
        yield group;
      }
    }
    const chunks = encodeColumns(TABLES[name].columns, counted());
    const { bytes } = folder.put(pathOfTable(name, spaceId), chunks);
    const { rows, files, bytes: before } = tables[name];
    tables[name] = { rows: rows + count, files: files + 1, bytes: before + bytes };
    return count;
  };
  const writeRows = (name: TableName, spaceId: string, rows: Iterable<Row>): number => {
    const { columns, groupRows } = TABLES[name];
    const groups = columnGroups({ columns, rows }, groupRows);
    const { value: first } = groups.next();
    if (first === undefined) return 0;
    function* all() {
      yield first as ColumnGroup;
      yield* groups;
    }
    return write(name, spaceId, all());
  };
  return {
    /** Writes the rows of one DAO, or of a table for all DAOs; returns their number. Writes no file without rows. */
    rows: writeRows,
    records: (name: TableName, spaceId: string, records: Iterable<object>): number =>
      writeRows(name, spaceId, rowsOf(name, records)),
    /** Collects rows of an unpartitioned table for its single file. */
    collect(name: TableName, records: Iterable<object>): void {
      const collection = collected.get(name) ?? collectionOf(name);
      collected.set(name, collection);
      for (const row of rowsOf(name, records)) collection.add(row);
    },
    /** Writes collected rows, and an empty file for each table without one, so that file patterns find its columns. */
    finish(spaceId: string): void {
      for (const [name, collection] of collected) {
        const { chunks, rows } = collection.end();
        if (rows > 0)
          tables[name] = { rows, files: 1, bytes: folder.put(pathOfTable(name, ""), chunks).bytes };
      }
      for (const name of TABLE_NAMES) if (tables[name].files === 0) write(name, spaceId, []);
    },
    tables,
  };
}

/** Rows that arrive a few at a time, kept as the compressed bytes of their file: a few megabytes for all DAOs. */
function collectionOf(name: TableName) {
  const { columns } = TABLES[name];
  const encoder = createColumnEncoder(columns);
  const chunks: Uint8Array[] = [];
  let count = 0;
  let waiting: Row[] = [];
  const pack = (): void => {
    for (const group of columnGroups({ columns, rows: waiting })) chunks.push(encoder.add(group));
    waiting = [];
  };
  return {
    add(row: Row): void {
      count += 1;
      if (waiting.push(row) === GROUP_ROWS) pack();
    },
    end() {
      pack();
      chunks.push(encoder.end());
      return { rows: count, chunks };
    },
  };
}

function* rowsOf(name: TableName, records: Iterable<object>): Generator<Row> {
  const { columns } = TABLES[name];
  for (const record of records) yield columns.map((each) => cellOf(record, each));
}
