import { join } from "node:path";
import Database from "better-sqlite3";
import type { Manifest } from "../format/manifest.ts";
import { PATHS } from "../format/paths.ts";
import { INDEX_APPLICATION_ID, INDEX_SCHEMA_VERSION, INDEX_TABLES } from "./index-schema.ts";
import { manifestFile } from "./locate-version.ts";
import { SnapshotError } from "./snapshot-error.ts";
import { fileProblem } from "./verified-file.ts";

function invalid(message: string, cause?: unknown): SnapshotError {
  return new SnapshotError("SNAPSHOT_INVALID", `${PATHS.index}: ${message}`, { path: PATHS.index, cause });
}

function assertOurs(database: Database.Database): void {
  // Off before anything is read: a schema from elsewhere could carry expressions that run on reading.
  database.pragma("trusted_schema = OFF");
  if (database.pragma("application_id", { simple: true }) !== INDEX_APPLICATION_ID) {
    throw invalid("is not an index of this program");
  }
  if (database.pragma("user_version", { simple: true }) !== INDEX_SCHEMA_VERSION) {
    throw invalid("is of a version that this program does not read");
  }
  const tables = database
    .prepare<[], string>("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")
    .pluck()
    .all();
  if (tables.length !== INDEX_TABLES.length || tables.some((sql, at) => sql !== INDEX_TABLES[at])) {
    throw invalid("does not have the tables of this format");
  }
  if (database.pragma("quick_check", { simple: true }) !== "ok") throw invalid("fails its own check");
}

/** The index of a version, its bytes verified against the manifest, open read-only; throws `SnapshotError`. */
export async function openIndex(directory: string, manifest: Manifest): Promise<Database.Database> {
  const found = await fileProblem(directory, manifestFile(manifest, PATHS.index));
  if (found !== undefined) throw new SnapshotError("SNAPSHOT_INVALID", found.message, { path: PATHS.index });
  let database: Database.Database | undefined;
  try {
    database = new Database(join(directory, PATHS.index), { readonly: true, fileMustExist: true });
    assertOurs(database);
    return database;
  } catch (error) {
    database?.close();
    throw error instanceof SnapshotError ? error : invalid("cannot be opened", error);
  }
}
