import { setTimeout as pause } from "node:timers/promises";
import { requireOutside } from "../../snapshots/base/command-line/public-folder.ts";
import { badOption } from "../../snapshots/base/command-line/values.ts";
import { dayEndMs, timestampOf } from "../../snapshots/format/ids.ts";
import type { CommandContext } from "../commands/command-context.ts";
import { CUT_SHORT, stopped } from "../commands/command-world.ts";
import { openHome } from "../home.ts";
import { fileFailure } from "../operator-error.ts";
import { publishedPath, readFollowSettings } from "../settings.ts";
import type { QuotaChoice } from "./backup/restore-backup.ts";
import type { RemoteEvent } from "./follow/follow-remote.ts";

export function addFleetCommands(context: CommandContext, setExitCode: (code: number) => void): void {
  addFollowCommand(context, setExitCode);
  addBackupCommands(context);
}

const UNSIGNED_REMOTE =
  "GOVDATA_PUBLIC_KEY is not set: anyone who can write to the remote address decides what is copied here";

const MESSAGES: Readonly<Record<RemoteEvent["kind"], { level: "info" | "warn"; words: string }>> = {
  pulled: { level: "info", words: "version copied from the remote address" },
  "not followed": { level: "warn", words: "the copy may not be the version published at the remote address" },
  "followed again": { level: "info", words: "the copy is the version published at the remote address again" },
  "went back": {
    level: "warn",
    words: "went back to an older version: the remote address has named nothing newer for ten minutes",
  },
  tidied: { level: "info", words: "old copies deleted" },
  "given up": { level: "warn", words: "the copy was damaged and is downloaded again" },
};

/** A pointer that has not changed costs one request without a body. */
const POLL_MS = 1_000;

/** Adds `follow`. `setExitCode` is called when it was stopped before it was done. */
function addFollowCommand(
  { add, program, world, paths, isJson, printDone }: CommandContext,
  setExitCode: (code: number) => void,
): void {
  add(
    program,
    "follow [address]",
    "keep the home's copy of a bucket or mirror (GOVDATA_SNAPSHOTS) up to date, for its servers",
    "follow s3://bucket/prefix",
  ).action(async (given: string | undefined) => {
    const { home, ...published } = paths();
    const { snapshots: root, remote: address } =
      given === undefined ? published : publishedPath(given, home, "ADDRESS");
    if (address === undefined) {
      const what = given === undefined ? "GOVDATA_SNAPSHOTS" : "ADDRESS";
      throw badOption(`${what} names a folder.`, "Serve that folder directly: it needs no copy.");
    }
    const settings = readFollowSettings(world.environment);
    openHome(home);
    const { createLog } = await import("../observe/create-log.ts");
    const { REPORT_EVERY_MS, removeRemoteStatus, writeRemoteStatus } = await import(
      "../snapshot/remote-status.ts"
    );
    const { followRemote } = await import("./follow/follow-remote.ts");
    const log = createLog({ write: (line) => void world.stderr.write(line) }, settings.logLevel);
    const ending = new AbortController();
    const { name, status, run } = await followRemote(
      { address, root, home, ...settings },
      {
        environment: world.environment,
        nowMs: world.nowMs,
        rest: (signal) => pause(POLL_MS, undefined, { signal }).catch(() => {}),
        onEvent: (event) => {
          const { level, words } = MESSAGES[event.kind];
          log[level]({ remote: name, ...event }, words);
        },
      },
      ending.signal,
    );
    if (settings.trustedKeys === undefined) log.warn({ remote: name }, UNSIGNED_REMOTE);
    if (isJson()) printDone({ following: name, copy: root });
    else world.stdout.write(`following ${name} into ${root}\n`);
    const report = () => {
      try {
        writeRemoteStatus(home, status(), world.nowMs());
      } catch {
        // Without a report a server says that nobody follows, which is what its operator has to look at.
      }
    };
    report();
    const reporting = setInterval(report, REPORT_EVERY_MS);
    const running = run()
      .catch((error: unknown) => Promise.reject(fileFailure(error, "The copy in the home")))
      .finally(() => {
        clearInterval(reporting);
        removeRemoteStatus(home);
      });
    const end = () => {
      ending.abort();
      return running;
    };
    const isDone = await Promise.race([stopped(world, end), running.then(() => true)]);
    if (!isDone) setExitCode(CUT_SHORT);
  });
}

interface RestoreOptions {
  readonly grantToday?: boolean;
  readonly keepQuota?: boolean;
}

function addBackupCommands(context: CommandContext): void {
  const { add, program, world, paths, tell, printDone, redisUrl, givenPepper } = context;

  add(
    program,
    "backup <dir>",
    "copy keys, quota and the highest sequence into a new folder while servers run; never the pepper",
    "backup /var/backups/govdata-proxy/2026-04-01",
  ).action(async (directory: string) => {
    requireOutside(paths().snapshots, "A backup", directory);
    const { takeBackup } = await import("./backup/take-backup.ts");
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
          ? await (await import("./backup/restore-backup.ts")).restoreBackup(directory, home, order)
          : await (await import("./backup/restore-into-redis.ts")).restoreIntoRedis(directory, home, order, {
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
