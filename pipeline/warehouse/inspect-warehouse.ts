import { readdirSync } from "node:fs";
import Database from "better-sqlite3";
import { corrupt } from "./corrupt.ts";
import { guardSqlite } from "./guard-sqlite.ts";
import { WAREHOUSE_APPLICATION_ID } from "./migrate.ts";
import { readFetchRecords } from "./queries/read-fetch-records.ts";
import type { FetchRecord } from "./warehouse.ts";

/** A look does not wait long for a fetch that is under way. */
const BUSY_TIMEOUT_MS = 1_000;

/** What a look at the warehouse's file tells, without changing it. */
export interface WarehouseInspection {
  /** Migrations the file has had. */
  readonly version: number;
  /** Migrations this program knows. */
  readonly knownVersion: number;
  /** The newest attempts; empty where the file is of another version, whose tables may differ. */
  readonly records: readonly FetchRecord[];
}

/**
 * Reads the whole file once for damage and says how old it is; it is never made, migrated or written. Throws
 * `PipelineError` WAREHOUSE_CORRUPT or WAREHOUSE_BUSY.
 */
export function inspectWarehouse(input: {
  readonly path: string;
  readonly migrationsDirectory: string;
}): WarehouseInspection {
  const knownVersion = readdirSync(input.migrationsDirectory).filter((name) => name.endsWith(".sql")).length;
  return guardSqlite(() => {
    const database = new Database(input.path, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
    try {
      database.pragma("query_only = ON");
      if (database.pragma("application_id", { simple: true }) !== WAREHOUSE_APPLICATION_ID) {
        throw corrupt("it is an SQLite file, but not a warehouse");
      }
      if (database.pragma("quick_check(1)", { simple: true }) !== "ok") {
        throw corrupt("its pages do not fit together");
      }
      const version = Number(database.pragma("user_version", { simple: true }));
      const records = version === knownVersion ? readFetchRecords(database).all() : [];
      return { version, knownVersion, records };
    } finally {
      database.close();
    }
  });
}
