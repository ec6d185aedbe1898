import { requireOutside } from "../../../snapshots/base/command-line/public-folder.ts";
import { badOption } from "../../../snapshots/base/command-line/values.ts";
import { dayEndMs, timestampOf } from "../../../snapshots/format/ids.ts";
import type { CommandContext } from "../../commands/command-context.ts";
import type { QuotaChoice } from "../backup/restore-backup.ts";

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
      const url = redisUrl();
      const restored =
        url === undefined
          ? await (await import("../backup/restore-backup.ts")).restoreBackup(directory, home, order)
          : await (await import("../backup/restore-into-redis.ts")).restoreIntoRedis(directory, home, order, {
              url,
              randomBytes,
            });
      const { takenAt, closedThrough, hasPepper, accounts, keys } = restored;
      tell(
        `restored accounts: ${accounts}, keys: ${keys}, as they were at ${takenAt}`,
        "keys created since then are gone; keys revoked since then work again: revoke them again before you start a server",
      );
      if (closedThrough !== null) {
        const opensAt = timestampOf(dayEndMs(closedThrough) + 1);
        tell(`what was used since then is unknown, so every account is at its limit until ${opensAt}`);
      }
      if (options.grantToday === true) tell("requests used since then can be used again today");
      if (!hasPepper)
        tell("the pepper is missing: put it into the home (mode 600) before you start a server");
      if (url !== undefined) {
        tell(
          "every host needs GOVDATA_QUOTA and the pepper of this home; delete keys-point in the home of every other host",
        );
      }
      printDone({
        taken_at: takenAt,
        accounts,
        keys,
        closed_through: closedThrough,
        has_pepper: hasPepper,
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
