import { createRequire } from "node:module";
import type BetterSqlite3 from "better-sqlite3";
import { touchPrivate } from "./durable-files.ts";

export type SqliteDatabase = BetterSqlite3.Database;

export type SqliteStatement<
  Parameters extends unknown[] = unknown[],
  Row = unknown,
> = BetterSqlite3.Statement<Parameters, Row>;

type SqliteOptions = BetterSqlite3.Options;

/** An error of SQLite, with its result code, such as `SQLITE_BUSY`. */
interface SqliteError extends Error {
  readonly code: string;
}

export type SqlitePackage = "better-sqlite3" | "better-sqlite3-12";

/** The first version of Node-API that `better-sqlite3` works with; on an older one it ends the process. */
const NODE_API_VERSION_MIN = 10;

/**
 * Chooses the package by the version of Node-API. `better-sqlite3` needs Node 22.14. On Node 20 and 22.12 we use its last
 * major version for them, which in turn aborts Node 24 when a thread ends before its statements are collected.
 */
function sqlitePackage(nodeApiVersion: number): SqlitePackage {
  return nodeApiVersion >= NODE_API_VERSION_MIN ? "better-sqlite3" : "better-sqlite3-12";
}

export const SQLITE_PACKAGE = sqlitePackage(Number(process.versions["napi"]));

const require = createRequire(import.meta.url);

/** Opens the database at a path, or one in memory from its bytes. The package is loaded at the first call. */
export function openSqlite(source: string | Buffer, options: SqliteOptions = {}): SqliteDatabase {
  const Database = require(SQLITE_PACKAGE) as typeof BetterSqlite3;
  return new Database(source, options);
}

export interface SqliteFileOptions {
  /** Whether a missing file is created, readable by its owner alone, with its journals. */
  readonly mayCreate?: boolean;
  /** How long a call waits for another connection that writes; by default five seconds. */
  readonly busyTimeoutMs?: number;
  /** Set in this order. */
  readonly pragmas?: Readonly<Record<string, string | number>>;
}

/** Opens a file and returns the result of `use`, which closes it in the end; closes it if `use` throws. */
export function openSqliteFile<Result>(
  path: string,
  { mayCreate = false, busyTimeoutMs = BUSY_TIMEOUT_MS, pragmas = {} }: SqliteFileOptions,
  use: (database: SqliteDatabase) => Result,
): Result {
  // SQLite would make it readable by everybody.
  if (mayCreate) touchPrivate(path);
  const database = openSqlite(path, { timeout: busyTimeoutMs, fileMustExist: true });
  try {
    database.pragma("trusted_schema = OFF");
    for (const [name, value] of Object.entries(pragmas)) database.pragma(`${name} = ${value}`);
    return use(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

const BUSY_TIMEOUT_MS = 5_000;

/** What a file carries in its header: which kind of file it is, and the version of its schema. */
export interface SqliteStamp {
  /** Four letters in ASCII, so that the file of another program is not taken for ours. */
  readonly applicationId: number;
  readonly version: number;
}

type Stamped = { pragma(text: string, options?: { readonly simple: boolean }): unknown };

/** Both are 0 in a new file. */
export function readStamp(database: Stamped): SqliteStamp {
  return {
    applicationId: Number(database.pragma("application_id", { simple: true })),
    version: Number(database.pragma("user_version", { simple: true })),
  };
}

export function stampSqlite(database: Stamped, { applicationId, version }: SqliteStamp): void {
  database.pragma(`application_id = ${applicationId}`);
  database.pragma(`user_version = ${version}`);
}

export function isStamped(database: Stamped, stamp: SqliteStamp): boolean {
  const { applicationId, version } = readStamp(database);
  return applicationId === stamp.applicationId && version === stamp.version;
}

/** Whether SQLite threw the error with a code that begins with `code`, by default any. */
export function isSqliteError(error: unknown, code = "SQLITE_"): error is SqliteError {
  return (
    error instanceof Error &&
    error.name === "SqliteError" &&
    "code" in error &&
    String(error.code).startsWith(code)
  );
}

export function loadSqlite(): void {
  openSqlite(":memory:").close();
}

/**
 * Takes the exclusive lock of a file, which it creates empty if it is missing, and returns the function that releases it;
 * `undefined` at once if somebody has it. It is a kernel lock (through SQLite), so it ends with its process, however that
 * ends.
 */
export function takeLock(path: string): (() => void) | undefined {
  // For its owner alone, because whoever can open the file can also hold its lock.
  touchPrivate(path);
  const database = openSqlite(path, { timeout: 0 });
  try {
    // Nothing is ever written, so a crash leaves no journal beside the lock.
    database.pragma("journal_mode = MEMORY");
    database.exec("BEGIN EXCLUSIVE");
    return () => void database.close();
  } catch (error) {
    database.close();
    if (isSqliteError(error, "SQLITE_BUSY")) return undefined;
    throw error;
  }
}
