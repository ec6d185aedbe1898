import { closeSync, openSync } from "node:fs";
import { basename } from "node:path";
import { crc32 } from "node:zlib";
import Sqlite from "better-sqlite3";
import { invariant, PipelineError } from "../facts/errors.ts";
import type { Moment } from "../facts/proposal.ts";

/** "govw" in ASCII: what makes an SQLite file a warehouse of ours. */
export const WAREHOUSE_APPLICATION_ID = 0x676f7677;

/** How long a command waits for another process before it says that the warehouse is busy. */
const BUSY_TIMEOUT_MS = 1_000;

/**
 * The journal goes into the file when it holds this much, and is cut back to it after a large fetch. Four times SQLite's
 * own size, because every going waits for the disk twice, and an archive of a thousand DAOs makes fifty of them.
 */
const JOURNAL_BYTES_MAX = 16 * 1024 * 1024;

/** SQLite counts its journal in pages. */
const PAGE_BYTES = 4096;

/**
 * A connection to the warehouse's file, which is made when it is not there, readable by its owner alone.
 *
 * `synchronous=NORMAL` is enough here: with a write-ahead log no power cut can damage the file, it can only lose
 * the newest fetch, and a fetch can be repeated. (What cannot be repeated, the quota of the proxy, uses FULL.)
 */
export function openDatabase(path: string): Database {
  touch(path);
  return openWith(path, {}, (database) => {
    database.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    database.pragma("journal_mode = WAL");
    database.pragma(`journal_size_limit = ${JOURNAL_BYTES_MAX}`);
    database.pragma(`wal_autocheckpoint = ${JOURNAL_BYTES_MAX / PAGE_BYTES}`);
    database.pragma("synchronous = NORMAL");
    database.pragma("foreign_keys = ON");
    return database;
  });
}

/**
 * Opens a warehouse that is there on a connection that never writes, and answers what `use` makes of it; closes it
 * where that throws. Throws `PipelineError` WAREHOUSE_CORRUPT for a file that is no warehouse.
 */
export function openForReading<Result>(path: string, use: (database: Database) => Result): Result {
  return openWith(path, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS }, (database) => {
    database.pragma("query_only = ON");
    if (database.pragma("application_id", { simple: true }) !== WAREHOUSE_APPLICATION_ID) {
      throw corrupt("it is an SQLite file, but not a warehouse");
    }
    return use(database);
  });
}

function openWith<Result>(
  path: string,
  options: Sqlite.Options,
  use: (database: Database) => Result,
): Result {
  const database = guardDatabase(guarded(() => new Sqlite(path, options)));
  try {
    return use(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

/** What SQLite takes in the place of a question mark; an object holds values by their names. */
type Given = string | number | Uint8Array | null | object;

/** A connection whose errors are ours: what SQLite says about a damaged or busy file is thrown by our own codes. */
export interface Database {
  readonly inTransaction: boolean;
  /** Each of these compiles its text at its first use on the connection. */
  run(sql: string, ...given: readonly Given[]): { readonly changes: number };
  get<Row>(sql: string, ...given: readonly Given[]): Row | undefined;
  all<Row>(sql: string, ...given: readonly Given[]): Row[];
  iterate<Row>(sql: string, ...given: readonly Given[]): Generator<Row>;
  /** Does `work` in a transaction, whole or not at all; an immediate one keeps other writers out from its beginning. */
  transaction<Result>(mode: "deferred" | "immediate", work: () => Result): Result;
  exec(sql: string): void;
  pragma(text: string, options?: { readonly simple: boolean }): unknown;
  close(): void;
}

function guardDatabase(database: Sqlite.Database): Database {
  const statements = new Map<string, Sqlite.Statement<unknown[]>>();
  const prepared = <Row>(sql: string): Sqlite.Statement<unknown[], Row> => {
    if (!statements.has(sql)) statements.set(sql, database.prepare(sql));
    return statements.get(sql) as Sqlite.Statement<unknown[], Row>;
  };
  return {
    get inTransaction() {
      return database.inTransaction;
    },
    run: (sql, ...given) => guarded(() => prepared(sql).run(...given)),
    get: <Row>(sql: string, ...given: readonly Given[]) => guarded(() => prepared<Row>(sql).get(...given)),
    all: <Row>(sql: string, ...given: readonly Given[]) => guarded(() => prepared<Row>(sql).all(...given)),
    *iterate<Row>(sql: string, ...given: readonly Given[]) {
      try {
        yield* prepared<Row>(sql).iterate(...given);
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

/** What SQLite says about a damaged or busy file, in our own codes; other errors stay as they are. */
function ownError(error: unknown): unknown {
  if (!(error instanceof Sqlite.SqliteError)) return error;
  if (error.code === "SQLITE_NOTADB") return corrupt("it is not an SQLite file", error);
  if (error.code.startsWith("SQLITE_CORRUPT")) return corrupt("its pages do not fit together", error);
  if (!error.code.startsWith("SQLITE_BUSY")) return error;
  return new PipelineError("WAREHOUSE_BUSY", "another process is writing to the warehouse", {
    hint: "wait until its fetch has ended, then try again",
    cause: error,
  });
}

/** The one error for a fetch that finds another process at the same DAO and source: what both keep must not mix. */
export function busyElsewhere(): PipelineError {
  return new PipelineError("WAREHOUSE_BUSY", "another process is fetching this DAO", {
    hint: "wait until its fetch has ended, then try again",
  });
}

/** The number of the row that has these values, which `insert` writes where there is none yet; `select` answers `number`. */
export function numberOfRow(database: Database, insert: string, select: string, ...given: Given[]): number {
  database.run(insert, ...given);
  const row = database.get<{ number: number }>(select, ...given);
  invariant(row !== undefined, "a row that was just written is there");
  return row.number;
}

/** CRC-32 of bytes, begun with the name they belong to, so that bytes under another name do not match. */
export function checksumOf(name: string, bytes: Uint8Array): number {
  return crc32(bytes, crc32(name));
}

/** A yes or no as 1 or 0, which is all that SQLite has; unknown stays unknown. */
export function bitOf(value: boolean | undefined): number | null {
  return value === undefined ? null : Number(value);
}

/** Back from `bitOf`. */
export function flagOf(value: number | null): boolean | undefined {
  return value === null ? undefined : value === 1;
}

/** Back from the two columns of a moment. */
export function momentOf(atMs: number | null, precision: string | null): Moment | undefined {
  if (atMs === null) return undefined;
  return { atMs, precision: precision === "day" ? "day" : "second" };
}

/** The one error for a warehouse that no longer says what was written into it. */
export function corrupt(what: string, cause?: unknown): PipelineError {
  return new PipelineError("WAREHOUSE_CORRUPT", `the warehouse is damaged: ${what}`, {
    hint:
      "move the file away (warehouse.db in the home, with its -wal and -shm); put that of the backup in its place, or fetch " +
      "again (days before the last year are gone then); what was published before is not touched by this",
    ...(cause === undefined ? {} : { cause }),
  });
}

/** SQLite would create the file readable by everybody; its journal files take the mode of this one. */
function touch(path: string): void {
  try {
    closeSync(openSync(path, "a", 0o600));
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (!isMissing) throw error;
    throw new PipelineError("HOME_MISSING", `the folder for ${basename(path)} does not exist`, {
      hint: "create it with `govdata init`",
      cause: error,
    });
  }
}
