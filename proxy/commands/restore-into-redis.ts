import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { openSqlite } from "../../snapshots/base/sqlite.ts";
import { dayOf } from "../../snapshots/format/ids.ts";
import { type Home, openHome } from "../home.ts";
import type { RandomBytes } from "../keys/key-format.ts";
import { commitBook } from "../keys/redis/edit-key-book.ts";
import { type KeyBook, NO_POINT, openPointMemory } from "../keys/redis/key-book.ts";
import { createMemoryBook } from "../keys/redis/memory-book.ts";
import { fileFailure, operatorFailure } from "../operator-error.ts";
import { type CountedIn, openEpochMemory } from "../quota/redis/quota-guard.ts";
import { closeRedisDay, raiseRedisCounts, redisNowMs } from "../quota/redis/redis-counts.ts";
import { openQuotaDatabase } from "../quota/sqlite/open-quota-database.ts";
import { prepareQuotaRows } from "../quota/sqlite/quota-rows.ts";
import type { RedisLink } from "../redis/redis-link.ts";
import { openBackup } from "./backup-files.ts";
import {
  makeStage,
  type Restored,
  type RestoreOrder,
  refuseClockBehind,
  refuseWhatIsThere,
  restoreSequence,
  stageFile,
  stageKeys,
  stageSequence,
} from "./restore-files.ts";

/** The Redis to restore into, and the source of random names. */
interface RestoreTarget {
  readonly book: KeyBook;
  readonly link: RedisLink;
  readonly randomBytes: RandomBytes;
}

/**
 * Restores a whole, checked backup into a Redis without keys, of files or of another Redis. The counts come first: without
 * keys nothing serves, so an interrupted restore grants nothing and can be run again. A home with databases is refused,
 * since a server without `GOVDATA_QUOTA` would count in them.
 */
export async function restoreIntoRedis(
  directory: string,
  homeDirectory: string,
  order: RestoreOrder,
  { book, link, randomBytes }: RestoreTarget,
): Promise<Restored> {
  const backup = openBackup(directory);
  const nowMs = await redisNowMs(link);
  // Clocks of two machines differ a little; only another day would be the wrong one to close.
  if (order.quota === "close-today" && dayOf(nowMs) < dayOf(Date.parse(backup.takenAt)))
    refuseClockBehind(backup.takenAt, nowMs, "The clock of Redis");
  if ((await book.readSince(NO_POINT)).point.revision !== 0) throw redisNotEmpty();
  const home = openHome(homeDirectory);
  refuseWhatIsThere(home, "close-today");
  const stage = makeStage(home);
  try {
    const restore = { backup, stage, home, order };
    const found = stageKeys(restore);
    const sequence = stageSequence(restore);
    const counted = { link, memory: openEpochMemory(home.directory), randomBytes };
    let closedThrough: string | null = null;
    if (order.quota === "close-today") closedThrough = await closeRedisDay(counted);
    if (order.quota === "grant-today") await continueCounts(counted, restore);
    restoreSequence(home.directory, stage, sequence);
    if (!(await commitBook(book, NO_POINT, rowsIn(stage), randomBytes))) throw redisNotEmpty();
    await rememberBook(book, home);
    return { takenAt: backup.takenAt, ...found, closedThrough };
  } catch (error) {
    throw fileFailure(error, `The home ${resolve(home.directory)}`);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** Remembers what was restored: without `GOVDATA_QUOTA` no server starts here any more. */
async function rememberBook(book: KeyBook, home: Home): Promise<void> {
  rmSync(home.keysPointPath, { force: true });
  await openPointMemory(home.keysPointPath).remember((await book.readSince(NO_POINT)).point);
}

/** All rows of the staged keys. */
function rowsIn(stage: string) {
  const database = openSqlite(join(stage, "keys.db"));
  try {
    return [...createMemoryBook(database).rows()].map(([field, json]) => ({ field, json }));
  } finally {
    database.close();
  }
}

/** Brings what the backup counted today, by Redis' clock; a count that is higher in Redis stays. */
async function continueCounts(
  counted: CountedIn,
  { backup, stage }: Parameters<typeof stageKeys>[0],
): Promise<void> {
  const day = dayOf(await redisNowMs(counted.link));
  const database = backup.has("quota.db")
    ? openQuotaDatabase(stageFile(backup, stage, "quota.db"), { mayCreate: false })
    : undefined;
  const keys = openSqlite(join(stage, "keys.db"));
  try {
    const usage = database === undefined ? undefined : prepareQuotaRows(database).usage;
    const accounts = keys.prepare<[], string>("SELECT name FROM accounts").pluck().all();
    const counts = accounts.map((account) => ({
      account,
      used: usage?.(account, day).find((row) => row.day === day)?.used ?? 0,
    }));
    await raiseRedisCounts(counted, counts, day);
  } finally {
    keys.close();
    database?.close();
  }
}

function redisNotEmpty() {
  return operatorFailure(
    "HOME_NOT_EMPTY",
    "That Redis already has keys, and a restore overwrites nothing.",
    "Use another database. If these are the keys of an earlier restore, check `key list`.",
  );
}
