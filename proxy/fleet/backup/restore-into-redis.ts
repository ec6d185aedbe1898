import { rmSync } from "node:fs";
import { join } from "node:path";
import { dayOf } from "../../../snapshots/format/ids.ts";
import { COMMAND_BUSY_TIMEOUT_MS } from "../../home.ts";
import type { RandomBytes } from "../../keys/key-format.ts";
import { openKeyTable } from "../../keys/key-table.ts";
import { operatorFailure } from "../../operator-error.ts";
import { openQuotaLedger } from "../../quota/sqlite/quota-ledger.ts";
import { entriesOf } from "../keys/key-entries.ts";
import { createKeyScripts, NO_POINT } from "../keys/key-scripts.ts";
import { commitKeys } from "../keys/redis-keys.ts";
import { openPointMemory } from "../open-redis-stores.ts";
import { type CountedIn, openEpochMemory } from "../quota/quota-guard.ts";
import { closeRedisDay, redisNowMs, setRedisCounts } from "../quota/redis-counts.ts";
import { withRedis } from "../redis-commands.ts";
import { openBackup } from "./backup-folder.ts";
import {
  clockBehind,
  inStage,
  type Restore,
  type Restored,
  type RestoreOptions,
  raiseSequence,
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
    const scripts = createKeyScripts(link);
    const nowMs = await redisNowMs(link);
    // Clocks of two machines differ a little; only another day would be the wrong one to close.
    if (options.quota === "close-today" && dayOf(nowMs) < dayOf(Date.parse(backup.takenAt)))
      throw clockBehind(backup.takenAt, nowMs, "The clock of Redis");
    if ((await scripts.load(NO_POINT)).point.revision !== 0) throw redisNotEmpty();
    return inStage(homeDirectory, "close-today", async (home, stage) => {
      const restore = { backup, home, stage, options };
      const keys = stageKeys(restore);
      const entries = entriesIn(join(stage, "keys.db"));
      const counted = { link, memory: openEpochMemory(home.directory), randomBytes };
      await raiseSequence(restore);
      const closedThrough = options.quota === "close-today" ? await closeRedisDay(counted) : null;
      if (options.quota === "grant-today") {
        const names = [...entries.keys()].filter((field) => field.startsWith("account:"));
        const accounts = names.map((field) => field.slice("account:".length));
        await continueCounts(counted, restore, accounts, dayOf(nowMs));
      }
      const point = await commitKeys(scripts, NO_POINT, entries, randomBytes);
      if (point === undefined) throw redisNotEmpty();
      // From now on, no server starts here without `GOVDATA_QUOTA`.
      rmSync(home.keysPointPath, { force: true });
      await openPointMemory(home).remember(point);
      return { takenAt: backup.takenAt, ...keys, closedThrough };
    });
  });
}

function entriesIn(path: string) {
  const table = openKeyTable(path, COMMAND_BUSY_TIMEOUT_MS);
  try {
    return entriesOf(table);
  } finally {
    table.close();
  }
}

/** Brings what the backup counted on a day, also of accounts that used nothing; a count that is higher in Redis stays. */
async function continueCounts(
  counted: CountedIn,
  { backup, stage }: Restore,
  accounts: readonly string[],
  day: string,
): Promise<void> {
  if (backup.has("quota.db")) stageFile(backup, stage, "quota.db");
  const counter = openQuotaLedger(join(stage, "quota.db"));
  try {
    const counts = accounts.map((account) => ({
      account,
      used: counter.usage(account, day).find((row) => row.day === day)?.used ?? 0,
    }));
    await setRedisCounts(counted, counts, "raise");
  } finally {
    counter.close();
  }
}

function redisNotEmpty() {
  return operatorFailure(
    "HOME_NOT_EMPTY",
    "That Redis already has keys, and a restore overwrites nothing.",
    "Use another database. If these are the keys of an earlier restore, check `key list`.",
  );
}
