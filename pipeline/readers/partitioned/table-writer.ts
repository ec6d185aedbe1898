import { ByteWriter, type ColumnSource, ParquetWriter } from "hyparquet-writer";
import type { Column, Row } from "../tables/columns/column.ts";
import { encodeParquet, schemaOf } from "../tables/encode.ts";
import { cellOf } from "../tables/rows.ts";
import type { ExportedTable } from "./about.ts";
import type { ExportFolder } from "./export-folder.ts";
import { pathOfTable, TABLE_NAMES, TABLES, type TableName } from "./tables.ts";

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

/** Writes the tables of an export, one file a DAO where the table is partitioned. */
export interface TableWriter {
  /** A table's rows of one DAO, each from a record; answers how many. No rows of a DAO are no file. */
  records(name: TableName, spaceId: string, records: Iterable<object>): number;
  /** The same of columns, or of a table that is not partitioned all rows. */
  groups(name: TableName, spaceId: string, groups: Iterable<ColumnGroup>): number;
  /** Takes rows of a table that is not partitioned, for all DAOs' file; they are few. */
  collect(name: TableName, records: Iterable<object>): void;
  /** Writes what was collected, and for each table without a file one without rows, so that a pattern finds its columns. */
  finish(spaceId: string): void;
  tables(): Readonly<Record<TableName, ExportedTable>>;
}

/** The same items, or nothing where there are none. */
function unlessEmpty<Item>(items: Iterable<Item>): Iterable<Item> | undefined {
  const iterator = items[Symbol.iterator]();
  const first = iterator.next();
  if (first.done === true) return undefined;
  return (function* () {
    yield first.value;
    for (let next = iterator.next(); next.done !== true; next = iterator.next()) yield next.value;
  })();
}

function* rowsOf(name: TableName, records: Iterable<object>): Generator<Row> {
  const { columns } = TABLES[name];
  for (const record of records) yield columns.map((each) => cellOf(record, each));
}

/** A writer into one folder. */
export function createTableWriter(folder: ExportFolder): TableWriter {
  const tallies = new Map<TableName, ExportedTable>();
  const collected = new Map<TableName, Row[]>();
  const put = (
    name: TableName,
    spaceId: string,
    chunks: Iterable<Uint8Array>,
    rows: () => number,
  ): number => {
    const { bytes } = folder.put(pathOfTable(name, spaceId), chunks);
    const before = tallies.get(name) ?? { rows: 0, files: 0, bytes: 0 };
    tallies.set(name, {
      rows: before.rows + rows(),
      files: before.files + 1,
      bytes: before.bytes + bytes,
    });
    return rows();
  };
  const putRows = (name: TableName, spaceId: string, rows: Iterable<Row>): number => {
    let count = 0;
    function* counted() {
      for (const row of rows) {
        count += 1;
        yield row;
      }
    }
    return put(name, spaceId, encodeParquet({ columns: TABLES[name].columns, rows: counted() }), () => count);
  };
  const putGroups = (name: TableName, spaceId: string, groups: Iterable<ColumnGroup>): number => {
    let count = 0;
    function* counted() {
      for (const group of groups) {
        count += group.rows;
        yield group;
      }
    }
    return put(name, spaceId, encodeColumns(TABLES[name].columns, counted()), () => count);
  };
  return {
    records(name, spaceId, records) {
      const some = unlessEmpty(rowsOf(name, records));
      return some === undefined ? 0 : putRows(name, spaceId, some);
    },
    collect(name, records) {
      const rows = collected.get(name) ?? [];
      collected.set(name, rows);
      for (const row of rowsOf(name, records)) rows.push(row);
    },
    groups(name, spaceId, groups) {
      const some = unlessEmpty(groups);
      return some === undefined ? 0 : putGroups(name, spaceId, some);
    },
    finish(spaceId) {
      for (const [name, rows] of collected) putRows(name, spaceId, rows);
      for (const name of TABLE_NAMES) if (!tallies.has(name)) putGroups(name, spaceId, []);
    },
    tables: () =>
      Object.fromEntries(
        TABLE_NAMES.map((name) => [name, tallies.get(name) ?? { rows: 0, files: 0, bytes: 0 }]),
      ) as Record<TableName, ExportedTable>,
  };
}
