import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { invariant, PipelineError } from "../facts/errors.ts";
import { packPointRows } from "./daily-points.ts";
import { corrupt, type Database, openForReading, WAREHOUSE_APPLICATION_ID } from "./database.ts";
import { readFetchRecords } from "./fetches.ts";
import { packVoterRows } from "./voter-blocks.ts";

/** What SQL has no words for: the second half of a migration, by the name of its file, in the same transaction. */
const PACK_ROWS: ReadonlyMap<string, (database: Database) => void> = new Map([
  ["005-voter-blocks.sql", packVoterRows],
  ["006-point-columns.sql", packPointRows],
]);

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
  database.transaction("immediate", () => {
    // The version is read inside the transaction: another process may have been first.
    if (versionOf(database) >= version) return;
    change();
    const dangling: unknown = database.pragma("foreign_key_check");
    if (!Array.isArray(dangling) || dangling.length > 0) throw corrupt("its rows do not belong together");
    database.pragma(`application_id = ${WAREHOUSE_APPLICATION_ID}`);
    database.pragma(`user_version = ${version}`);
  });
}

/** The migrations that this program knows, in their order. */
export function migrationFiles(migrationsDirectory: string): readonly string[] {
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
  const tables = database.get<{ count: number }>("SELECT count(*) AS count FROM sqlite_schema");
  const isNew = applicationId === 0 && versionOf(database) === 0 && tables?.count === 0;
  if (!isNew) throw corrupt("it is an SQLite file, but not a warehouse");
}

/** Migrations that a file has had. */
export function versionOf(database: Database): number {
  const version = database.pragma("user_version", { simple: true });
  invariant(typeof version === "number", "user_version is a number");
  return version;
}

/** What a look at the warehouse's file tells, without changing it. */
export type WarehouseInspection = ReturnType<typeof inspectWarehouse>;

/**
 * Reads the whole file once for damage and says how old it is; it is never made, migrated or written. Throws
 * `PipelineError` WAREHOUSE_CORRUPT or WAREHOUSE_BUSY.
 */
export function inspectWarehouse(input: { readonly path: string; readonly migrationsDirectory: string }) {
  const knownVersion = migrationFiles(input.migrationsDirectory).length;
  return openForReading(input.path, (database) => {
    try {
      if (database.pragma("quick_check(1)", { simple: true }) !== "ok") {
        throw corrupt("its pages do not fit together");
      }
      const version = versionOf(database);
      // The tables of another version may differ.
      return { version, knownVersion, records: version === knownVersion ? readFetchRecords(database) : [] };
    } finally {
      database.close();
    }
  });
}
