import { badOption } from "../../snapshots/base/command-line/values.ts";
import { dayEndMs, timestampOf } from "../../snapshots/format/ids.ts";
import { findHome, homeAt } from "../home.ts";
import { loadKeyBook, notBegun } from "../keys/redis/edit-key-book.ts";
import { type Backup, writeBackup } from "./backup-files.ts";
import type { CommandContext } from "./command-context.ts";
import { type QuotaChoice, type Restored, restoreBackup } from "./restore-files.ts";
import { restoreIntoRedis } from "./restore-into-redis.ts";

interface RestoreOptions {
  readonly grantToday?: boolean;
  readonly keepQuota?: boolean;
}

/** Adds `backup` and `restore`. */
export function addBackupCommands(context: CommandContext): void {
  const { add, program, world, paths, tell, printDone, areKeysInRedis, withKeyBook, givenPepper } = context;

  add(
    program,
    "backup <dir>",
    "copy keys, quota and the highest sequence into a new folder while servers run; never the pepper",
    "backup /var/backups/govdata-proxy/2026-04-01",
  ).action(async (directory: string) => {
    const { note, accounts, keys } = await takeBackup(context, directory);
    const files = Object.keys(note.files);
    tell(`backed up: ${files.join(", ")} (accounts: ${accounts}, keys: ${keys})`);
    if (areKeysInRedis())
      tell("the counts are not included: Redis keeps them, and the keys, in its own files");
    tell("the pepper is not included: keep one copy in another place");
    printDone({ taken_at: note.taken_at, accounts, keys, files: files.length });
  });

  add(
    program,
    "restore <dir>",
    "restore a backup into a home without databases, or into the Redis in GOVDATA_QUOTA, with every server stopped; every account is at its limit until the day ends (UTC)",
    "restore /var/backups/govdata-proxy/2026-04-01",
  )
    .option(
      "--grant-today",
      "continue from the backup's counts at once; requests used since can be used again today",
    )
    .option("--keep-quota", "restore only the keys, and keep the counts in the home's quota.db or in Redis")
    .action(async (directory: string, options: RestoreOptions) => {
      const { home } = paths();
      const { randomBytes } = world;
      const order = { quota: quotaChoiceOf(options), nowMs: world.nowMs(), givenPepper: givenPepper() };
      const restored = areKeysInRedis()
        ? await withKeyBook((book, link) =>
            restoreIntoRedis(directory, home, order, { book, link, randomBytes }),
          )
        : restoreBackup(directory, home, order);
      tell(...restoredLines(restored, options));
      if (areKeysInRedis()) {
        tell(
          "every host needs GOVDATA_QUOTA and the pepper of this home; delete keys-point in the home of every other host",
        );
      }
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
  { world, paths, areKeysInRedis, withKeyBook }: CommandContext,
  directory: string,
): Promise<Backup> {
  const nowMs = world.nowMs();
  const { home } = paths();
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
    throw badOption(
      "--grant-today and --keep-quota cannot be combined.",
      "With --keep-quota today's counts stay as they are.",
    );
  }
  if (keepQuota === true) return "keep";
  return grantToday === true ? "grant-today" : "close-today";
}

function restoredLines(restored: Restored, { grantToday }: RestoreOptions): readonly string[] {
  const { accounts, keys, takenAt, closedThrough, hasPepper } = restored;
  const lines = [
    `restored accounts: ${accounts}, keys: ${keys}, as they were at ${takenAt}`,
    "keys created since then are gone; keys revoked since then work again: revoke them again before you start a server",
  ];
  if (closedThrough !== null) {
    const opensAt = timestampOf(dayEndMs(closedThrough) + 1);
    lines.push(`what was used since then is unknown, so every account is at its limit until ${opensAt}`);
  }
  if (grantToday === true) lines.push("requests used since then can be used again today");
  if (!hasPepper)
    lines.push("the pepper is missing: put it into the home (mode 600) before you start a server");
  return lines;
}
