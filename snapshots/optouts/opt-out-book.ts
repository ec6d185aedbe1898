import { chmodSync, closeSync, fsyncSync, linkSync, openSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { EntityId } from "../format/ids.ts";
import {
  layOptOutTables,
  OptOutsError,
  openOptOutDatabase,
  optOutDigest,
  optOutsError,
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

function syncFolder(path: string): void {
  const folder = openSync(dirname(path), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
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

/** How long one command waits for another. */
const BUSY_TIMEOUT_MS = 5_000;

function guarded<Result>(action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw optOutsError(error);
  }
}

/** Opens the list at `path` to read and change it; throws `OptOutsError` where it is missing, and never makes one. */
export function openOptOutBook(path: string): OptOutBook {
  const database = guarded(() =>
    openOptOutDatabase(path, { isWriter: true, busyTimeoutMs: BUSY_TIMEOUT_MS }),
  );
  const secret = guarded(() => database.prepare<[], Buffer>("SELECT bytes FROM secret").pluck().get());
  if (secret === undefined) {
    database.close();
    throw new OptOutsError("OPT_OUTS_UNREADABLE", "the list of live opt-outs is damaged");
  }
  const digestOf = (entityId: string) => optOutDigest(secret, EntityId.parse(entityId));
  return {
    digestOf,
    add: (entityId, nowMs) =>
      guarded(() => {
        const insert = database.prepare("INSERT INTO opted_out VALUES (?, ?) ON CONFLICT DO NOTHING");
        return insert.run(digestOf(entityId), nowMs).changes > 0;
      }),
    remove: (entityId) =>
      guarded(
        () => database.prepare("DELETE FROM opted_out WHERE digest = ?").run(digestOf(entityId)).changes > 0,
      ),
    has: (entityId) =>
      guarded(
        () =>
          database.prepare("SELECT 1 FROM opted_out WHERE digest = ?").get(digestOf(entityId)) !== undefined,
      ),
    rows: () =>
      guarded(() =>
        database
          .prepare<[], OptOutRow>(
            "SELECT digest, since_ms AS sinceMs FROM opted_out ORDER BY since_ms, digest",
          )
          .all(),
      ),
    close: () => void database.close(),
  };
}
