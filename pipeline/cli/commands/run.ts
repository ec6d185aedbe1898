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
import { addSourceOptions, fetchOptionsOf, type SourceFlags } from "../options/source-options.ts";

export const runCommand = command({
  name: "run",
  description: "fetch, score, check and publish: the command for cron",
  example: "govdata run --source archive --from ./archive --as-of 2026-04-28",
  takes: (made) =>
    addPublishOptions(addSourceOptions(made))
      .addOption(uploadOption())
      .addOption(SETTINGS.option("GOVDATA_THREADS")),
  async run(context: CommandContext, flags: SourceFlags & PublishFlags & UploadFlags) {
    const options = {
      fetch: fetchOptionsOf(flags, [], context.environment),
      publish: { ...publishOptionsOf(flags, context), isFull: flags.full === true },
    };
    const { runAll } = await import("../../stages/run.ts");
    const result = await publishing(context, flags, () => runAll(context.settings, options, context.effects));
    if (context.isVerbose) context.terminal.err(formatStages(result.published.stages));
    return result;
  },
  text: ({ published, uploaded }) => `${formatPublished(published)}${formatUploaded(uploaded)}`,
  exit: ({ fetched, published, uploaded }) =>
    publishedExit(uploaded, fetched.failedCount + published.daosFailed.length),
});
