import { type Command, Option } from "commander";
import { readRegistry } from "../../home/home.ts";
import type { DaoCheck } from "../../upkeep/dao-check.ts";
import { contextOf, describedCommand, type ProcessContext } from "../options/command-context.ts";
import { parseRate } from "../options/parse-options.ts";
import { LIVE_SOURCES_HELP } from "../options/source-options.ts";
import { EXIT } from "../terminal/exit-codes.ts";
import { formatTable } from "../terminal/table.ts";

type Dao = ReturnType<typeof readRegistry>["daos"][number];

function formatDaos(daos: readonly Dao[], columns: number | undefined): string {
  const token = ({ governor }: Dao): string =>
    governor === undefined ? "" : `${governor.chainId}:${governor.token}`;
  return formatTable<Dao>(
    [
      { heading: "space", of: (dao) => dao.spaceId },
      { heading: "name", of: ({ name }) => name },
      { heading: "category", of: ({ category }) => category },
      { heading: "token", of: token, fit: "spill" },
    ],
    daos,
    columns,
  );
}

function formatChecks(checks: readonly DaoCheck[], columns: number | undefined): string {
  return formatTable<DaoCheck>(
    [
      { heading: "space", of: (check) => check.spaceId },
      { heading: "part", of: ({ part }) => part },
      { heading: "is", of: ({ status }) => status },
      { heading: "why", of: ({ detail }) => detail ?? "", fit: "spill" },
    ],
    checks,
    columns,
  );
}

/** A name of its own is no fault; what is gone or different is, and so is a source that does not answer. */
function exitOf(checks: readonly DaoCheck[]): number {
  const count = (...wanted: readonly DaoCheck["status"][]) =>
    checks.filter(({ status }) => wanted.includes(status)).length;
  const faults = count("missing", "differs", "failed");
  if (count("failed") > 0 && count("failed", "not-checked") === checks.length) return EXIT.nothingFetched;
  return faults > 0 ? EXIT.failed : EXIT.done;
}

function checkCommand(process: ProcessContext): Command {
  return describedCommand(
    "check",
    "compare each with the live hub and chains; exit 1 when something is missing or differs",
    "govdata dao check --from https://hub.example.org/graphql --rps 1",
  )
    .addOption(new Option("--from <url>", "the hub's GraphQL address").env("GOVDATA_FROM"))
    .option("--rps <n>", "requests a second to each (default 1)")
    .addHelpText("after", LIVE_SOURCES_HELP)
    .action(async (flags: { from?: string; rps?: string }, self: Command) => {
      const context = contextOf(self, process);
      const { checkLiveDaos } = await import("../../upkeep/dao-check.ts");
      const checks = await checkLiveDaos(
        context.settings,
        {
          hubUrl: flags.from,
          hubKey: process.environment["GOVDATA_HUB_KEY"],
          // A variable that is set to nothing names no node.
          rpcUrlOf: (chainId) => process.environment[`GOVDATA_RPC_${chainId}`] || undefined,
          pace: {
            requestsPerMinute: flags.rps === undefined ? undefined : 60 * parseRate("--rps", flags.rps),
          },
        },
        context.effects,
      );
      context.print(formatChecks(checks, context.columns), checks);
      process.exitWith(exitOf(checks));
    });
}

/** `govdata dao list|check` */
export function daoCommand(process: ProcessContext): Command {
  const list = describedCommand(
    "list",
    "the DAOs of the registry",
    "govdata dao list --json | jq -r '.[].spaceId'",
  ).action((_flags, self: Command) => {
    const context = contextOf(self, process);
    const { daos } = readRegistry(context.settings);
    context.print(formatDaos(daos, context.columns), daos);
  });
  return describedCommand("dao", "the DAOs that are tracked", "govdata dao list --json")
    .addCommand(list)
    .addCommand(checkCommand(process));
}
