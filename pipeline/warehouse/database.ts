import { basename } from "node:path";
import { errorCode } from "../../snapshots/base/failure.ts";
import {
  isSqliteError,
  openSqliteFile,
  readStamp,
  type SqliteDatabase,
  type SqliteFileOptions,
  type SqliteStatement,
  stampSqlite,
} from "../../snapshots/base/sqlite.ts";
import { invariant, type PipelineFailure, pipelineFailure } from "../facts/errors.ts";
import { WAREHOUSE_TABLES, WAREHOUSE_VERSION } from "./schema.ts";

/** "govw" in ASCII. */
const APPLICATION_ID = 0x676f7677;

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
 * Opens a connection to the warehouse file. Creates the file if it is missing, readable by its owner alone. Throws
 * HOME_MISSING, and like `openForReading`.
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
    return openWith(path, { mayCreate: true, pragmas });
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    throw pipelineFailure("HOME_MISSING", `the folder for ${basename(path)} does not exist`, {
      hint: "create it with `govdata init`",
      cause: error,
    });
  }
}

/**
 * Opens an existing warehouse on a read-only connection. Throws WAREHOUSE_CORRUPT, also for the file of another program,
 * and WAREHOUSE_TOO_NEW or WAREHOUSE_TOO_OLD for other tables.
 */
export function openForReading(path: string): Database {
  return openWith(path, { pragmas: { query_only: "ON" } });
}

function openWith(path: string, options: SqliteFileOptions): Database {
  return guarded(() =>
    openSqliteFile(path, { busyTimeoutMs: BUSY_TIMEOUT_MS, ...options }, (sqlite) => {
      const database = guardDatabase(sqlite);
      if (options.mayCreate === true && isNew(database)) createTables(database);
      assertReadable(database);
      return database;
    }),
  );
}

function isNew(database: Database): boolean {
  const { applicationId, version } = readStamp(database);
  return applicationId === 0 && version === 0 && database.all("SELECT name FROM sqlite_schema").length === 0;
}

function createTables(database: Database): void {
  database.transaction("immediate", () => {
    // Another process may have been first.
    if (!isNew(database)) return;
    database.exec(WAREHOUSE_TABLES);
    stampSqlite(database, { applicationId: APPLICATION_ID, version: WAREHOUSE_VERSION });
  });
}

function assertReadable(database: Database): void {
  const { applicationId, version } = readStamp(database);
  if (applicationId !== APPLICATION_ID) throw corrupt("it is an SQLite file, but not a warehouse");
  if (version === WAREHOUSE_VERSION) return;
  const isNewer = version > WAREHOUSE_VERSION;
  const message = `the warehouse has version ${version}, this program reads version ${WAREHOUSE_VERSION}`;
  throw pipelineFailure(isNewer ? "WAREHOUSE_TOO_NEW" : "WAREHOUSE_TOO_OLD", message, {
    hint: isNewer
      ? "use the newer program that wrote it, or another --home"
      : "move warehouse.db away, with its -wal and -shm, and fetch again; published versions are not affected",
  });
}

type SqlValue = string | number | Uint8Array | undefined | object;

/**
 * A connection that turns SQLite's errors about damaged or busy files into errors of ours. Each SQL text is compiled once.
 * A row that is read has its columns' names in camel case; NULL is `undefined`, and a column `is_…` or `has_…` is a boolean.
 */
export type Database = ReturnType<typeof guardDatabase>;

function guardDatabase(sqlite: SqliteDatabase) {
  const statements = new Map<string, ReturnType<typeof prepare>>();
  const prepared = (sql: string) => {
    const known = statements.get(sql) ?? prepare(sqlite, sql);
    statements.set(sql, known);
    return known;
  };
  /** Returns how many rows were changed. */
  const run = (sql: string, ...values: readonly SqlValue[]): number =>
    guarded(() => prepared(sql).statement.run(...values).changes);
  const get = <Row>(sql: string, ...values: readonly SqlValue[]): Row | undefined =>
    guarded(() => {
      const { statement, rowOf } = prepared(sql);
      const row = statement.get(...values);
      return row && (rowOf(row) as Row);
    });
  return {
    get inTransaction(): boolean {
      return sqlite.inTransaction;
    },
    run,
    get,
    all: <Row>(sql: string, ...values: readonly SqlValue[]): Row[] =>
      guarded(() => {
        const { statement, rowOf } = prepared(sql);
        return statement.all(...values).map(rowOf) as Row[];
      }),
    *iterate<Row>(sql: string, ...values: readonly SqlValue[]): Generator<Row> {
      try {
        const { statement, rowOf } = prepared(sql);
        for (const row of statement.iterate(...values)) yield rowOf(row) as Row;
      } catch (error) {
        throw ownError(error);
      }
    },
    /** Writes a row, named as rows are read, over the columns of one with the same key. */
    put(table: string, row: object): void {
      const columns = Object.keys(row).map(columnOf);
      const values = Object.values(row).map((value) => (typeof value === "boolean" ? Number(value) : value));
      const places = columns.map(() => "?").join(", ");
      const changes = columns.map((column) => `${column} = excluded.${column}`).join(", ");
      const insert = `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places})`;
      run(`${insert} ON CONFLICT DO UPDATE SET ${changes}`, ...values);
    },
    /** The number of the row with a key, which is added if it is missing. */
    numberOf(table: string, key: object): number {
      const columns = Object.keys(key).map(columnOf);
      const values = Object.values(key);
      const places = columns.map(() => "?").join(", ");
      run(
        `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places}) ON CONFLICT DO NOTHING`,
        ...values,
      );
      const select = `SELECT rowid AS number FROM ${table} WHERE (${columns.join(", ")}) = (${places})`;
      const row = get<{ number: number }>(select, ...values);
      invariant(row !== undefined, "a row that was just written is there");
      return row.number;
    },
    /** Runs `work` in a transaction, rolled back if it throws; "immediate" locks out other writers from the start. */
    transaction: <Result>(mode: "deferred" | "immediate", work: () => Result): Result =>
      guarded(() => sqlite.transaction(work)[mode]()),
    exec: (sql: string): void => void guarded(() => sqlite.exec(sql)),
    pragma: (text: string, options?: { readonly simple: boolean }): unknown =>
      guarded(() => sqlite.pragma(text, options)),
    close: (): void => void sqlite.close(),
  };
}

/** A compiled statement, and a function that names the values of its rows: faster than rows that SQLite names. */
function prepare(sqlite: SqliteDatabase, sql: string) {
  const statement: SqliteStatement<unknown[], unknown[]> = sqlite.prepare(sql);
  const columns = statement.reader
    ? statement
        .raw()
        .columns()
        .map(({ name }) => name)
    : [];
  const fields = columns.map((name) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()));
  const isFlag = columns.map((name) => /^(is|has)_/.test(name));
  const rowOf = (values: readonly unknown[]): Record<string, unknown> => {
    const row: Record<string, unknown> = {};
    // A plain loop, because a token has millions of rows.
    for (let index = 0; index < fields.length; index += 1) {
      const value = values[index];
      row[fields[index] as string] =
        value === null ? undefined : isFlag[index] === true ? value === 1 : value;
    }
    return row;
  };
  return { statement, rowOf };
}

function columnOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
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
  if (isSqliteError(error, "SQLITE_NOTADB")) return corrupt("it is not an SQLite file", error);
  if (isSqliteError(error, "SQLITE_CORRUPT")) return corrupt("its pages are inconsistent", error);
  if (isSqliteError(error, "SQLITE_BUSY")) return busy("another process is writing to the warehouse", error);
  return error;
}

/** The error for a fetch of a DAO and source that another process fetches too: their records must not mix. */
export const busyElsewhere = () => busy("another process is fetching this DAO");

function busy(message: string, cause?: unknown): PipelineFailure {
  const hint = "wait until its fetch has ended, then try again";
  return pipelineFailure("WAREHOUSE_BUSY", message, { hint, cause });
}

export function corrupt(what: string, cause?: unknown): PipelineFailure {
  return pipelineFailure("WAREHOUSE_CORRUPT", `the warehouse is damaged: ${what}`, {
    hint:
      "move the file away (warehouse.db in the home, with its -wal and -shm), then restore it from the backup or fetch " +
      "again (which loses points older than a year); published versions are not affected",
    cause,
  });
}
