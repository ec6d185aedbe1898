import type { Command } from "commander";
import { runAll } from "../../run/run.ts";
import { contextOf, describedCommand, type ExitWith, type ProcessContext } from "../command-context.ts";
import { EXIT } from "../exit-codes.ts";
import { formatStages } from "../format-stages.ts";
import { addThreadsOption } from "../threads-option.ts";
import {
  addPublishOptions,
  formatPublished,
  type PublishFlags,
  publishOptionsOf,
} from "./publish-options.ts";
import { addSourceOptions, fetchOptionsOf, type SourceFlags } from "./source-options.ts";

/** `govdata run`: what cron calls. */
export function runCommand(process: ProcessContext, exitWith: ExitWith): Command {
  const command = describedCommand(
    "run",
    "fetch, compute, check and publish: what cron calls",
    "govdata run --source archive --from ./archive --as-of 2026-04-28",
  );
  return addThreadsOption(addPublishOptions(addSourceOptions(command))).action(
    async (flags: SourceFlags & PublishFlags, self: Command) => {
      const context = contextOf(self, process);
      const result = await runAll(
        context.settings,
        {
          fetch: fetchOptionsOf(flags, [], process.environment),
          publish: publishOptionsOf(flags, process.nowMs),
        },
        context.effects,
      );
      if (context.isVerbose) context.terminal.err(formatStages(result.published.stages));
      context.print(formatPublished(result.published), result);
      if (result.fetched.failedCount + result.published.daosFailed.length > 0) exitWith(EXIT.partial);
    },
  );
}
