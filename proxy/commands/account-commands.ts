import type { Command } from "commander";
import { badOption, parseValue, wholeNumber, wordOf } from "../../snapshots/base/command-line/values.ts";
import { timestampOf } from "../../snapshots/format/ids.ts";
import { tiersWithOwnLimit } from "../../snapshots/format/limits.ts";
import { ACCESS_TIERS } from "../../snapshots/format/value-sets.ts";
import {
  type AccountTerms,
  createAccount,
  dailyLimitOf,
  requireAccount,
  setAccount,
} from "../keys/accounts.ts";
import type { Account, KeyTable } from "../keys/key-table.ts";
import { closedDayWarning, type DayCounts, quotaDayOf, USAGE_DAYS } from "../quota/daily-quota.ts";
import type { CommandContext, Row } from "./command-context.ts";

const COLUMNS = ["account", "tier", "daily_limit", "created_at"];

/** Up to more than any real use, and far below where counting becomes inexact. */
const COUNT_MAX = 1_000_000_000;

interface TermOptions {
  readonly tier?: string;
  readonly dailyLimit?: string;
}

export function parseTerms({ tier, dailyLimit: limit }: TermOptions): AccountTerms {
  const count = (text: string) => parseValue(wholeNumber(1, COUNT_MAX), "--daily-limit", text);
  return {
    ...(tier === undefined ? {} : { tier: parseValue(wordOf(ACCESS_TIERS), "--tier", tier) }),
    ...(limit === undefined ? {} : { dailyLimit: limit === "default" ? null : count(limit) }),
  };
}

export function addAccountCommands(context: CommandContext): void {
  const { add, program, world, withKeys, printRows } = context;
  const account = add(program, "account", "accounts: tier, daily limit, usage", "account list");
  const limitHelp = `requests per day, for ${tiersWithOwnLimit().join(", ")}; \`default\` for the tier's`;

  add(
    account,
    "create <name>",
    "create an account",
    "account create acme --tier enterprise --daily-limit 250000",
  )
    .requiredOption("--tier <tier>", ACCESS_TIERS.join(", "))
    .option("--daily-limit <n>", limitHelp)
    .action(async (name: string, options: TermOptions) => {
      const terms = parseTerms(options);
      const make = (table: KeyTable) => createAccount(table, name, terms, world.nowMs());
      report(context, await withKeys(make, { mayMakeHome: true }), "created");
    });

  add(
    account,
    "set <name>",
    "change tier or limit of an account and its keys; today's count stays",
    "account set acme --tier pro",
  )
    .option(
      "--tier <tier>",
      `${ACCESS_TIERS.join(", ")}; one without limits of its own removes the account's`,
    )
    .option("--daily-limit <n>", limitHelp)
    .action(async (name: string, options: TermOptions) => {
      const terms = parseTerms(options);
      if (Object.keys(terms).length === 0) {
        throw badOption("Nothing to set.", "Add --tier or --daily-limit.");
      }
      report(context, await withKeys((table) => setAccount(table, name, terms)), "changed");
    });

  add(account, "list", "list all accounts", "account list").action(async () => {
    const accounts = await withKeys((table) => table.accounts());
    printRows(accounts.map(rowOf), { columns: COLUMNS, mayGo: ["created_at"] });
  });

  addUsageCommand(account, context);
}

function rowOf(account: Account): Row {
  return {
    account: account.name,
    tier: account.tier,
    daily_limit: dailyLimitOf(account),
    created_at: timestampOf(account.createdAtMs),
  };
}

function report({ tell, printDone }: CommandContext, account: Account, what: string): void {
  tell(`${what} account ${account.name}: ${account.tier}, ${dailyLimitOf(account)} requests a day`);
  printDone(rowOf(account));
}

const USAGE_COLUMNS = ["account", "day", "used", "limit", "remaining", "resets_at"];

function addUsageCommand(account: Command, context: CommandContext): void {
  const { add, tell, withKeys, printRows, openCounts } = context;
  add(
    account,
    "usage <name>",
    `show the requests counted today and on the last ${USAGE_DAYS} days (UTC); Redis keeps three days`,
    "account usage acme",
  )
    .option(
      "--set <n>",
      "set today's count, and reopen a day that was closed because counts were lost; a server may refuse 50 more requests first",
    )
    .action(async (name: string, options: { readonly set?: string }) => {
      const { set } = options;
      const used = set === undefined ? undefined : parseValue(wholeNumber(0, COUNT_MAX), "--set", set);
      const { asked, home } = await withKeys((table, foundIn) => ({
        asked: requireAccount(table, name),
        home: foundIn,
      }));
      const counts = await openCounts(home);
      if (used !== undefined) {
        const { day, before } = await counts.set(asked.name, used);
        tell(`the count of account ${asked.name} on ${day} is now ${used}; it was ${before}`);
      }
      const usage = await counts.usage(asked.name);
      const warning = closedDayWarning(usage.closed?.through, usage.nowMs, usage.closed?.since);
      if (warning !== undefined) tell(warning);
      const rows = usageRows(asked, usage, warning !== undefined);
      printRows(rows, { columns: USAGE_COLUMNS, mayGo: ["account"] });
    });
}

/** Today comes first, even without requests today; limit and remaining are known only for today. */
function usageRows(account: Account, { nowMs, days }: DayCounts, isClosed: boolean): Row[] {
  const { day: today, resetAtMs } = quotaDayOf(nowMs);
  const used = days.find(({ day }) => day === today)?.used ?? 0;
  const limit = dailyLimitOf(account);
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
