import type { Command } from "commander";
import { runFetch } from "../../run/fetch.ts";
import { contextOf, describedCommand, type ExitWith, type ProcessContext } from "../command-context.ts";
import { EXIT } from "../exit-codes.ts";
import { formatFetches } from "../format-fetches.ts";
import { addThreadsOption } from "../threads-option.ts";
import { addSourceOptions, fetchOptionsOf, type SourceFlags } from "./source-options.ts";

/** `govdata fetch [space...]` */
export function fetchCommand(process: ProcessContext, exitWith: ExitWith): Command {
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
      if (failedCount > 0) exitWith(EXIT.partial);
    },
  );
}
