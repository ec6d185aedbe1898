import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readStamp, stampSqlite } from "../../snapshots/base/sqlite.ts";
import { invariant, pipelineFailure } from "../facts/errors.ts";
import { packPointRows } from "./daily-points.ts";
import { corrupt, type Database, openForReading, WAREHOUSE_APPLICATION_ID } from "./database.ts";
import { readFetchRecords } from "./fetches.ts";
import { packVoterRows } from "./voter-blocks.ts";

/** The part of a migration that SQL cannot express, by file name; runs in the same transaction. */
const PACK_ROWS: ReadonlyMap<string, (database: Database) => void> = new Map([
  ["005-voter-blocks.sql", packVoterRows],
  ["006-point-columns.sql", packPointRows],
]);

const MIGRATION_FILE = /^(\d{3})-[a-z]+(?:-[a-z]+)*\.sql$/;

/** Applies all missing migrations, each in its own transaction; throws on a file that is newer or not a warehouse. */
export function migrate(database: Database, migrationsDirectory: string): void {
  const files = migrationFiles(migrationsDirectory);
  assertWarehouse(database);
  // Rebuilding a table drops it once, which would cascade to every row that refers to it.
  database.pragma("foreign_keys = OFF");
  try {
    for (const [index, file] of files.entries()) {
      if (versionOf(database) > index) continue;
      const sql = readFileSync(join(migrationsDirectory, file), "utf8");
      apply(database, index + 1, () => {
        database.exec(sql);
        PACK_ROWS.get(file)?.(database);
      });
    }
  } finally {
    database.pragma("foreign_keys = ON");
  }
  if (versionOf(database) > files.length) {
    throw pipelineFailure(
      "WAREHOUSE_TOO_NEW",
      `the warehouse has version ${versionOf(database)}, this program knows versions up to ${files.length}`,
      { hint: "use the newer program that wrote it, or another --home" },
    );
  }
}

function apply(database: Database, version: number, change: () => void): void {
  database.transaction("immediate", () => {
    // Read inside the transaction, because another process may have migrated first.
    if (versionOf(database) >= version) return;
    change();
    const dangling: unknown = database.pragma("foreign_key_check");
    if (!Array.isArray(dangling) || dangling.length > 0) throw corrupt("rows refer to missing rows");
    stampSqlite(database, { applicationId: WAREHOUSE_APPLICATION_ID, version });
  });
}

/** The migration files of this program, in order. */
export function migrationFiles(migrationsDirectory: string): readonly string[] {
  const files = readdirSync(migrationsDirectory)
    .filter((name) => name.endsWith(".sql"))
    .sort();
  invariant(files.length > 0, "there are no migrations");
  for (const [index, file] of files.entries()) {
    const number = MIGRATION_FILE.exec(file)?.[1];
    invariant(Number(number) === index + 1, `migration ${file} is not number ${index + 1} of its folder`);
  }
  return files;
}

function assertWarehouse(database: Database): void {
  const { applicationId, version } = readStamp(database);
  if (applicationId === WAREHOUSE_APPLICATION_ID) return;
  const tables = database.get<{ count: number }>("SELECT count(*) AS count FROM sqlite_schema");
  const isNew = applicationId === 0 && version === 0 && tables?.count === 0;
  if (!isNew) throw corrupt("it is an SQLite file, but not a warehouse");
}

/** The number of migrations applied to a file. */
export function versionOf(database: Database): number {
  return readStamp(database).version;
}

/** The version of a warehouse file and its fetch records. */
export type WarehouseInspection = ReturnType<typeof inspectWarehouse>;

/**
 * Checks the whole file for damage and returns its version and fetch records, without creating, migrating or writing it.
 * Throws `WAREHOUSE_CORRUPT` or WAREHOUSE_BUSY.
 */
export function inspectWarehouse(input: { readonly path: string; readonly migrationsDirectory: string }) {
  const knownVersion = migrationFiles(input.migrationsDirectory).length;
  return openForReading(input.path, (database) => {
    try {
      if (database.pragma("quick_check(1)", { simple: true }) !== "ok") {
        throw corrupt("its pages are inconsistent");
      }
      const version = versionOf(database);
      // Another version may have other tables.
      return { version, knownVersion, records: version === knownVersion ? readFetchRecords(database) : [] };
    } finally {
      database.close();
    }
  });
}
