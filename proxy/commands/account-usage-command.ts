import type { Command } from "commander";
import { timestampOf } from "../../snapshots/format/ids.ts";
import { DAILY_REQUESTS } from "../../snapshots/format/limits.ts";
import { requireAccount } from "../keys/account-book.ts";
import type { Account } from "../keys/key-store.ts";
import { closedDayWarning, quotaDayOf } from "../quota/daily-quota.ts";
import { wholeNumber } from "../settings.ts";
import { type CommandWorld, type GlobalFlags, withStore } from "./command-world.ts";
import { USAGE_DAYS, type Usage } from "./counts.ts";
import { countsInFile } from "./counts-in-file.ts";
import { countsInRedis } from "./counts-in-redis.ts";
import { describedCommand } from "./described-command.ts";
import { DAILY_LIMIT_MAX } from "./parse-options.ts";
import { printRows, type Row } from "./print-rows.ts";
import { redisUrlOf } from "./with-key-book.ts";

const COLUMNS = ["account", "day", "used", "limit", "remaining", "resets_at"];

/** Adds `account usage`. */
export function addUsageCommand(account: Command, world: CommandWorld, flags: () => GlobalFlags): void {
  describedCommand(
    account,
    "usage <name>",
    `requests counted today and on the last ${USAGE_DAYS} days (UTC), of which Redis keeps three`,
    "account usage acme",
  )
    .option(
      "--set <n>",
      "set today's count, and open a day closed since counts were lost; a server may refuse 50 requests more",
    )
    .action(async (name: string, options: { readonly set?: string }) => {
      const used =
        options.set === undefined
          ? undefined
          : wholeNumber(options.set, { name: "--set", min: 0, max: DAILY_LIMIT_MAX });
      const { asked, home } = await withStore(world, flags(), (store, foundIn) => ({
        asked: requireAccount(store, name),
        home: foundIn,
      }));
      const isInFile = redisUrlOf(world.environment) === undefined;
      const counts = isInFile ? countsInFile(home, world.nowMs) : countsInRedis(world, home);
      if (used !== undefined) {
        const { day, before } = await counts.set(asked.name, used);
        world.stderr.write(`account ${asked.name} has used ${used} of ${day}; it was ${before}\n`);
      }
      const usage = await counts.usage(asked.name);
      const warning = closedDayWarning(usage.closed?.through, usage.nowMs, usage.closed?.since);
      if (warning !== undefined) world.stderr.write(`${warning}\n`);
      const rows = usageRows(asked, usage, warning !== undefined);
      printRows(world.stdout, rows, { columns: COLUMNS, mayGo: ["account"], asJson: flags().json === true });
    });
}

/** Today first, also when nothing was asked today; limit and remaining are known for today only. */
function usageRows(account: Account, { nowMs, days }: Usage, isClosed: boolean): Row[] {
  const { day: today, resetAtMs } = quotaDayOf(nowMs);
  const used = days.find(({ day }) => day === today)?.used ?? 0;
  const limit = limitOf(account);
  const past = { limit: null, remaining: null, resets_at: null };
  return [
    {
      account: account.name,
      day: today,
      used,
      limit,
      remaining: isClosed ? 0 : Math.max(0, limit - used),
      resets_at: timestampOf(resetAtMs),
    },
    ...days
      .filter(({ day }) => day !== today)
      .map((row) => ({ account: account.name, day: row.day, used: row.used, ...past })),
  ];
}

/** What an account may ask a day: its own limit, or that of its tier. */
export function limitOf(account: Account): number {
  return account.dailyLimit ?? DAILY_REQUESTS[account.tier];
}
