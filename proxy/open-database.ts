import { touchPrivate } from "../snapshots/base/durable-files.ts";
import { openSqlite, type SqliteDatabase } from "../snapshots/base/sqlite.ts";
import { isOperatorFailure, operatorFailure, systemReason } from "./operator-error.ts";

/** How to open a SQLite file of this program. */
export interface DatabaseParts {
  /** Its names for the operator: `keys.db`, and "a key store". */
  readonly name: string;
  readonly kind: string;
  /** How long a call may wait for another program's write. */
  readonly busyTimeoutMs: number;
  /** False if a missing file means loss, not a first start. */
  readonly mayCreate?: boolean;
  /** Prepares the opened database; if it throws, the database is closed. */
  readonly prepare: (database: SqliteDatabase) => void;
}

/** Opens the file at `path`, and creates it if missing and allowed, readable only by its owner. */
export function openDatabase(
  path: string,
  { name, kind, busyTimeoutMs, mayCreate = true, prepare }: DatabaseParts,
): SqliteDatabase {
  let database: SqliteDatabase | undefined;
  try {
    if (mayCreate) touchPrivate(path);
    database = openSqlite(path, { timeout: busyTimeoutMs, fileMustExist: true });
    prepare(database);
    return database;
  } catch (error) {
    database?.close();
    if (isOperatorFailure(error)) throw error;
    const reason = systemReason(error);
    const why = reason === undefined ? "" : `: ${reason}`;
    throw operatorFailure(
      "STORE_UNUSABLE",
      `${name} cannot be opened${why}.`,
      `Check that the file is ${kind} of this program, and that its disk can be written.`,
      error,
    );
  }
}
