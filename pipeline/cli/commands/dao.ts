import { formatTable } from "../../../snapshots/base/command-line/table.ts";
import { PUBLIC_HUB_URL } from "../../facts/source-table.ts";
import type { DaoCheck } from "../../upkeep/check-sources.ts";
import { type CommandContext, command, commandGroup } from "../options/command-context.ts";
import { SETTINGS } from "../options/settings.ts";
import { LIVE_SOURCES_HELP, requestsPerMinuteOf } from "../options/source-options.ts";
import { EXIT } from "../terminal/exit-codes.ts";

/** A different name is not a fault; missing or different data is, and so is a source that does not answer. */
function exitOf(checks: readonly DaoCheck[]): number {
  const count = (...wanted: readonly DaoCheck["status"][]) =>
    checks.filter(({ status }) => wanted.includes(status)).length;
  const faults = count("missing", "differs", "failed");
  if (count("failed") > 0 && count("failed", "not-checked") === checks.length) return EXIT.nothingFetched;
  return faults > 0 ? EXIT.failed : EXIT.done;
}

const checkCommand = command({
  name: "check",
  description: "compare each DAO with live services and chains; exit 1 if anything is missing or differs",
  example: "govdata dao check --rps 1",
  takes: (made) =>
    made
      .addOption(
        SETTINGS.option("GOVDATA_FROM", {
          flag: "--from <url>",
          words: 'GraphQL URL of the hub, or "" to check the chains alone',
        }),
      )
      .addOption(
        SETTINGS.option("GOVDATA_RPS", { words: "requests per second to each source", otherwise: "1" }),
      )
      .addHelpText("after", LIVE_SOURCES_HELP),
  async run({ settings, effects, environment }: CommandContext, flags: { from?: string; rps?: string }) {
    const { checkRegistry } = await import("../../upkeep/check-sources.ts");
    const from = SETTINGS.read("GOVDATA_FROM", environment, flags.from) ?? PUBLIC_HUB_URL;
    const options = {
      hubUrl: from === "" ? undefined : from,
      hubKey: SETTINGS.read("GOVDATA_HUB_KEY", environment),
      onchainUrl: SETTINGS.read("GOVDATA_ONCHAIN_URL", environment),
      rpcUrlOf: (chainId: number) => environment[`GOVDATA_RPC_${chainId}`],
      pace: { requestsPerMinute: requestsPerMinuteOf(flags, environment) },
    };
    return checkRegistry(settings, options, effects);
  },
  text: (checks, { columns }) =>
    formatTable(
      checks,
      [
        { heading: "space", cell: (check) => check.spaceId },
        { heading: "part", cell: ({ part }) => part },
        { heading: "is", cell: ({ status }) => status },
        { heading: "why", cell: ({ detail }) => detail ?? "", fit: "spill" },
      ],
      columns,
    ),
  exit: exitOf,
});

const listCommand = command({
  name: "list",
  description: "list the DAOs of the registry",
  example: "govdata dao list --json | jq -r '.[].spaceId'",
  run: async ({ settings }: CommandContext) =>
    (await import("../../home/read-registry.ts")).readRegistry(settings).daos,
  text: (daos, { columns }) =>
    formatTable(
      daos,
      [
        { heading: "space", cell: (dao) => dao.spaceId },
        { heading: "name", cell: ({ name }) => name },
        { heading: "category", cell: ({ category }) => category },
        {
          heading: "token",
          cell: ({ governor }) => (governor === undefined ? "" : `${governor.chainId}:${governor.token}`),
          fit: "spill",
        },
      ],
      columns,
    ),
});

export const daoCommand = commandGroup(
  { name: "dao", description: "list and check the tracked DAOs", example: "govdata dao list --json" },
  [listCommand, checkCommand],
);
