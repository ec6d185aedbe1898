import { createHmac } from "node:crypto";
import { chmodSync, statSync } from "node:fs";
import { createOnce, touchPrivate } from "../base/durable-files.ts";
import { errorCode, Failure, isFailure } from "../base/failure.ts";
import {
  isSqliteError,
  isStamped,
  openSqliteFile,
  type SqliteDatabase,
  type SqliteStamp,
  stampSqlite,
} from "../base/sqlite.ts";
import { EntityId } from "../format/ids.ts";

/** Every error code of the deny list; callers may switch on these. */
export const OPT_OUTS_ERROR_CODES = ["OPT_OUTS_MISSING", "OPT_OUTS_UNREADABLE"] as const;
export type OptOutsErrorCode = (typeof OPT_OUTS_ERROR_CODES)[number];

export type OptOutsFailure = Failure<OptOutsErrorCode>;

/** A deny list cannot be read; the message contains no local path. */
function optOutsFailure(code: OptOutsErrorCode, message: string, cause?: unknown): OptOutsFailure {
  return new Failure(code, message, { cause });
}

export const isOptOutsFailure = (error: unknown): error is OptOutsFailure =>
  isFailure(error, OPT_OUTS_ERROR_CODES);

/** Turns any error into an `OptOutsFailure`: OPT_OUTS_MISSING if there is no file, else OPT_OUTS_UNREADABLE. */
export function optOutsError(error: unknown): OptOutsFailure {
  if (isOptOutsFailure(error)) return error;
  const code = errorCode(error) ?? "unknown";
  if (code === "ENOENT" || code === "ENOTDIR") {
    return optOutsFailure("OPT_OUTS_MISSING", "there is no list of live opt-outs", error);
  }
  return optOutsFailure("OPT_OUTS_UNREADABLE", `the list of live opt-outs cannot be used (${code})`, error);
}

/** How long a command waits for another one that writes. */
export const COMMAND_TIMEOUT_MS = 5_000;

/** "gvoo" in ASCII. */
const STAMP: SqliteStamp = { applicationId: 0x67766f6f, version: 1 };

/** Size of the secret that IDs are hashed with, and of a hash. */
const SECRET_BYTES = 32;

/** More entries than any registry has; a longer list is not ours, and is not read to its end. */
export const OPT_OUTS_MAX = 1_000_000;

/**
 * The secret is in the same file, because both programs need it and moving the file must not lose it. So the hashes
 * hide IDs from searches and excerpts, but not from somebody who has the whole file and guesses IDs.
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

/** For the owner alone, or for a shared group if the two programs run as two users. */
export const OPT_OUTS_MODES = { owner: 0o600, group: 0o660 } as const;

/** Creates an empty list with a new secret, atomically; returns false if there is already a list. */
export function createOptOuts({
  path,
  mode,
  randomBytes,
}: {
  readonly path: string;
  readonly mode: (typeof OPT_OUTS_MODES)[keyof typeof OPT_OUTS_MODES];
  readonly randomBytes: (count: number) => Uint8Array;
}): boolean {
  return guarded(() =>
    createOnce(path, (draft) => {
      touchPrivate(draft);
      // Overrides the umask, which could remove the group's permissions.
      chmodSync(draft, mode);
      openSqliteFile(draft, {}, (database) => {
        createTables(database, randomBytes(SECRET_BYTES));
        database.close();
      });
    }),
  );
}

/** The list, open for commands. `add` and `remove` return whether anything changed; changes are on disk by then. */
export type OptOutStore = ReturnType<typeof openOptOutStore>;

/** Opens the list at `path` for reading and writing; throws `OptOutsFailure` if it is missing, and never creates one. */
export function openOptOutStore(path: string) {
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

function bookOf(database: SqliteDatabase, secret: Buffer) {
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
    /** Oldest first: a hash and a time, which do not reveal the ID. */
    rows: (): readonly { readonly digest: Buffer; readonly sinceMs: number }[] => guarded(() => rows.all()),
    close: () => void database.close(),
  };
}

export function guarded<Result>(action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw optOutsError(error);
  }
}

function createTables(database: SqliteDatabase, secret: Uint8Array): void {
  // With a rollback journal, unlike a WAL, a process that must not write in the folder can still read the file.
  database.pragma("journal_mode = DELETE");
  database.pragma("synchronous = EXTRA");
  database.transaction(() => {
    database.exec(SCHEMA);
    database.prepare("INSERT INTO secret VALUES (1, ?)").run(Buffer.from(secret));
    stampSqlite(database, STAMP);
  })();
}

/**
 * Opens an existing list; never creates one. Readers also open it read-write, with `query_only`, so that SQLite can roll
 * back the transaction of a killed writer. Throws `OptOutsFailure`, but SQLITE_BUSY unchanged, for callers that can wait.
 */
export function openOptOutDatabase(
  path: string,
  options: { readonly isWriter: boolean; readonly busyTimeoutMs: number },
): SqliteDatabase {
  // The hash of an entity that opts in again must not remain in a free page.
  const pragmas = options.isWriter ? { secure_delete: "ON", synchronous: "EXTRA" } : { query_only: "ON" };
  try {
    // SQLite does not distinguish a missing file from one that it cannot open.
    statSync(path);
    return openSqliteFile(path, { busyTimeoutMs: options.busyTimeoutMs, pragmas }, (database) => {
      if (isStamped(database, STAMP)) return database;
      throw optOutsFailure("OPT_OUTS_UNREADABLE", "the file is not a list of live opt-outs of this release");
    });
  } catch (error) {
    if (isBusy(error)) throw error;
    throw optOutsError(error);
  }
}

export function isBusy(error: unknown): boolean {
  return isSqliteError(error, "SQLITE_BUSY");
}

/** The entry of an opted-out entity: HMAC-SHA-256 of its ID with the list's secret. */
export function optOutDigest(secret: Buffer, entityId: string): Buffer {
  return createHmac("sha256", secret).update(entityId, "utf8").digest();
}

export function readSecret(database: SqliteDatabase): Buffer {
  const secret = database.prepare<[], Buffer>("SELECT bytes FROM secret").pluck().get();
  if (secret === undefined) throw damagedList();
  return secret;
}

export const damagedList = (): OptOutsFailure =>
  optOutsFailure("OPT_OUTS_UNREADABLE", "the list of live opt-outs is damaged");
