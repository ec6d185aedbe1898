import type { Command } from "commander";
import { runPublish } from "../../stages/run.ts";
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
import { EXIT } from "../terminal/exit-codes.ts";

/** `govdata publish --as-of T --to ADDRESS` */
export function publishCommand(process: ProcessContext): Command {
  const command = describedCommand(
    "publish",
    "compute, check and publish what the warehouse holds",
    "govdata publish --as-of 2026-04-28",
  );
  const withOptions = addThreadsOption(addUploadOption(addPublishOptions(command)));
  return withOptions.action(async (flags: PublishFlags & UploadFlags, self: Command) => {
    const context = contextOf(self, process);
    const options = publishOptionsOf(flags, process.nowMs);
    const { settings, effects } = context;
    const result = await withUpload(settings, destinationOf(flags, process), effects, () =>
      runPublish(settings, options, effects),
    );
    if (context.isVerbose) context.terminal.err(formatStages(result.stages));
    context.print(`${formatPublished(result)}${formatUploaded(result.uploaded)}`, result);
    if (result.daosFailed.length > 0 || result.uploaded?.kind === "failed") process.exitWith(EXIT.partial);
  });
}
