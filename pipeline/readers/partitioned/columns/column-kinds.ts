import { type Column, type ColumnType, column, nullable } from "../../tables/columns.ts";

/** A column of text that every row has. */
export function text(name: string, description: string): Column {
  return column(name, "string", "", description);
}

/** A column of text that a row may lack. */
export function textOrNull(name: string, description: string): Column {
  return nullable(name, "string", "", description);
}

/** A yes or no that every row has. */
export function flag(name: string, description: string): Column {
  return column(name, "boolean", "", description);
}

/** A yes or no that is not always known. */
export function flagOrNull(name: string, description: string): Column {
  return nullable(name, "boolean", "", description);
}

/** A column whose value, if there is one, lies deeper in the record: at `path`, with dots between its keys. */
export function found(
  path: string,
  name: string,
  type: ColumnType,
  unit: string,
  description: string,
): Column {
  return nullable(name, type, unit, description, path.split("."));
}

/** The first column of nearly every table. */
export const SPACE_ID = text("space_id", "The DAO.");
