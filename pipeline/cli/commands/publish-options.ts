import { type Command, Option } from "commander";
import { OVERRIDES, type PublishOptions, type PublishResult } from "../../run/publish.ts";
import { type AsOfFlags, addAsOfOption, asOfMsOf } from "./as-of-option.ts";

/** The options of `publish` and `run` as commander gives them. */
export interface PublishFlags extends AsOfFlags {
  readonly allow?: PublishOptions["overrides"];
}

/** Adds the options that publishing has. */
export function addPublishOptions(command: Command): Command {
  return addAsOfOption(command).addOption(
    new Option("--allow <gates...>", "publish although these gates refuse").choices([...OVERRIDES]),
  );
}

/** Reads them; throws `PipelineError` BAD_OPTION. */
export function publishOptionsOf(flags: PublishFlags, nowMs: () => number): PublishOptions {
  return { asOfMs: asOfMsOf(flags, nowMs), overrides: flags.allow ?? [] };
}

/** What was published, in words. */
export function formatPublished(result: PublishResult): string {
  const lines = [
    `published ${result.version} (sequence ${result.sequence}), as of ${result.asOf}`,
    `${result.daosScored} DAOs scored, ${result.daosUnscored} unscored; ${result.filesWritten} files written, ${result.filesLinked} linked`,
    ...result.findings.map(({ severity, code, message }) => `${severity} ${code}: ${message}`),
    ...result.daosFailed.map(
      (spaceId) => `${spaceId} failed when it was last fetched; what was known of it before is published`,
    ),
  ];
  return `${lines.join("\n")}\n`;
}
