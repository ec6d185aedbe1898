import type { Command } from "commander";
import { runPublish } from "../../run/publish.ts";
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

/** `govdata publish --as-of T` */
export function publishCommand(process: ProcessContext, exitWith: ExitWith): Command {
  const command = describedCommand(
    "publish",
    "compute, check and publish what the warehouse holds",
    "govdata publish --as-of 2026-04-28",
  );
  return addThreadsOption(addPublishOptions(command)).action(async (flags: PublishFlags, self: Command) => {
    const context = contextOf(self, process);
    const options = publishOptionsOf(flags, process.nowMs);
    const result = await runPublish(context.settings, options, context.effects);
    if (context.isVerbose) context.terminal.err(formatStages(result.stages));
    context.print(formatPublished(result), result);
    if (result.daosFailed.length > 0) exitWith(EXIT.partial);
  });
}
