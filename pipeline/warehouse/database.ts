import { basename } from "node:path";
import {
  isSqliteError,
  openSqliteFile,
  type SqliteDatabase,
  type SqliteFileOptions,
  type SqliteStatement,
} from "../../snapshots/base/sqlite.ts";
import { errorCode } from "../../snapshots/base/system-errors.ts";
import { invariant, type PipelineFailure, pipelineFailure } from "../facts/errors.ts";
import type { Moment } from "../facts/proposal.ts";

/** "govw" in ASCII. */
export const WAREHOUSE_APPLICATION_ID = 0x676f7677;

/** How long a command waits for another process before it throws WAREHOUSE_BUSY. */
const BUSY_TIMEOUT_MS = 1_000;

/**
 * Size at which the journal is written into the file, and to which it is cut after a large fetch. Four times SQLite's
 * default, because each checkpoint waits for the disk twice, and an archive of a thousand DAOs would need fifty.
 */
const JOURNAL_BYTES_MAX = 16 * 1024 * 1024;

/** SQLite counts its journal in pages. */
const PAGE_BYTES = 4096;

/**
 * Opens a connection to the warehouse file. Creates the file if it is missing, readable by its owner alone.
 *
 * `synchronous=NORMAL` is enough: with a write-ahead log, a power cut cannot damage the file. It can only lose the newest
 * fetch, which can be repeated. (The quota of the proxy cannot be repeated and uses FULL.)
 */
export function openDatabase(path: string): Database {
  const pragmas = {
    journal_mode: "WAL",
    journal_size_limit: JOURNAL_BYTES_MAX,
    wal_autocheckpoint: JOURNAL_BYTES_MAX / PAGE_BYTES,
    synchronous: "NORMAL",
    foreign_keys: "ON",
  };
  try {
    return openWith(path, { mayCreate: true, pragmas }, (database) => database);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    throw pipelineFailure("HOME_MISSING", `the folder for ${basename(path)} does not exist`, {
      hint: "create it with `govdata init`",
      cause: error,
    });
  }
}

/**
 * Opens an existing file on a read-only connection and returns the result of `use`; closes it if `use` throws.
 */
export function openForReading<Result>(path: string, use: (database: Database) => Result): Result {
  return openWith(path, { pragmas: { query_only: "ON" } }, use);
}

function openWith<Result>(
  path: string,
  options: SqliteFileOptions,
  use: (database: Database) => Result,
): Result {
  return guarded(() =>
    openSqliteFile(path, { busyTimeoutMs: BUSY_TIMEOUT_MS, ...options }, (database) =>
      use(guardDatabase(database)),
    ),
  );
}

/** A value that SQLite accepts for a parameter; an object holds named parameters. */
type SqlValue = string | number | Uint8Array | null | object;

/** A connection that turns SQLite's errors about damaged or busy files into errors of ours. */
export interface Database {
  readonly inTransaction: boolean;
  /** This and the next three compile each SQL text once per connection. */
  run(sql: string, ...values: readonly SqlValue[]): { readonly changes: number };
  get<Row>(sql: string, ...values: readonly SqlValue[]): Row | undefined;
  all<Row>(sql: string, ...values: readonly SqlValue[]): Row[];
  iterate<Row>(sql: string, ...values: readonly SqlValue[]): Generator<Row>;
  /** Runs `work` in a transaction, rolled back if it throws; "immediate" locks out other writers from the start. */
  transaction<Result>(mode: "deferred" | "immediate", work: () => Result): Result;
  exec(sql: string): void;
  pragma(text: string, options?: { readonly simple: boolean }): unknown;
  close(): void;
}

function guardDatabase(database: SqliteDatabase): Database {
  const statements = new Map<string, SqliteStatement<unknown[]>>();
  const prepared = <Row>(sql: string): SqliteStatement<unknown[], Row> => {
    if (!statements.has(sql)) statements.set(sql, database.prepare(sql));
    return statements.get(sql) as SqliteStatement<unknown[], Row>;
  };
  return {
    get inTransaction() {
      return database.inTransaction;
    },
    run: (sql, ...values) => guarded(() => prepared(sql).run(...values)),
    get: <Row>(sql: string, ...values: readonly SqlValue[]) =>
      guarded(() => prepared<Row>(sql).get(...values)),
    all: <Row>(sql: string, ...values: readonly SqlValue[]) =>
      guarded(() => prepared<Row>(sql).all(...values)),
    *iterate<Row>(sql: string, ...values: readonly SqlValue[]) {
      try {
        yield* prepared<Row>(sql).iterate(...values);
      } catch (error) {
        throw ownError(error);
      }
    },
    transaction: (mode, work) => guarded(() => database.transaction(work)[mode]()),
    exec: (sql) => void guarded(() => database.exec(sql)),
    pragma: (text, options) => guarded(() => database.pragma(text, options)),
    close: () => void database.close(),
  };
}

function guarded<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw ownError(error);
  }
}

/** Maps SQLite's errors about damaged or busy files to ours; other errors stay as they are. */
function ownError(error: unknown): unknown {
  if (!isSqliteError(error)) return error;
  if (error.code === "SQLITE_NOTADB") return corrupt("it is not an SQLite file", error);
  if (error.code.startsWith("SQLITE_CORRUPT")) return corrupt("its pages are inconsistent", error);
  if (!error.code.startsWith("SQLITE_BUSY")) return error;
  return pipelineFailure("WAREHOUSE_BUSY", "another process is writing to the warehouse", {
    hint: "wait until its fetch has ended, then try again",
    cause: error,
  });
}

/** The error for a fetch of a DAO and source that another process fetches too: their records must not mix. */
export function busyElsewhere(): PipelineFailure {
  return pipelineFailure("WAREHOUSE_BUSY", "another process is fetching this DAO", {
    hint: "wait until its fetch has ended, then try again",
  });
}

/** Runs `insert`, which adds the row unless it exists, then returns the `number` that `select` finds. */
export function numberOfRow(
  database: Database,
  insert: string,
  select: string,
  ...values: SqlValue[]
): number {
  database.run(insert, ...values);
  const row = database.get<{ number: number }>(select, ...values);
  invariant(row !== undefined, "a row that was just written is there");
  return row.number;
}

/** A boolean as 1 or 0, because SQLite has no booleans; `undefined` becomes null. */
export function bitOf(value: boolean | undefined): number | null {
  return value === undefined ? null : Number(value);
}

/** The inverse of `bitOf`. */
export function flagOf(value: number | null): boolean | undefined {
  return value === null ? undefined : value === 1;
}

/** A moment from its two columns. */
export function momentOf(atMs: number | null, precision: string | null): Moment | undefined {
  if (atMs === null) return undefined;
  return { atMs, precision: precision === "day" ? "day" : "second" };
}

/** The error for a warehouse whose content is damaged. */
export function corrupt(what: string, cause?: unknown): PipelineFailure {
  return pipelineFailure("WAREHOUSE_CORRUPT", `the warehouse is damaged: ${what}`, {
    hint:
      "move the file away (warehouse.db in the home, with its -wal and -shm), then restore it from the backup or fetch " +
      "again (which loses points older than a year); published versions are not affected",
    ...(cause === undefined ? {} : { cause }),
  });
}
