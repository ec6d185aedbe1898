import { invariant } from "../base/invariant.ts";
import type { Cell, Column, Row } from "./column.ts";
import { VERSION_COLUMNS } from "./columns/version-columns.ts";
import { DATASETS, type DatasetName } from "./datasets.ts";
import { type ExportedVersion, RECORDS } from "./records-of-dataset.ts";

/** A table: its columns, and its rows as they are asked for. */
export interface Table {
  readonly columns: readonly Column[];
  readonly rows: Iterable<Row>;
}

function valueAt(record: object, path: readonly string[]): unknown {
  let value: unknown = record;
  for (const key of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

/** The value of a column in a record; one that is missing is `null`, and none may be missing where the column says so. */
export function cellOf(record: object, { name, path, isNullable }: Column): Cell {
  const value = valueAt(record, path) ?? null;
  const isCell = value === null || ["string", "number", "boolean"].includes(typeof value);
  invariant(isCell, `column ${name} is not one value`);
  invariant(value !== null || isNullable, `column ${name} has no value`);
  return value as Cell;
}

/** Rows of one or several versions, in their order; where they are several, each row begins with its version. */
export function rowsOfVersions(
  dataset: DatasetName,
  versions: readonly ExportedVersion[],
  { withVersion }: { readonly withVersion: boolean },
): Table {
  const { columns } = DATASETS[dataset];
  const all = withVersion ? [...VERSION_COLUMNS, ...columns] : columns;
  function* rows(): Generator<Row> {
    for (const version of versions) {
      const { version: name, manifest } = version.located;
      const about = { version: name, sequence: manifest.sequence, as_of: manifest.as_of };
      for (const record of RECORDS[dataset](version)) {
        const whole = withVersion ? { ...record, ...about } : record;
        yield all.map((each) => cellOf(whole, each));
      }
    }
  }
  return { columns: all, rows: { [Symbol.iterator]: rows } };
}
