import { readStamp, stampSqlite } from "../../snapshots/base/sqlite.ts";
import { pipelineFailure } from "../facts/errors.ts";
import { corrupt, type Database, openForReading, WAREHOUSE_APPLICATION_ID } from "./database.ts";
import { readFetchRecords } from "./fetches.ts";
import { WAREHOUSE_TABLES, WAREHOUSE_VERSION } from "./schema.ts";

/** Creates the tables of a new file. Throws WAREHOUSE_TOO_NEW, WAREHOUSE_TOO_OLD, or WAREHOUSE_CORRUPT. */
export function createTables(database: Database): void {
  if (isNew(database)) {
    // Read again inside the transaction, because another process may have been first.
    database.transaction("immediate", () => {
      if (!isNew(database)) return;
      database.exec(WAREHOUSE_TABLES);
      stampSqlite(database, { applicationId: WAREHOUSE_APPLICATION_ID, version: WAREHOUSE_VERSION });
    });
  }
  assertReadable(database);
}

function isNew(database: Database): boolean {
  const { applicationId, version } = readStamp(database);
  if (applicationId !== 0 || version !== 0) return false;
  return database.get<{ count: number }>("SELECT count(*) AS count FROM sqlite_schema")?.count === 0;
}

/** Throws WAREHOUSE_CORRUPT for the file of another program, WAREHOUSE_TOO_NEW or WAREHOUSE_TOO_OLD for other tables. */
export function assertReadable(database: Database): void {
  const { applicationId, version } = readStamp(database);
  if (applicationId !== WAREHOUSE_APPLICATION_ID) throw corrupt("it is an SQLite file, but not a warehouse");
  if (version === WAREHOUSE_VERSION) return;
  const isNewer = version > WAREHOUSE_VERSION;
  const message = `the warehouse has version ${version}, this program reads version ${WAREHOUSE_VERSION}`;
  throw pipelineFailure(isNewer ? "WAREHOUSE_TOO_NEW" : "WAREHOUSE_TOO_OLD", message, {
    hint: isNewer
      ? "use the newer program that wrote it, or another --home"
      : "move warehouse.db away, with its -wal and -shm, and fetch again; published versions are not affected",
  });
}

/**
 * Checks the whole file for damage and returns its fetch records, without creating or writing it. Throws
 * WAREHOUSE_CORRUPT, WAREHOUSE_BUSY, WAREHOUSE_TOO_NEW or WAREHOUSE_TOO_OLD.
 */
export function inspectWarehouse(path: string) {
  return openForReading(path, (database) => {
    try {
      if (database.pragma("quick_check(1)", { simple: true }) !== "ok") {
        throw corrupt("its pages are inconsistent");
      }
      assertReadable(database);
      return { version: WAREHOUSE_VERSION, records: readFetchRecords(database) };
    } finally {
      database.close();
    }
  });
}

/** What doctor learns about a warehouse. */
export type WarehouseInspection = ReturnType<typeof inspectWarehouse>;
