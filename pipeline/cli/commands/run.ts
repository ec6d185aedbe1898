import type { Command } from "commander";
import { publishedAt } from "../../run/push-after.ts";
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
import { addUploadOption, destinationOf, formatUploaded, type UploadFlags } from "./upload-option.ts";

/** `govdata run`: what cron calls. */
export function runCommand(process: ProcessContext, exitWith: ExitWith): Command {
  const command = describedCommand(
    "run",
    "fetch, compute, check and publish: what cron calls",
    "govdata run --source archive --from ./archive --as-of 2026-04-28",
  );
  const withOptions = addThreadsOption(addUploadOption(addPublishOptions(addSourceOptions(command))));
  return withOptions.action(async (flags: SourceFlags & PublishFlags & UploadFlags, self: Command) => {
    const context = contextOf(self, process);
    const { settings, effects } = context;
    const options = {
      fetch: fetchOptionsOf(flags, [], process.environment),
      publish: publishOptionsOf(flags, process.nowMs),
    };
    const result = await publishedAt(settings, destinationOf(flags, process), effects, () =>
      runAll(settings, options, effects),
    );
    if (context.isVerbose) context.terminal.err(formatStages(result.published.stages));
    context.print(`${formatPublished(result.published)}${formatUploaded(result.uploaded)}`, result);
    const failedCount = result.fetched.failedCount + result.published.daosFailed.length;
    if (failedCount > 0 || result.uploaded?.kind === "failed") exitWith(EXIT.partial);
  });
}
