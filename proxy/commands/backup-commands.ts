import { dayEndMs, timestampOf } from "../../snapshots/format/ids.ts";
import { findHome, homeAt } from "../home.ts";
import { loadKeyBook, notBegun } from "../keys/redis/edit-key-book.ts";
import { usage } from "../settings.ts";
import { type Backup, writeBackup } from "./backup-files.ts";
import type { CommandContext } from "./command-context.ts";
import { type QuotaChoice, type Restored, restoreBackup } from "./restore-files.ts";

interface RestoreOptions {
  readonly grantToday?: boolean;
  readonly keepQuota?: boolean;
}

/** Adds `backup` and `restore`. */
export function addBackupCommands(context: CommandContext): void {
  const { add, program, world, places, tell, printDone, areKeysInRedis, givenPepper } = context;

  add(
    program,
    "backup <dir>",
    "copy keys, quota and the highest sequence into a new folder, while servers run; never the pepper",
    "backup /var/backups/govdata-proxy/2026-04-01",
  ).action(async (directory: string) => {
    const { note, accounts, keys } = await takeBackup(context, directory);
    const files = Object.keys(note.files);
    tell(`backed up: ${files.join(", ")} (accounts: ${accounts}, keys: ${keys})`);
    if (areKeysInRedis())
      tell("the counts are not part of it: Redis keeps them, and the keys, in files of its own");
    tell("the pepper is not part of it: keep one copy, apart from this");
    printDone({ taken_at: note.taken_at, accounts, keys, files: files.length });
  });

  add(
    program,
    "restore <dir>",
    "put a backup into a home without stores, with every server stopped; no account gets a unit more that day (UTC)",
    "restore /var/backups/govdata-proxy/2026-04-01",
  )
    .option("--grant-today", "count on from the backup at once; units used since can be used again today")
    .option("--keep-quota", "restore the keys alone, and count on in the quota.db that is there")
    .action((directory: string, options: RestoreOptions) => {
      const restored = restoreBackup(directory, places().home, {
        quota: quotaChoiceOf(options),
        nowMs: world.nowMs(),
        givenPepper: givenPepper(),
      });
      tell(...restoredLines(restored, options));
      if (areKeysInRedis())
        tell("GOVDATA_QUOTA is set: nobody asks these files until `move` brings them to Redis");
      printDone({
        taken_at: restored.takenAt,
        accounts: restored.accounts,
        keys: restored.keys,
        closed_through: restored.closedThrough,
        has_pepper: restored.hasPepper,
      });
    });
}

/** Of the home, or of the keys in Redis, which any host of them can back up. */
async function takeBackup(
  { world, places, areKeysInRedis, withKeyBook }: CommandContext,
  directory: string,
): Promise<Backup> {
  const nowMs = world.nowMs();
  const { home } = places();
  if (!areKeysInRedis()) return writeBackup(findHome(home), directory, { nowMs });
  const { copy, point } = await withKeyBook(loadKeyBook);
  try {
    if (point.revision === 0) throw notBegun();
    return writeBackup(homeAt(home), directory, { nowMs, saveKeys: copy.saveTo });
  } finally {
    copy.store.close();
  }
}

function quotaChoiceOf({ grantToday, keepQuota }: RestoreOptions): QuotaChoice {
  if (grantToday === true && keepQuota === true) {
    throw usage(
      "--grant-today and --keep-quota exclude each other.",
      "A quota.db that stays needs no word for today.",
    );
  }
  if (keepQuota === true) return "keep";
  return grantToday === true ? "grant-today" : "close-today";
}

function restoredLines(restored: Restored, { grantToday }: RestoreOptions): readonly string[] {
  const { accounts, keys, takenAt, closedThrough, hasPepper } = restored;
  const lines = [
    `restored accounts: ${accounts}, keys: ${keys}, as they were at ${takenAt}`,
    "keys made since then are unknown; keys revoked since then work again: revoke them anew before you start",
  ];
  if (closedThrough !== null) {
    const opensAt = timestampOf(dayEndMs(closedThrough) + 1);
    lines.push(`what was used since then is not known: every account is at its limit until ${opensAt}`);
  }
  if (grantToday === true) lines.push("units used since then can be used again today, as you said");
  if (!hasPepper) lines.push("the pepper is not here: put it into the home (mode 600) before you start");
  return lines;
}
