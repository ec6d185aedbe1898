import type { RandomBytes } from "../../keys/key-format.ts";
import { type KeyTable, openKeyTableInMemory } from "../../keys/key-table.ts";
import { operatorFailure } from "../../operator-error.ts";
import {
  describeRedisFailure,
  failureAgain,
  isRedisFailure,
  isStoreFailure,
  storeFailure,
} from "../redis/store-failure.ts";
import { entriesOf, fillTable, type KeyEntries } from "./key-entries.ts";
import type { KeyScripts, KeysPoint } from "./key-scripts.ts";

/**
 * How long results may be used, counted from the last poll that succeeded: from its start, not its reply. A revocation
 * takes effect within one second on every host; a host that is cut off stops accepting keys before that.
 */
const TRUSTED_MS = 750;

/** People type commands, so this many concurrent changes in a row are no coincidence. */
const TRIES_MAX = 8;

const TOKEN_BYTES = 16;

/** Looks keys up in Redis, which several hosts share. `find` and `revision` throw until the first `poll`. */
export function followRedisKeys({
  scripts,
  known,
  clocks,
  onChange,
}: {
  readonly scripts: Pick<KeyScripts, "find">;
  /** The last state this host saw; refused if the history in Redis does not contain it. */
  readonly known: KeysPoint;
  /**
   * Clocks in milliseconds. All must agree that a reply is recent: the wall clock may be set back, and the monotonic
   * clock may stop while the machine sleeps.
   */
  readonly clocks: readonly (() => number)[];
  /** Called by a poll with a new state and the entry of the peppers; rejects if the keys cannot be used. */
  readonly onChange: (point: KeysPoint, peppers: string) => Promise<void>;
}) {
  const readings = (): readonly number[] => clocks.map((clock) => clock());
  let point = known;
  let confirmedAt: readonly number[] | undefined;
  let failure: unknown;
  let isPolling = false;

  const revision = (): number => {
    const isRecent = readings().every((atMs, index) => {
      const ageMs = atMs - (confirmedAt?.[index] ?? Number.NaN);
      return ageMs >= 0 && ageMs < TRUSTED_MS;
    });
    if (isRecent) return point.revision;
    if (isStoreFailure(failure) && !isRedisFailure(failure)) throw failureAgain(failure);
    throw storeFailure("KEYS_STALE", undefined, failure);
  };
  return {
    revision,
    /** Asks whether anything changed. Never rejects: while keys are invalid or failures last, other methods throw. */
    poll: async (): Promise<void> => {
      if (isPolling) return;
      isPolling = true;
      const startedAt = readings();
      try {
        const latest = await scripts.find(point, []);
        if (latest.point.revision !== point.revision || confirmedAt === undefined)
          await onChange(latest.point, latest.peppers);
        point = latest.point;
        confirmedAt = startedAt;
        failure = undefined;
      } catch (error) {
        failure = error;
        // Redis did reply, but its keys cannot be used, so nothing found in them before is valid.
        if (!isRedisFailure(error)) confirmedAt = undefined;
      } finally {
        isPolling = false;
      }
    },
    find: async (digests: readonly Buffer[]) => {
      revision();
      return (await scripts.find(point, digests)).key;
    },
    close: () => {
      confirmedAt = undefined;
    },
  };
}

/** A copy of all keys, which the caller closes. */
export async function loadKeys(
  scripts: Pick<KeyScripts, "load">,
  known: KeysPoint,
  mayBegin = false,
): Promise<{ readonly table: KeyTable; readonly point: KeysPoint; readonly entries: KeyEntries }> {
  const { entries, point } = await scripts.load(known);
  if (point.revision === 0 && !mayBegin) {
    // A Redis without keys is usually the wrong one.
    throw operatorFailure(
      "KEYS_MISSING",
      "There are no keys in the Redis that GOVDATA_QUOTA names.",
      "Check its address and database number. If Redis lost its keys, put its files back, or `restore` a backup. If there never were any, `key create` or `account create` starts (delete keys-point first if this home has seen keys there), or `restore` brings those of a backup.",
    );
  }
  const table = openKeyTableInMemory();
  fillTable(table, entries);
  return { table, point, entries };
}

interface KeysEdited {
  readonly scripts: Pick<KeyScripts, "load" | "commit">;
  readonly known: KeysPoint;
  readonly randomBytes: RandomBytes;
  /** Whether the keys of a Redis without any may be begun. */
  readonly mayBegin: boolean;
}

/** Runs `work` on a copy, and writes its changes if nobody wrote meanwhile; otherwise runs it on a fresh copy. */
export async function editKeys<Result>(
  { scripts, known, mayBegin, randomBytes }: KeysEdited,
  work: (table: KeyTable) => Result,
): Promise<Result> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const { table, point, entries } = await loadKeys(scripts, known, mayBegin);
    try {
      const result = work(table);
      const changed = [...entriesOf(table)].filter(([field, json]) => entries.get(field) !== json);
      if (changed.length === 0) return result;
      if ((await commitKeys(scripts, point, new Map(changed), randomBytes)) !== undefined) return result;
    } finally {
      table.close();
    }
  }
  throw operatorFailure(
    "STORE_UNUSABLE",
    "Other commands kept changing the keys in Redis, so nothing was changed.",
    "Try again when they have finished.",
  );
}

/** Commits entries with a token unlike any other. A write without a reply may have been done; it is not sent again. */
export async function commitKeys(
  scripts: Pick<KeyScripts, "commit">,
  point: KeysPoint,
  entries: KeyEntries,
  randomBytes: RandomBytes,
): Promise<KeysPoint | undefined> {
  try {
    return await scripts.commit(point, entries, Buffer.from(randomBytes(TOKEN_BYTES)).toString("hex"));
  } catch (error) {
    if (!isStoreFailure(error, "REDIS_AWAY", "REDIS_TIMEOUT")) throw error;
    throw operatorFailure(
      "STORE_UNUSABLE",
      `${describeRedisFailure(error)} while the change was being written, so it is not known whether it was made.`,
      "When Redis is back, check `key list` and `account list`, and repeat the command if the change is missing. Revoke a new key that was not shown.",
      error,
    );
  }
}
