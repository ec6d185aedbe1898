import type { Command } from "commander";
import { dayOf, timestampOf } from "../../snapshots/format/ids.ts";
import { DAILY_REQUESTS } from "../../snapshots/format/limits.ts";
import type { Home } from "../home.ts";
import { createAccount, requireAccount, setAccount } from "../keys/account-book.ts";
import type { Account } from "../keys/key-store.ts";
import { quotaDayOf } from "../quota/quota-day.ts";
import { openQuotaLedger } from "../quota/quota-ledger.ts";
import { usage } from "../settings.ts";
import { type CommandWorld, type GlobalFlags, withStore } from "./command-world.ts";
import { parseTerms } from "./parse-options.ts";
import { printRows, type Row } from "./print-rows.ts";

const COLUMNS = ["account", "tier", "daily_limit", "created_at"];
const USAGE_COLUMNS = ["account", "day", "used", "limit", "remaining", "resets_at"];

/** Days that `account usage` shows. */
const USAGE_DAYS = 30;
const DAY_MS = 86_400_000;

interface TermOptions {
  readonly tier?: string;
  readonly dailyLimit?: string;
}

/** Adds `account create|set|list|usage`. */
export function addAccountCommands(program: Command, world: CommandWorld): void {
  const flags = () => program.opts<GlobalFlags>();
  const account = program.command("account").description("accounts: tier, daily limit, usage");
  const limitHelp = "requests a day of an Enterprise account; `default` for the tier's";

  account
    .command("create <name>")
    .description("make an account")
    .requiredOption("--tier <tier>", "free, pro or enterprise")
    .option("--daily-limit <n>", limitHelp)
    .action((name: string, options: TermOptions) => {
      withStore(world, flags(), (store) => {
        report(world, createAccount(store, name, parseTerms(options), world.nowMs()), "made");
      });
    });

  account
    .command("set <name>")
    .description("change tier or limit, at once for all keys of the account; today's count stays")
    .option("--tier <tier>", "free, pro or enterprise; leaving Enterprise ends a limit of its own")
    .option("--daily-limit <n>", limitHelp)
    .action((name: string, options: TermOptions) => {
      const terms = parseTerms(options);
      if (Object.keys(terms).length === 0) {
        throw usage("Nothing to set.", "Add --tier or --daily-limit.");
      }
      withStore(world, flags(), (store) => report(world, setAccount(store, name, terms), "set"));
    });

  account
    .command("list")
    .description("list all accounts")
    .action(() => {
      withStore(world, flags(), (store) => {
        const rows = store.accounts().map((row) => ({
          account: row.name,
          tier: row.tier,
          daily_limit: limitOf(row),
          created_at: timestampOf(row.createdAtMs),
        }));
        printRows(world.stdout, COLUMNS, rows, flags().json === true);
      });
    });

  account
    .command("usage <name>")
    .description(`requests counted today and on the last ${USAGE_DAYS} days (UTC)`)
    .action((name: string) => {
      withStore(world, flags(), (store, home) => {
        const rows = usageRows(requireAccount(store, name), home, world.nowMs());
        printRows(world.stdout, USAGE_COLUMNS, rows, flags().json === true);
      });
    });
}

/** Today first, also when nothing was asked today; limit and remaining are known for today only. */
function usageRows(account: Account, home: Home, nowMs: number): Row[] {
  const { day: today, resetAtMs } = quotaDayOf(nowMs);
  const ledger = openQuotaLedger(home.quotaPath);
  try {
    const days = ledger.usage(account.name, dayOf(nowMs - (USAGE_DAYS - 1) * DAY_MS));
    const used = days.find(({ day }) => day === today)?.used ?? 0;
    const limit = limitOf(account);
    const past = { limit: null, remaining: null, resets_at: null };
    return [
      {
        account: account.name,
        day: today,
        used,
        limit,
        remaining: Math.max(0, limit - used),
        resets_at: timestampOf(resetAtMs),
      },
      ...days
        .filter(({ day }) => day !== today)
        .map((row) => ({ account: account.name, day: row.day, used: row.used, ...past })),
    ];
  } finally {
    ledger.close();
  }
}

function limitOf(account: Account): number {
  return account.dailyLimit ?? DAILY_REQUESTS[account.tier];
}

function report(world: CommandWorld, account: Account, what: string): void {
  world.stderr.write(
    `account ${account.name} is ${what}: ${account.tier}, ${limitOf(account)} requests a day\n`,
  );
}
