import { createHmac } from "node:crypto";
import { chmodSync, closeSync, fsyncSync, linkSync, openSync, statSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { EntityId } from "../format/ids.ts";

/** Every way the deny list refuses; callers may switch on these. */
export const OPT_OUTS_ERROR_CODES = ["OPT_OUTS_MISSING", "OPT_OUTS_UNREADABLE"] as const;
export type OptOutsErrorCode = (typeof OPT_OUTS_ERROR_CODES)[number];

/** A deny list that cannot be asked: a stable code and a sentence, without a path of the machine; the system's own words stay in `cause`. */
export class OptOutsError extends Error {
  override readonly name = "OptOutsError";
  readonly code: OptOutsErrorCode;

  constructor(code: OptOutsErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** What went wrong with the file, as a refusal: a file that is not there is told apart from one that cannot be read. */
export function optOutsError(error: unknown): OptOutsError {
  if (error instanceof OptOutsError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
  if (code === "ENOENT" || code === "ENOTDIR") {
    return new OptOutsError("OPT_OUTS_MISSING", "there is no list of live opt-outs", error);
  }
  return new OptOutsError("OPT_OUTS_UNREADABLE", `the list of live opt-outs cannot be used (${code})`, error);
}

/** How long a command waits for another one that is writing. */
export const COMMAND_TIMEOUT_MS = 5_000;

/** `application_id` of the deny list: "gvoo", so that another program's file is not taken for ours. */
const APPLICATION_ID = 0x67766f6f;
const SCHEMA_VERSION = 1;

/** Bytes of the secret under which ids are hashed, and of a hash. */
const SECRET_BYTES = 32;

/** More than any registry holds; a list that says so many is not ours, and is not read to its end. */
export const OPT_OUTS_MAX = 1_000_000;

/**
 * The secret lies in the very file: both programs need it, and a file that moves must not lose it. So the hashes keep
 * ids out of backups, copies and searches, and not from somebody who holds the whole file and guesses.
 */
const SCHEMA = `
CREATE TABLE secret (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  bytes BLOB NOT NULL CHECK (length(bytes) = ${SECRET_BYTES})
) STRICT;
CREATE TABLE opted_out (
  digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = ${SECRET_BYTES}),
  since_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;

/** For the owner alone; and where two programs run as two users, for the group they share. */
export const OPT_OUTS_MODES = { owner: 0o600, group: 0o660 } as const;

/** Makes an empty list with a secret of its own, whole before it has its name; false where there is one already. */
export function createOptOuts({
  path,
  mode,
  randomBytes,
}: {
  readonly path: string;
  readonly mode: (typeof OPT_OUTS_MODES)[keyof typeof OPT_OUTS_MODES];
  readonly randomBytes: (count: number) => Uint8Array;
}): boolean {
  const draft = `${path}.${Buffer.from(randomBytes(4)).toString("hex")}.new`;
  try {
    closeSync(openSync(draft, "wx", mode));
    try {
      // The mask of the process would take the group's right away.
      chmodSync(draft, mode);
      const database = new Database(draft);
      try {
        layOptOutTables(database, randomBytes(SECRET_BYTES));
      } finally {
        database.close();
      }
      linkSync(draft, path);
      syncFolder(path);
      return true;
    } finally {
      unlinkSync(draft);
    }
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw optOutsError(error);
  }
}

function syncFolder(path: string): void {
  const folder = openSync(dirname(path), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** The list, open for commands. What `add` and `remove` answer says whether anything changed; it is on disk then. */
export type OptOutBook = ReturnType<typeof openOptOutBook>;

/** Opens the list at `path` to read and change it; throws `OptOutsError` where it is missing, and never makes one. */
export function openOptOutBook(path: string) {
  return guarded(() => {
    const database = openOptOutDatabase(path, { isWriter: true, busyTimeoutMs: COMMAND_TIMEOUT_MS });
    try {
      return bookOf(database, readSecret(database));
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

function bookOf(database: Database.Database, secret: Buffer) {
  const digestOf = (entityId: string) => optOutDigest(secret, EntityId.parse(entityId));
  const insert = database.prepare("INSERT INTO opted_out VALUES (?, ?) ON CONFLICT DO NOTHING");
  const remove = database.prepare("DELETE FROM opted_out WHERE digest = ?");
  const find = database.prepare("SELECT 1 FROM opted_out WHERE digest = ?");
  const rows = database.prepare<[], { readonly digest: Buffer; readonly sinceMs: number }>(
    "SELECT digest, since_ms AS sinceMs FROM opted_out ORDER BY since_ms, digest",
  );
  return {
    digestOf,
    add: (entityId: string, nowMs: number) =>
      guarded(() => insert.run(digestOf(entityId), nowMs).changes > 0),
    remove: (entityId: string) => guarded(() => remove.run(digestOf(entityId)).changes > 0),
    has: (entityId: string) => guarded(() => find.get(digestOf(entityId)) !== undefined),
    /** Oldest first; a hash and a time, and nothing that leads back to the id. */
    rows: (): readonly { readonly digest: Buffer; readonly sinceMs: number }[] => guarded(() => rows.all()),
    close: () => void database.close(),
  };
}

/** Does something with the list; throws `OptOutsError` where that cannot be done. */
export function guarded<Result>(action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw optOutsError(error);
  }
}

/** Makes the tables of an empty list with its secret in a database that holds nothing. */
function layOptOutTables(database: Database.Database, secret: Uint8Array): void {
  // A rollback journal: a reader that may not write beside the file can still read it, as it could not with a WAL.
  database.pragma("journal_mode = DELETE");
  database.pragma("synchronous = EXTRA");
  database.transaction(() => {
    database.exec(SCHEMA);
    database.prepare("INSERT INTO secret VALUES (1, ?)").run(Buffer.from(secret));
    database.pragma(`application_id = ${APPLICATION_ID}`);
    database.pragma(`user_version = ${SCHEMA_VERSION}`);
  })();
}

function assertOurs(database: Database.Database): void {
  const isOurs = database.pragma("application_id", { simple: true }) === APPLICATION_ID;
  if (!isOurs || database.pragma("user_version", { simple: true }) !== SCHEMA_VERSION) {
    throw new OptOutsError("OPT_OUTS_UNREADABLE", "the file is not a list of live opt-outs of this release");
  }
}

/**
 * Opens a list that is there; never makes one. Read-write even for readers, held back by `query_only`: SQLite may then
 * undo what a killed writer left half done. Throws `OptOutsError`, but lets SQLITE_BUSY through to who can wait.
 */
export function openOptOutDatabase(
  path: string,
  options: { readonly isWriter: boolean; readonly busyTimeoutMs: number },
): Database.Database {
  let database: Database.Database | undefined;
  try {
    // SQLite says of a missing file no more than that it cannot open it.
    statSync(path);
    database = new Database(path, { fileMustExist: true, timeout: options.busyTimeoutMs });
    database.pragma("trusted_schema = OFF");
    if (options.isWriter) {
      // Who opts in again must not stay readable in a free page.
      database.pragma("secure_delete = ON");
      database.pragma("synchronous = EXTRA");
    } else {
      database.pragma("query_only = ON");
    }
    assertOurs(database);
    return database;
  } catch (error) {
    database?.close();
    if (isBusy(error)) throw error;
    throw optOutsError(error);
  }
}

/** Whether a writer holds the file just now, which says nothing against the list. */
export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY");
}

/** What is kept of an opted-out entity: HMAC-SHA-256 of its id under the list's own secret. */
export function optOutDigest(secret: Buffer, entityId: string): Buffer {
  return createHmac("sha256", secret).update(entityId, "utf8").digest();
}

/** The secret of an open list; throws `OptOutsError` where it is lost. */
export function readSecret(database: Database.Database): Buffer {
  const secret = database.prepare<[], Buffer>("SELECT bytes FROM secret").pluck().get();
  if (secret === undefined) throw damagedList();
  return secret;
}

/** The refusal of a list that is ours and cannot be what it was. */
export const damagedList = (): OptOutsError =>
  new OptOutsError("OPT_OUTS_UNREADABLE", "the list of live opt-outs is damaged");
