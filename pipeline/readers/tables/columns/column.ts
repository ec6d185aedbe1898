/** What a column holds; `date` is a UTC day, `timestamp` a UTC moment in milliseconds, both spelled as ISO 8601. */
export type ColumnType = "string" | "integer" | "number" | "boolean" | "date" | "timestamp";

/** One value of a row; `null` is "not known" or "not measured", never zero. */
export type Cell = string | number | boolean | null;

/** The values of a row, in the order of its columns. */
export type Row = readonly Cell[];

/** One column of a dataset: all that its header, its schema and the data dictionary say of it. */
export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** What one of it is (`points`, `%`, `days`); empty where it counts and measures nothing. */
  readonly unit: string;
  readonly description: string;
  readonly isNullable: boolean;
  /** Where its value lies in the record that a row is made of. */
  readonly path: readonly string[];
}

/** A column that has a value in every row; its path is its name where nothing else is said. */
export function column(
  name: string,
  type: ColumnType,
  unit: string,
  description: string,
  path: readonly string[] = [name],
): Column {
  return { name, type, unit, description, isNullable: false, path };
}

/** A column that may have no value. */
export function nullable(...given: Parameters<typeof column>): Column {
  return { ...column(...given), isNullable: true };
}

/** What stands before the columns of a dataset where rows come from more than one version. */
export const VERSION_COLUMNS = [
  column("version", "string", "", "Name of the version that the row is from."),
  column("sequence", "integer", "", "Its sequence: rises by one with each publication."),
  column("as_of", "timestamp", "", "The moment that it is of."),
] as const;
