import type { Command } from "commander";
import { runPublish } from "../../run/publish.ts";
import { publishedAt } from "../../run/push-after.ts";
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
import { addUploadOption, destinationOf, formatUploaded, type UploadFlags } from "./upload-option.ts";

/** `govdata publish --as-of T --to ADDRESS` */
export function publishCommand(process: ProcessContext, exitWith: ExitWith): Command {
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
    const result = await publishedAt(settings, destinationOf(flags, process), effects, () =>
      runPublish(settings, options, effects),
    );
    if (context.isVerbose) context.terminal.err(formatStages(result.stages));
    context.print(`${formatPublished(result)}${formatUploaded(result.uploaded)}`, result);
    if (result.daosFailed.length > 0 || result.uploaded?.kind === "failed") exitWith(EXIT.partial);
  });
}
