import { type CommandContext, command } from "../options/command-context.ts";
import {
  formatUploaded,
  publishedExit,
  publishing,
  type UploadFlags,
  uploadOption,
} from "../options/destination.ts";
import {
  addPublishOptions,
  formatPublished,
  formatStages,
  type PublishFlags,
  publishOptionsOf,
} from "../options/publish-options.ts";
import { SETTINGS } from "../options/settings.ts";

export const publishCommand = command({
  name: "publish",
  description: "score, check and publish what the warehouse holds",
  details:
    "With --to the version is then uploaded; exit code 3 if it is published here but was not uploaded.",
  example: "govdata publish --as-of 2026-04-28",
  takes: (made) =>
    addPublishOptions(made).addOption(uploadOption()).addOption(SETTINGS.option("GOVDATA_THREADS")),
  async run(context: CommandContext, flags: PublishFlags & UploadFlags) {
    const options = publishOptionsOf(flags, context);
    const { runPublish } = await import("../../stages/run.ts");
    const result = await publishing(context, flags, () =>
      runPublish(context.settings, options, context.effects),
    );
    if (context.isVerbose) context.terminal.err(formatStages(result.stages));
    return result;
  },
  text: (result) => `${formatPublished(result)}${formatUploaded(result.uploaded)}`,
  exit: ({ daosFailed, uploaded }) => publishedExit(uploaded, daosFailed.length),
});
