import { requireOutside } from "../../../snapshots/base/command-line/public-folder.ts";
import { badOption } from "../../../snapshots/base/command-line/values.ts";
import { dayEndMs, timestampOf } from "../../../snapshots/format/ids.ts";
import type { CommandContext } from "../../commands/command-context.ts";
import type { QuotaChoice, Restored } from "../backup/restore-backup.ts";

interface RestoreOptions {
  readonly grantToday?: boolean;
  readonly keepQuota?: boolean;
}

/** Adds `backup` and `restore`. */
export function addBackupCommands(context: CommandContext): void {
  const { add, program, world, paths, tell, printDone, redisUrl, givenPepper } = context;

  add(
    program,
    "backup <dir>",
    "copy keys, quota and the highest sequence into a new folder while servers run; never the pepper",
    "backup /var/backups/govdata-proxy/2026-04-01",
  ).action(async (directory: string) => {
    requireOutside(paths().snapshots, "A backup", directory);
    const { takeBackup } = await import("../backup/take-backup.ts");
    const { note, accounts, keys } = await takeBackup(paths().home, directory, world.nowMs(), redisUrl());
    const files = Object.keys(note.files);
    tell(`backed up: ${files.join(", ")} (accounts: ${accounts}, keys: ${keys})`);
    if (redisUrl() !== undefined)
      tell("the counts are not included: Redis keeps them, and the keys, in its own files");
    tell("the pepper is not included: keep one copy in another place");
    printDone({ taken_at: note.taken_at, accounts, keys, files: files.length });
  });

  add(
    program,
    "restore <dir>",
    "restore a backup into a home without databases, or the Redis in GOVDATA_QUOTA, with every server stopped; accounts are at their limit until the day ends (UTC)",
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
      const { restoreBackup } = await import("../backup/restore-backup.ts");
      const { restoreIntoRedis } = await import("../backup/restore-into-redis.ts");
      const url = redisUrl();
      const restored =
        url === undefined
          ? await restoreBackup(directory, home, order)
          : await restoreIntoRedis(directory, home, order, { url, randomBytes });
      tell(...restoredLines(restored, options));
      if (redisUrl() !== undefined) {
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
