import { type Command, Option } from "commander";
import { PipelineError } from "../../base/pipeline-error.ts";
import { type FetchOptions, SOURCE_IDS } from "../../run/fetch.ts";
import { parseWord } from "../parse-options.ts";

/** The options of `fetch` and `run` as commander gives them. */
export interface SourceFlags {
  readonly source: string;
  readonly from?: string;
}

/** Adds the options that say where to fetch from. */
export function addSourceOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--source <name>", `where to fetch from: ${SOURCE_IDS.join(", ")}`)
        .env("GOVDATA_SOURCE")
        .default("archive"),
    )
    .addOption(new Option("--from <dir>", "folder of the unpacked archive").env("GOVDATA_FROM"));
}

/** Reads them; throws `PipelineError` BAD_OPTION. */
export function fetchOptionsOf(flags: SourceFlags, spaceIds: readonly string[]): FetchOptions {
  const source = parseWord("--source", flags.source, SOURCE_IDS);
  if (flags.from === undefined || flags.from === "") {
    throw new PipelineError("BAD_OPTION", `--source ${source} needs --from`, {
      hint: "Example: govdata fetch --source archive --from ./archive",
    });
  }
  return { source, from: flags.from, spaceIds };
}
