import { closeSync, openSync } from "node:fs";
import Database from "better-sqlite3";
import { OperatorError, systemReason } from "./operator-error.ts";

/** What opening a SQLite file of this program needs. */
export interface DatabaseParts {
  /** What its operator knows it as: `keys.db`, and "a key store". */
  readonly name: string;
  readonly kind: string;
  /** How long a call may wait for another program's write. */
  readonly busyTimeoutMs: number;
  /** False where a missing file is a loss, and no beginning. */
  readonly mayCreate?: boolean;
  /** Brings what was opened into shape; what it throws closes it again. */
  readonly prepare: (database: Database.Database) => void;
}

/** Opens the file at `path`, making it where it is missing and may be made, readable by its owner alone. */
export function openDatabase(
  path: string,
  { name, kind, busyTimeoutMs, mayCreate = true, prepare }: DatabaseParts,
): Database.Database {
  let database: Database.Database | undefined;
  try {
    if (mayCreate) createEmpty(path);
    database = new Database(path, { timeout: busyTimeoutMs, fileMustExist: true });
    prepare(database);
    return database;
  } catch (error) {
    database?.close();
    if (error instanceof OperatorError) throw error;
    const reason = systemReason(error);
    const why = reason === undefined ? "" : `: ${reason}`;
    throw new OperatorError(
      "STORE_UNUSABLE",
      `${name} cannot be opened${why}.`,
      `Check that the file is ${kind} of this program, and that its disk can be written.`,
      error,
    );
  }
}

/** Never opens a file that is there: to close it again would end the locks this process holds on it (POSIX). */
function createEmpty(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
