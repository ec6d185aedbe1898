import { formatTable, right } from "../../../snapshots/base/command-line/table.ts";
import type { FetchResult } from "../../stages/fetch.ts";
import { type CommandContext, command } from "../options/command-context.ts";
import { SETTINGS } from "../options/settings.ts";
import { addSourceOptions, fetchOptionsOf, type SourceFlags } from "../options/source-options.ts";
import { EXIT } from "../terminal/exit-codes.ts";

function formatFetches({ records }: FetchResult, { columns }: CommandContext): string {
  const table = formatTable(
    records,
    [
      { heading: "space", cell: (record) => record.spaceId },
      { heading: "status", cell: (record) => record.status },
      right("proposals", (record) => String(record.proposals)),
      right("votes", (record) => String(record.votes)),
      right("lists", (record) => String(record.delegateLists), "drop"),
      right("logs", (record) => String(record.logs), "drop"),
      right("rejected", ({ rejected }) =>
        String(Object.values(rejected).reduce((sum, count) => sum + count, 0)),
      ),
    ],
    columns,
  );
  const failures = records.flatMap(({ spaceId, error }) =>
    error === undefined ? [] : [`${spaceId}: ${error.code} ${error.message}\n`],
  );
  return `${table}${failures.length === 0 ? "" : "\n"}${failures.join("")}`;
}

export const fetchCommand = command({
  name: "fetch",
  description: "fetch data into the warehouse; publish nothing",
  example: "govdata fetch --source archive --from ./archive",
  takes: (made) =>
    addSourceOptions(made.argument("[space...]", "DAOs to fetch (default: all of the registry)")).addOption(
      SETTINGS.option("GOVDATA_THREADS"),
    ),
  async run({ settings, effects, environment }: CommandContext, spaceIds: string[], flags: SourceFlags) {
    const options = fetchOptionsOf(flags, spaceIds, environment);
    return (await import("../../stages/fetch.ts")).runFetch(settings, options, effects);
  },
  text: formatFetches,
  json: ({ records }) => records,
  exit: ({ failedCount }) => (failedCount > 0 ? EXIT.partial : EXIT.done),
});
