import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { SQL_FOLDER, statementsOf } from "../../../../../support/duckdb-scores.ts";

/** Gives an empty database to `use`, and closes it. */
export async function inDuckdb<Result>(
  use: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  const connection = await instance.connect();
  try {
    return await use(connection);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** The statements of a file of the measures. */
export const statementsIn = (file: string): readonly string[] =>
  statementsOf(readFileSync(join(SQL_FOLDER, file), "utf8"));
