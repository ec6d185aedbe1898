import type { Row } from "../tables/columns.ts";
import { type ColumnGroup, columnGroups, encodeColumns } from "../tables/encode.ts";
import { cellOf } from "../tables/rows.ts";
import type { ExportedTable } from "./about.ts";
import type { ExportFolder } from "./export-folder.ts";
import { pathOfTable, TABLE_NAMES, TABLES, type TableName } from "./tables.ts";

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

function groupsOf(name: TableName, rows: Iterable<Row>): Iterable<ColumnGroup> {
  return columnGroups({ columns: TABLES[name].columns, rows });
}

const NOTHING: ExportedTable = { rows: 0, files: 0, bytes: 0 };

/** A writer into one folder. */
export function createTableWriter(folder: ExportFolder): TableWriter {
  const tallies = new Map<TableName, ExportedTable>();
  const collected = new Map<TableName, Row[]>();
  const put = (name: TableName, spaceId: string, groups: Iterable<ColumnGroup>): number => {
    let count = 0;
    function* counted() {
      for (const group of groups) {
        count += group.rows;
        yield group;
      }
    }
    const chunks = encodeColumns(TABLES[name].columns, counted());
    const { bytes } = folder.put(pathOfTable(name, spaceId), chunks);
    const before = tallies.get(name) ?? NOTHING;
    tallies.set(name, {
      rows: before.rows + count,
      files: before.files + 1,
      bytes: before.bytes + bytes,
    });
    return count;
  };
  const putSome = (name: TableName, spaceId: string, groups: Iterable<ColumnGroup>): number => {
    const some = unlessEmpty(groups);
    return some === undefined ? 0 : put(name, spaceId, some);
  };
  return {
    records: (name, spaceId, records) => putSome(name, spaceId, groupsOf(name, rowsOf(name, records))),
    groups: putSome,
    collect(name, records) {
      const rows = collected.get(name) ?? [];
      collected.set(name, rows);
      for (const row of rowsOf(name, records)) rows.push(row);
    },
    finish(spaceId) {
      for (const [name, rows] of collected) put(name, spaceId, groupsOf(name, rows));
      for (const name of TABLE_NAMES) if (!tallies.has(name)) put(name, spaceId, []);
    },
    tables: () =>
      Object.fromEntries(TABLE_NAMES.map((name) => [name, tallies.get(name) ?? NOTHING])) as Record<
        TableName,
        ExportedTable
      >,
  };
}
