import type { Command } from "commander";
import { timestampOf } from "../../snapshots/format/ids.ts";
import { createAccount, setAccount } from "../keys/account-book.ts";
import type { Account, KeyStore } from "../keys/key-store.ts";
import { usage } from "../settings.ts";
import { addUsageCommand, limitOf } from "./account-usage-command.ts";
import { type CommandWorld, type GlobalFlags, withStore } from "./command-world.ts";
import { describedCommand } from "./described-command.ts";
import { parseTerms } from "./parse-options.ts";
import { printDone, printRows, type Row } from "./print-rows.ts";

const COLUMNS = ["account", "tier", "daily_limit", "created_at"];

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

  addUsageCommand(account, world, flags);
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
