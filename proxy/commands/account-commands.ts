import { existsSync } from "node:fs";
import type { Command } from "commander";
import { dayOf, timestampOf } from "../../snapshots/format/ids.ts";
import { DAILY_REQUESTS } from "../../snapshots/format/limits.ts";
import type { Home } from "../home.ts";
import { OperatorError } from "../http/operator-error.ts";
import { createAccount, requireAccount, setAccount } from "../keys/account-book.ts";
import type { Account, KeyStore } from "../keys/key-store.ts";
import { closedDayWarning } from "../quota/close-days.ts";
import { quotaDayOf } from "../quota/quota-day.ts";
import { openQuotaLedger } from "../quota/quota-ledger.ts";
import { usage } from "../settings.ts";
import { type CommandWorld, type GlobalFlags, withStore } from "./command-world.ts";
import { describedCommand } from "./described-command.ts";
import { parseTerms } from "./parse-options.ts";
import { printDone, printRows, type Row } from "./print-rows.ts";

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
  const isJson = () => flags().json === true;
  const account = describedCommand(program, "account", "accounts: tier, daily limit, usage", "account list");
  const limitHelp = "requests a day of an Enterprise account; `default` for the tier's";

  describedCommand(
    account,
    "create <name>",
    "make an account",
    "account create acme --tier enterprise --daily-limit 250000",
  )
    .requiredOption("--tier <tier>", "free, pro or enterprise")
    .option("--daily-limit <n>", limitHelp)
    .action(async (name: string, options: TermOptions) => {
      const terms = parseTerms(options);
      const make = (store: KeyStore) => createAccount(store, name, terms, world.nowMs());
      report(world, await withStore(world, flags(), make, true), "made", isJson());
    });

  describedCommand(
    account,
    "set <name>",
    "change tier or limit, at once for all keys of the account; today's count stays",
    "account set acme --tier pro",
  )
    .option("--tier <tier>", "free, pro or enterprise; leaving Enterprise ends a limit of its own")
    .option("--daily-limit <n>", limitHelp)
    .action(async (name: string, options: TermOptions) => {
      const terms = parseTerms(options);
      if (Object.keys(terms).length === 0) {
        throw usage("Nothing to set.", "Add --tier or --daily-limit.");
      }
      const account = await withStore(world, flags(), (store) => setAccount(store, name, terms));
      report(world, account, "set", isJson());
    });

  describedCommand(account, "list", "list all accounts", "account list").action(async () => {
    const accounts = await withStore(world, flags(), (store) => store.accounts());
    const listing = { columns: COLUMNS, mayGo: ["created_at"], asJson: isJson() };
    printRows(world.stdout, accounts.map(rowOf), listing);
  });

  describedCommand(
    account,
    "usage <name>",
    `requests counted today and on the last ${USAGE_DAYS} days (UTC)`,
    "account usage acme",
  ).action(async (name: string) => {
    const { account: asked, home } = await withStore(world, flags(), (store, foundIn) => ({
      account: requireAccount(store, name),
      home: foundIn,
    }));
    const rows = usageRows(asked, home, {
      nowMs: world.nowMs(),
      tellClosed: (warning) => world.stderr.write(`${warning}\n`),
    });
    printRows(world.stdout, rows, { columns: USAGE_COLUMNS, mayGo: ["account"], asJson: isJson() });
  });
}

/** Today first, also when nothing was asked today; limit and remaining are known for today only. */
function usageRows(
  account: Account,
  home: Home,
  { nowMs, tellClosed }: { readonly nowMs: number; readonly tellClosed: (warning: string) => void },
): Row[] {
  const { day: today, resetAtMs } = quotaDayOf(nowMs);
  // Nothing was counted yet, or the file is gone: an empty one made here would give the day anew at the next start.
  if (!existsSync(home.quotaPath)) {
    throw new OperatorError(
      "STORE_UNUSABLE",
      "There is no quota.db in this home, so nothing was counted here.",
      "A server makes it when it starts. If one runs, the file was taken away: put it back.",
    );
  }
  const ledger = openQuotaLedger(home.quotaPath);
  try {
    const days = ledger.usage(account.name, dayOf(nowMs - (USAGE_DAYS - 1) * DAY_MS));
    const used = days.find(({ day }) => day === today)?.used ?? 0;
    const limit = limitOf(account);
    const closed = closedDayWarning(ledger.closedThrough(), nowMs);
    if (closed !== undefined) tellClosed(closed);
    const past = { limit: null, remaining: null, resets_at: null };
    return [
      {
        account: account.name,
        day: today,
        used,
        limit,
        remaining: closed !== undefined ? 0 : Math.max(0, limit - used),
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

function rowOf(account: Account): Row {
  return {
    account: account.name,
    tier: account.tier,
    daily_limit: limitOf(account),
    created_at: timestampOf(account.createdAtMs),
  };
}

function report(world: CommandWorld, account: Account, what: string, asJson: boolean): void {
  world.stderr.write(
    `account ${account.name} is ${what}: ${account.tier}, ${limitOf(account)} requests a day\n`,
  );
  printDone(world.stdout, asJson, rowOf(account));
}
