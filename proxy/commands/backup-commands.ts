import type { Command } from "commander";
import { dayEndMs, timestampOf } from "../../snapshots/format/ids.ts";
import { findHome, homeAt } from "../home.ts";
import { loadKeyBook, notBegun } from "../keys/redis/edit-key-book.ts";
import { readPlaces, usage } from "../settings.ts";
import { type Backup, writeBackup } from "./backup-files.ts";
import { describedCommand, printDone } from "./command-output.ts";
import { areKeysInRedis, type CommandWorld, type GlobalFlags, withKeyBook } from "./command-world.ts";
import { type QuotaChoice, type Restored, restoreBackup } from "./restore-files.ts";

interface RestoreOptions {
  readonly grantToday?: boolean;
  readonly keepQuota?: boolean;
}

/** Adds `backup` and `restore`. */
export function addBackupCommands(program: Command, world: CommandWorld): void {
  const flags = () => program.opts<GlobalFlags>();
  const isJson = () => flags().json === true;
  const homeOf = () => readPlaces(flags(), world.environment).home;

  describedCommand(
    program,
    "backup <dir>",
    "copy keys, quota and the highest sequence into a new folder, while servers run; never the pepper",
    "backup /var/backups/govdata-proxy/2026-04-01",
  ).action(async (directory: string) => {
    const { note, accounts, keys } = await takeBackup(world, homeOf(), directory);
    const files = Object.keys(note.files);
    world.stderr.write(`backed up: ${files.join(", ")} (accounts: ${accounts}, keys: ${keys})\n`);
    if (areKeysInRedis(world.environment)) {
      world.stderr.write(
        "the counts are not part of it: Redis keeps them, and the keys, in files of its own\n",
      );
    }
    world.stderr.write("the pepper is not part of it: keep one copy, apart from this\n");
    printDone(world.stdout, isJson(), { taken_at: note.taken_at, accounts, keys, files: files.length });
  });

  describedCommand(
    program,
    "restore <dir>",
    "put a backup into a home without stores, with every server stopped; no account gets a unit more that day (UTC)",
    "restore /var/backups/govdata-proxy/2026-04-01",
  )
    .option("--grant-today", "count on from the backup at once; units used since can be used again today")
    .option("--keep-quota", "restore the keys alone, and count on in the quota.db that is there")
    .action((directory: string, options: RestoreOptions) => {
      const given = world.environment["GOVDATA_PEPPER"];
      const restored = restoreBackup(directory, homeOf(), {
        quota: quotaChoiceOf(options),
        nowMs: world.nowMs(),
        givenPepper: given === "" ? undefined : given,
      });
      tell(world, restored, options);
      if (areKeysInRedis(world.environment)) {
        world.stderr.write(
          "GOVDATA_QUOTA is set: nobody asks these files until `move` brings them to Redis\n",
        );
      }
      printDone(world.stdout, isJson(), {
        taken_at: restored.takenAt,
        accounts: restored.accounts,
        keys: restored.keys,
        closed_through: restored.closedThrough,
        has_pepper: restored.hasPepper,
      });
    });
}

/** Of the home, or of the keys in Redis, which any host of them can back up. */
async function takeBackup(world: CommandWorld, home: string, directory: string): Promise<Backup> {
  const nowMs = world.nowMs();
  if (!areKeysInRedis(world.environment)) return writeBackup(findHome(home), directory, { nowMs });
  const { copy, point } = await withKeyBook(world, loadKeyBook);
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

function tell(world: CommandWorld, restored: Restored, { grantToday }: RestoreOptions): void {
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
  world.stderr.write(lines.map((line) => `${line}\n`).join(""));
}
