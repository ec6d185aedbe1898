import type { Command } from "commander";
import { type FetchSummary, runFetch } from "../../stages/fetch.ts";
import { contextOf, describedCommand, type ProcessContext } from "../options/command-context.ts";
import { addThreadsOption } from "../options/parse-options.ts";
import { addSourceOptions, fetchOptionsOf, type SourceFlags } from "../options/source-options.ts";
import { EXIT } from "../terminal/exit-codes.ts";
import { formatTable } from "../terminal/table.ts";

const rejectedCount = (record: FetchSummary): number =>
  Object.values(record.rejected).reduce((sum, count) => sum + count, 0);

/** What was fetched, a line per DAO; a failed one with its reason below the table. */
function formatFetches(records: readonly FetchSummary[], columns?: number): string {
  const table = formatTable<FetchSummary>(
    [
      { heading: "space", of: (record) => record.spaceId },
      { heading: "status", of: (record) => record.status },
      { heading: "proposals", of: (record) => String(record.proposals), align: "right" },
      { heading: "votes", of: (record) => String(record.votes), align: "right" },
      { heading: "lists", of: (record) => String(record.delegateLists), align: "right", fit: "drop" },
      { heading: "logs", of: (record) => String(record.logs), align: "right", fit: "drop" },
      { heading: "rejected", of: (record) => String(rejectedCount(record)), align: "right" },
    ],
    records,
    columns,
  );
  const failures = records.flatMap(({ spaceId, error }) =>
    error === undefined ? [] : [`${spaceId}: ${error.code} ${error.message}\n`],
  );
  return `${table}${failures.length === 0 ? "" : "\n"}${failures.join("")}`;
}

/** `govdata fetch [space...]` */
export function fetchCommand(process: ProcessContext): Command {
  const command = describedCommand(
    "fetch",
    "fill the warehouse; publishes nothing",
    "govdata fetch --source archive --from ./archive",
  ).argument("[space...]", "DAOs to fetch (default: all of the registry)");
  return addThreadsOption(addSourceOptions(command)).action(
    async (spaceIds: string[], flags: SourceFlags, self: Command) => {
      const context = contextOf(self, process);
      const { records, failedCount } = await runFetch(
        context.settings,
        fetchOptionsOf(flags, spaceIds, process.environment),
        context.effects,
      );
      context.print(formatFetches(records, context.columns), records);
      if (failedCount > 0) process.exitWith(EXIT.partial);
    },
  );
}
