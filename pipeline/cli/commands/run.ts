import type { Command } from "commander";
import { runAll } from "../../stages/run.ts";
import { withUpload } from "../../upkeep/transfer.ts";
import { contextOf, describedCommand, type ProcessContext } from "../options/command-context.ts";
import { addUploadOption, destinationOf, formatUploaded, type UploadFlags } from "../options/destination.ts";
import { addThreadsOption } from "../options/parse-options.ts";
import {
  addPublishOptions,
  formatPublished,
  formatStages,
  type PublishFlags,
  publishOptionsOf,
} from "../options/publish-options.ts";
import { addSourceOptions, fetchOptionsOf, type SourceFlags } from "../options/source-options.ts";
import { EXIT } from "../terminal/exit-codes.ts";

/** `govdata run`: what cron calls. */
export function runCommand(process: ProcessContext): Command {
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
    const result = await withUpload(settings, destinationOf(flags, process), effects, () =>
      runAll(settings, options, effects),
    );
    if (context.isVerbose) context.terminal.err(formatStages(result.published.stages));
    context.print(`${formatPublished(result.published)}${formatUploaded(result.uploaded)}`, result);
    const failedCount = result.fetched.failedCount + result.published.daosFailed.length;
    if (failedCount > 0 || result.uploaded?.kind === "failed") process.exitWith(EXIT.partial);
  });
}
