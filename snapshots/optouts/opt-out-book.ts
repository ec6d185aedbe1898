import { chmodSync, closeSync, fsyncSync, linkSync, openSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { EntityId } from "../format/ids.ts";
import {
  COMMAND_TIMEOUT_MS,
  layOptOutTables,
  openOptOutDatabase,
  optOutDigest,
  optOutsError,
  readSecret,
  SECRET_BYTES,
} from "./opt-out-database.ts";

/** For the owner alone; and where two programs run as two users, for the group they share. */
export const OPT_OUTS_MODES = { owner: 0o600, group: 0o660 } as const;

/** What making a list needs. */
interface NewOptOuts {
  readonly path: string;
  readonly mode: (typeof OPT_OUTS_MODES)[keyof typeof OPT_OUTS_MODES];
  readonly randomBytes: (count: number) => Uint8Array;
}

/**
 * Makes an empty list with a secret of its own, whole before it has its name; false where there is one already, which
 * stays as it is. Throws `OptOutsError`.
 */
export function createOptOuts({ path, mode, randomBytes }: NewOptOuts): boolean {
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

/** One opt-out as it is kept: a hash and a time, and nothing that leads back to the id. */
interface OptOutRow {
  readonly digest: Buffer;
  readonly sinceMs: number;
}

/** The list, open for commands. What `add` and `remove` answer says whether anything changed; it is on disk then. */
export interface OptOutBook {
  add(entityId: string, nowMs: number): boolean;
  remove(entityId: string): boolean;
  has(entityId: string): boolean;
  /** Oldest first. */
  rows(): readonly OptOutRow[];
  digestOf(entityId: string): Buffer;
  close(): void;
}

/** Opens the list at `path` to read and change it; throws `OptOutsError` where it is missing, and never makes one. */
export function openOptOutBook(path: string): OptOutBook {
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

function bookOf(database: Database.Database, secret: Buffer): OptOutBook {
  const digestOf = (entityId: string) => optOutDigest(secret, EntityId.parse(entityId));
  const insert = database.prepare("INSERT INTO opted_out VALUES (?, ?) ON CONFLICT DO NOTHING");
  const remove = database.prepare("DELETE FROM opted_out WHERE digest = ?");
  const find = database.prepare("SELECT 1 FROM opted_out WHERE digest = ?");
  const rows = database.prepare<[], OptOutRow>(
    "SELECT digest, since_ms AS sinceMs FROM opted_out ORDER BY since_ms, digest",
  );
  return {
    digestOf,
    add: (entityId, nowMs) => guarded(() => insert.run(digestOf(entityId), nowMs).changes > 0),
    remove: (entityId) => guarded(() => remove.run(digestOf(entityId)).changes > 0),
    has: (entityId) => guarded(() => find.get(digestOf(entityId)) !== undefined),
    rows: () => guarded(() => rows.all()),
    close: () => void database.close(),
  };
}

function guarded<Result>(action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw optOutsError(error);
  }
}
