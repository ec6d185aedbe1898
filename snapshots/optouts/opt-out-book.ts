import { EntityId } from "../format/ids.ts";
import { openOptOutDatabase } from "./opt-out-database.ts";
import { optOutDigest } from "./opt-out-digest.ts";
import { OptOutsError, optOutsError } from "./opt-outs-error.ts";

/** One opt-out as it is kept: a hash and a time, and nothing that leads back to the id. */
export interface OptOutRow {
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
