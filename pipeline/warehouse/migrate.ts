import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import { invariant } from "../base/invariant.ts";
import { PipelineError } from "../base/pipeline-error.ts";
import { corrupt } from "./corrupt.ts";
import { PACK_ROWS } from "./pack-rows.ts";

/** "govw" in ASCII: what makes an SQLite file a warehouse of ours. */
export const WAREHOUSE_APPLICATION_ID = 0x676f7677;

const MIGRATION_FILE = /^(\d{3})-[a-z]+(?:-[a-z]+)*\.sql$/;

/** Brings a new or older file to the newest migration, each in a transaction of its own; refuses a newer or a foreign file. */
export function migrate(database: Database, migrationsDirectory: string): void {
  const files = migrationFiles(migrationsDirectory);
  refuseForeign(database);
  // A table that is rebuilt is dropped once, and that would take along every row that refers to it.
  database.pragma("foreign_keys = OFF");
  try {
    for (const [place, file] of files.entries()) {
      if (versionOf(database) > place) continue;
      const sql = readFileSync(join(migrationsDirectory, file), "utf8");
      apply(database, place + 1, () => {
        database.exec(sql);
        PACK_ROWS.get(file)?.(database);
      });
    }
  } finally {
    database.pragma("foreign_keys = ON");
  }
  if (versionOf(database) > files.length) {
    throw new PipelineError(
      "WAREHOUSE_TOO_NEW",
      `the warehouse has version ${versionOf(database)}, this program knows versions up to ${files.length}`,
      { hint: "use the newer program that wrote it, or another --home" },
    );
  }
}

function apply(database: Database, version: number, change: () => void): void {
  const migration = database.transaction(() => {
    // The version is read inside the transaction: another process may have been first.
    if (versionOf(database) >= version) return;
    change();
    const dangling: unknown = database.pragma("foreign_key_check");
    if (!Array.isArray(dangling) || dangling.length > 0) throw corrupt("its rows do not belong together");
    database.pragma(`application_id = ${WAREHOUSE_APPLICATION_ID}`);
    database.pragma(`user_version = ${version}`);
  });
  migration.immediate();
}

function migrationFiles(migrationsDirectory: string): readonly string[] {
  const files = readdirSync(migrationsDirectory)
    .filter((name) => name.endsWith(".sql"))
    .sort();
  invariant(files.length > 0, "there are no migrations");
  for (const [place, file] of files.entries()) {
    const number = MIGRATION_FILE.exec(file)?.[1];
    invariant(Number(number) === place + 1, `migration ${file} is not number ${place + 1} of its folder`);
  }
  return files;
}

function refuseForeign(database: Database): void {
  const applicationId = database.pragma("application_id", { simple: true });
  if (applicationId === WAREHOUSE_APPLICATION_ID) return;
  const tables = database.prepare<[], { count: number }>("SELECT count(*) AS count FROM sqlite_schema").get();
  const isNew = applicationId === 0 && versionOf(database) === 0 && tables?.count === 0;
  if (!isNew) throw corrupt("it is an SQLite file, but not a warehouse");
}

function versionOf(database: Database): number {
  const version = database.pragma("user_version", { simple: true });
  invariant(typeof version === "number", "user_version is a number");
  return version;
}
