import { rmSync } from "node:fs";
import { join } from "node:path";
import { dayOf } from "../../../snapshots/format/ids.ts";
import { COMMAND_BUSY_TIMEOUT_MS, openHome } from "../../home.ts";
import type { RandomBytes } from "../../keys/key-format.ts";
import { openKeyTable } from "../../keys/key-table.ts";
import { operatorFailure } from "../../operator-error.ts";
import { openQuotaLedger } from "../../quota/sqlite/quota-ledger.ts";
import { entriesOf } from "../keys/key-entries.ts";
import { createKeyScripts, NO_POINT } from "../keys/key-scripts.ts";
import { commitKeys } from "../keys/redis-keys.ts";
import { openPointMemory } from "../open-redis-stores.ts";
import { type CountedIn, openEpochMemory } from "../quota/quota-guard.ts";
import { closeRedisDay, raiseRedisCounts, redisNowMs } from "../quota/redis-counts.ts";
import type { RedisLink } from "../redis/redis-link.ts";
import { withRedis } from "../redis-commands.ts";
import { openBackup } from "./backup-folder.ts";
import {
  inStage,
  type Restore,
  type Restored,
  type RestoreOptions,
  raisingSequence,
  refuseClockBehind,
  stageFile,
  stageKeys,
} from "./restore-backup.ts";

/**
 * Restores a whole, checked backup into a Redis without keys, of files or of another Redis. The counts come first: without
 * keys nothing serves, so an interrupted restore grants nothing and can be run again. A home with databases is refused,
 * since a server without `GOVDATA_QUOTA` would count in them.
 */
export async function restoreIntoRedis(
  directory: string,
  homeDirectory: string,
  options: RestoreOptions,
  { url, randomBytes }: { readonly url: string; readonly randomBytes: RandomBytes },
): Promise<Restored> {
  const backup = openBackup(directory);
  return withRedis(url, async (link) => {
    const nowMs = await redisNowMs(link);
    // Clocks of two machines differ a little; only another day would be the wrong one to close.
    if (options.quota === "close-today" && dayOf(nowMs) < dayOf(Date.parse(backup.takenAt)))
      refuseClockBehind(backup.takenAt, nowMs, "The clock of Redis");
    if ((await createKeyScripts(link).load(NO_POINT)).point.revision !== 0) throw redisNotEmpty();
    return inStage(openHome(homeDirectory), "close-today", (home, stage) =>
      restoreInto(link, randomBytes, { backup, home, stage, options }),
    );
  });
}

async function restoreInto(link: RedisLink, randomBytes: RandomBytes, restore: Restore): Promise<Restored> {
  const { backup, home, options } = restore;
  const keys = stageKeys(restore);
  const counted = { link, memory: openEpochMemory(home.directory), randomBytes };
  return raisingSequence(restore, async () => {
    const closedThrough = options.quota === "close-today" ? await closeRedisDay(counted) : null;
    if (options.quota === "grant-today") await continueCounts(counted, restore);
    const point = await commitKeys(createKeyScripts(link), NO_POINT, stagedEntries(restore), randomBytes);
    if (point === undefined) throw redisNotEmpty();
    // From now on, no server starts here without `GOVDATA_QUOTA`.
    rmSync(home.keysPointPath, { force: true });
    await openPointMemory(home).remember(point);
    return { takenAt: backup.takenAt, ...keys, closedThrough };
  });
}

function stagedEntries({ stage }: Restore) {
  const table = openKeyTable(join(stage, "keys.db"), COMMAND_BUSY_TIMEOUT_MS);
  try {
    return entriesOf(table);
  } finally {
    table.close();
  }
}

/** Brings what the backup counted today, by Redis' clock; a count that is higher in Redis stays. */
async function continueCounts(counted: CountedIn, restore: Restore): Promise<void> {
  const { backup, stage } = restore;
  const day = dayOf(await redisNowMs(counted.link));
  const accounts = [...stagedEntries(restore).keys()].flatMap((field) =>
    field.startsWith("account:") ? [field.slice("account:".length)] : [],
  );
  const counter = backup.has("quota.db")
    ? openQuotaLedger(stageFile(backup, stage, "quota.db"), { mayCreate: false })
    : undefined;
  try {
    const counts = accounts.map((account) => ({
      account,
      used: counter?.usage(account, day).find((row) => row.day === day)?.used ?? 0,
    }));
    await raiseRedisCounts(counted, counts, day);
  } finally {
    counter?.close();
  }
}

function redisNotEmpty() {
  return operatorFailure(
    "HOME_NOT_EMPTY",
    "That Redis already has keys, and a restore overwrites nothing.",
    "Use another database. If these are the keys of an earlier restore, check `key list`.",
  );
}
