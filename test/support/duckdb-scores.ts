import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DuckDBInstance } from "@duckdb/node-api";
import type { AskRows, SqlRow } from "./version-files.ts";

/** The folder of the measures' SQL. */
export const SQL_FOLDER = fileURLToPath(
  new URL("../../pipeline/tools/export/partitioned/sql/duckdb", import.meta.url),
);

/** An engine with the results of all measures. */
export interface SqlScores {
  readonly rows: AskRows;
  close(): void;
}

/** The SQL files of the measures, in the order of `run.sql`. */
export function sqlFiles(folder: string = SQL_FOLDER): readonly string[] {
  const reads = readFileSync(join(folder, "run.sql"), "utf8").matchAll(/^\.read .*\/([a-z0-9-]+\.sql)$/gm);
  return Array.from(reads, ([, file]) => file ?? "");
}

/** Splits SQL into statements as the guide tells programs to; the binding prepares one at a time, and none of nothing. */
export function statementsOf(sql: string): readonly string[] {
  return sql.split(";").filter((statement) => statement.replaceAll(/^\s*--.*$/gm, "").trim() !== "");
}

/** Runs every measure over an export in DuckDB, by default in memory. `after` has statements to run after a file. */
export async function duckdbScores(
  exportFolder: string,
  options: {
    readonly after?: Readonly<Record<string, string>>;
    readonly onFile?: (file: string, ms: number) => void;
    /** The path of the database's file. */
    readonly database?: string;
    readonly memoryLimit?: string;
  } = {},
): Promise<SqlScores> {
  const { database = ":memory:", memoryLimit } = options;
  const limits = { threads: "2", ...(memoryLimit && { memory_limit: memoryLimit }) };
  const instance = await DuckDBInstance.create(database, limits);
  const connection = await instance.connect();
  const close = (): void => {
    connection.closeSync();
    instance.closeSync();
  };
  try {
    await connection.run(`SET file_search_path = '${exportFolder.replaceAll("'", "''")}'`);
    for (const file of sqlFiles()) {
      const beganMs = performance.now();
      const fileSync = readFileSync(join(SQL_FOLDER, file), "utf8");
      for (const sql of [fileSync, options.after?.[file] ?? ""])
        for (const statement of statementsOf(sql)) await connection.run(statement);
      options.onFile?.(file, performance.now() - beganMs);
    }
  } catch (error) {
    close();
    throw error;
  }
  return {
    rows: async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJson() as readonly SqlRow[],
    close,
  };
}
