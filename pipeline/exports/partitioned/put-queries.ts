import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ExportFolder } from "./export-folder.ts";

/** Copies the SQL of every measure beside the tables, as it lies in the package. */
export function putQueries(folder: ExportFolder, packageDirectory: string): void {
  const sql = join(packageDirectory, "pipeline", "exports", "sql");
  const about = join(sql, "README.md");
  if (existsSync(about)) folder.put("sql/README.md", [readFileSync(about)]);
  for (const engine of ["duckdb", "clickhouse"]) {
    const directory = join(sql, engine);
    if (!existsSync(directory)) continue;
    for (const name of readdirSync(directory)
      .filter((each) => each.endsWith(".sql"))
      .sort()) {
      folder.put(`sql/${engine}/${name}`, [readFileSync(join(directory, name))]);
    }
  }
}
