import { existsSync } from "node:fs";
import type { Command } from "commander";
import { badOption } from "../../snapshots/base/command-line/values.ts";
import { DAY_MS } from "../../snapshots/base/days.ts";
import { dayOf, timestampOf } from "../../snapshots/format/ids.ts";
import type { Home } from "../home.ts";
import { createAccount, dailyLimitOf, requireAccount, setAccount } from "../keys/account-book.ts";
import type { Account, KeyStore } from "../keys/key-store.ts";
import { operatorFailure } from "../operator-error.ts";
import { closedDayWarning, quotaDayOf } from "../quota/daily-quota.ts";
import { COUNTS_LOST, type EpochMemory, openEpochMemory } from "../quota/redis/quota-guard.ts";
import { readRedisUsage, setRedisCounts } from "../quota/redis/redis-counts.ts";
import { setCount } from "../quota/sqlite/edit-counts.ts";
import { openQuotaLedger } from "../quota/sqlite/quota-ledger.ts";
import type { CommandContext, Row } from "./command-context.ts";
import { parseTerms, parseUsed } from "./parse-options.ts";

const COLUMNS = ["account", "tier", "daily_limit", "created_at"];

interface TermOptions {
  readonly tier?: string;
  readonly dailyLimit?: string;
}

/** Adds `account create|set|list|usage`. */
export function addAccountCommands(context: CommandContext): void {
  const { add, program, world, withStore, printRows } = context;
  const account = add(program, "account", "accounts: tier, daily limit, usage", "account list");
  const limitHelp = "requests per day of an Enterprise account; `default` for the tier's";

  add(
    account,
    "create <name>",
    "create an account",
    "account create acme --tier enterprise --daily-limit 250000",
  )
    .requiredOption("--tier <tier>", "free, pro or enterprise")
    .option("--daily-limit <n>", limitHelp)
    .action(async (name: string, options: TermOptions) => {
      const terms = parseTerms(options);
      const make = (store: KeyStore) => createAccount(store, name, terms, world.nowMs());
      report(context, await withStore(make, { mayMakeHome: true }), "created");
    });

  add(
    account,
    "set <name>",
    "change tier or limit for all keys of the account at once; today's count stays",
    "account set acme --tier pro",
  )
    .option("--tier <tier>", "free, pro or enterprise; leaving Enterprise removes the account's own limit")
    .option("--daily-limit <n>", limitHelp)
    .action(async (name: string, options: TermOptions) => {
      const terms = parseTerms(options);
      if (Object.keys(terms).length === 0) {
        throw badOption("Nothing to set.", "Add --tier or --daily-limit.");
      }
      report(context, await withStore((store) => setAccount(store, name, terms)), "changed");
    });

  add(account, "list", "list all accounts", "account list").action(async () => {
    const accounts = await withStore((store) => store.accounts());
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
  const { add, world, tell, withStore, printRows, areKeysInRedis } = context;
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
      const used = options.set === undefined ? undefined : parseUsed(options.set);
      const { asked, home } = await withStore((store, foundIn) => ({
        asked: requireAccount(store, name),
        home: foundIn,
      }));
      const counts = areKeysInRedis() ? countsInRedis(context, home) : countsInFile(home, world.nowMs);
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
function usageRows(account: Account, { nowMs, days }: Usage, isClosed: boolean): Row[] {
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

/** The most days shown, if they are kept that long. */
const USAGE_DAYS = 30;

/** The counts of one account, by the counter's clock. */
interface Usage {
  readonly nowMs: number;
  /** Latest first. */
  readonly days: readonly { readonly day: string; readonly used: number }[];
  /** The last day on which this account gets nothing, and why. */
  readonly closed: { readonly through: string; readonly since?: string } | undefined;
}

/** The counts, as the operator's commands use them. */
interface Counts {
  readonly usage: (account: string) => Promise<Usage>;
  /** Sets today's count; the counter's clock decides which day is today. */
  readonly set: (account: string, used: number) => Promise<{ readonly day: string; readonly before: number }>;
}

/** The counts in the home's `quota.db`. */
function countsInFile(home: Home, clockMs: () => number): Counts {
  return {
    usage: async (account) => {
      refuseNoCounter(home);
      const nowMs = clockMs();
      const ledger = openQuotaLedger(home.quotaPath);
      try {
        const through = ledger.isOpened(account, dayOf(nowMs)) ? undefined : ledger.closedThrough();
        return {
          nowMs,
          days: ledger.usage(account, dayOf(nowMs - (USAGE_DAYS - 1) * DAY_MS)),
          closed: through === undefined ? undefined : { through },
        };
      } finally {
        ledger.close();
      }
    },
    set: async (account, used) => {
      refuseNoCounter(home);
      const day = dayOf(clockMs());
      return { day, before: setCount(home.quotaPath, { account, day, used }) };
    },
  };
}

/** Refuses a missing counter: an empty one created here would grant the day again at the next start. */
function refuseNoCounter(home: Home): void {
  if (existsSync(home.quotaPath)) return;
  throw operatorFailure(
    "STORE_UNUSABLE",
    "There is no quota.db in this home, so nothing has been counted here.",
    "A server creates it when it starts. If one is running, the file was removed: put it back.",
  );
}

/** The counts in the Redis that the environment names. */
function countsInRedis({ world, withKeyBook }: CommandContext, home: Home): Counts {
  return {
    usage: (account) =>
      withKeyBook(async (_book, link) => {
        const { closedThrough, ...usage } = await readRedisUsage(link, account);
        const closed =
          closedThrough === undefined ? undefined : { through: closedThrough, since: COUNTS_LOST };
        return { ...usage, closed };
      }),
    set: (account, used) =>
      withKeyBook(async (_book, link) => {
        const parts = { link, memory: memoryOf(home), randomBytes: world.randomBytes };
        const [set] = await setRedisCounts(parts, [{ account, used }]);
        if (set === undefined) throw new Error("invariant: a count was set without an answer");
        return set;
      }),
  };
}

/** A host that only runs commands has no home, and nothing to remember. */
function memoryOf({ directory }: Home): EpochMemory {
  if (existsSync(directory)) return openEpochMemory(directory);
  return { last: () => undefined, remember: async () => {} };
}
