import { readdirSync } from "node:fs";
import Database from "better-sqlite3";
import { invariant } from "../base/invariant.ts";
import { corrupt } from "./corrupt.ts";
import { guardSqlite } from "./guard-sqlite.ts";
import { WAREHOUSE_APPLICATION_ID } from "./migrate.ts";
import { BUSY_TIMEOUT_MS } from "./open-database.ts";
import { pointColumns } from "./queries/point-columns.ts";
import { readDaoFacts } from "./read-dao-facts.ts";
import type { DailyPointStore, Warehouse } from "./warehouse.ts";

/** The part of a warehouse that scoring a DAO needs, so that other threads than the one that writes can score. */
export interface WarehouseReader {
  readonly daoFacts: Warehouse["daoFacts"];
  readonly dailyPoints: Pick<DailyPointStore, "read">;
  close(): void;
}

/**
 * Opens a warehouse that `openWarehouse` made or brought up to date before, on one connection that never writes.
 * Throws `PipelineError` WAREHOUSE_CORRUPT.
 */
export function openWarehouseReader(input: {
  readonly path: string;
  readonly migrationsDirectory: string;
}): WarehouseReader {
  return guardSqlite(() => {
    const database = new Database(input.path, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
    try {
      database.pragma("query_only = ON");
      if (database.pragma("application_id", { simple: true }) !== WAREHOUSE_APPLICATION_ID) {
        throw corrupt("it is an SQLite file, but not a warehouse");
      }
      const newest = readdirSync(input.migrationsDirectory).filter((name) => name.endsWith(".sql")).length;
      const version = database.pragma("user_version", { simple: true });
      invariant(
        version === newest,
        `a reader is opened on version ${version} of the warehouse, not ${newest}`,
      );
      const daoFacts = readDaoFacts(database);
      const points = pointColumns(database);
      return {
        daoFacts: (dao, registry) => guardSqlite(() => daoFacts(dao, registry)),
        dailyPoints: { read: (spaceId, methodKey) => guardSqlite(() => points.read(spaceId, methodKey)) },
        close: () => void database.close(),
      };
    } catch (error) {
      database.close();
      throw error;
    }
  });
}
