import type { Command } from "commander";
import { dayEndMs, timestampOf } from "../../snapshots/format/ids.ts";
import { findHome } from "../home.ts";
import { readPlaces, usage } from "../settings.ts";
import { writeBackup } from "./backup-files.ts";
import type { CommandWorld, GlobalFlags } from "./command-world.ts";
import { describedCommand } from "./described-command.ts";
import { printDone } from "./print-rows.ts";
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
  ).action((directory: string) => {
    const { note, accounts, keys } = writeBackup(findHome(homeOf()), directory, world.nowMs());
    const files = Object.keys(note.files);
    world.stderr.write(`backed up: ${files.join(", ")} (accounts: ${accounts}, keys: ${keys})\n`);
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
      printDone(world.stdout, isJson(), {
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
