import { openSqliteFile, type SqliteDatabase, type SqliteFileOptions } from "../snapshots/base/sqlite.ts";
import { isOperatorFailure, operatorFailure, systemReason } from "./operator-error.ts";

interface DatabaseParts extends SqliteFileOptions {
  /** Its names for the operator: `keys.db`, and "a key store". */
  readonly name: string;
  readonly kind: string;
  readonly prepare: (database: SqliteDatabase) => void;
}

/** Opens the file at `path`; explains to the operator why it cannot. */
export function openDatabase(
  path: string,
  { name, kind, prepare, ...options }: DatabaseParts,
): SqliteDatabase {
  try {
    return openSqliteFile(path, options, (database) => {
      prepare(database);
      return database;
    });
  } catch (error) {
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
