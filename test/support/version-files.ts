import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A row of a table or an object of a document. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** Queries the engine that ran the SQL of the measures. */
export type AskRows = (sql: string) => Promise<readonly SqlRow[]>;

/** Follows a path into a JSON value. */
export function valueAt(value: unknown, ...path: readonly (string | number)[]): unknown {
  let node = value;
  for (const key of path) node = (node as SqlRow | null | undefined)?.[key];
  return node;
}

/** A JSON file of a version. */
export function readJson(version: string, path: string): unknown {
  return JSON.parse(readFileSync(join(version, path), "utf8"));
}

/** The files in a folder of a version; none if the folder does not exist. */
export function filesIn(version: string, folder: string): readonly string[] {
  return existsSync(join(version, folder)) ? readdirSync(join(version, folder)).sort() : [];
}
