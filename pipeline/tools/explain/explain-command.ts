import { Option } from "commander";
import { COMPONENT_KEYS, type ComponentKey } from "../../../snapshots/format/value-sets.ts";
import { type CommandContext, command } from "../../cli/options/command-context.ts";
import { parseAsOf } from "../../cli/options/parse-options.ts";
import { pipelineFailure } from "../../facts/errors.ts";
import { versionOption } from "../tool-options.ts";

interface ExplainFlags {
  readonly component?: ComponentKey;
  readonly version?: string;
  readonly asOf?: string;
}

export const explainCommand = command({
  name: "explain",
  description: "explain the score of a DAO from published files",
  details:
    "Prints the components, their indicators, the proposals that move the score, what was left out, and how certain the score is.",
  example:
    "govdata explain aave.eth --component dei\n  govdata explain aave.eth --as-of 2026-04-28 --json | jq .evidence.frame",
  takes: (made) =>
    made
      .argument("<space>")
      .addOption(new Option("--component <key>", "only one of the four components").choices(COMPONENT_KEYS))
      .addOption(versionOption())
      .option("--as-of <moment>", "the version of this day or UTC moment, or the one current at the time"),
  async run({ settings, nowMs }: CommandContext, spaceId: string, flags: ExplainFlags) {
    const { component, version, asOf } = flags;
    if (version !== undefined && asOf !== undefined) {
      throw pipelineFailure("BAD_OPTION", "--version and --as-of both select a version", {
        hint: "Use one of them.",
      });
    }
    const asOfMs = asOf === undefined ? undefined : parseAsOf(asOf, nowMs());
    const { runExplain } = await import("./explain.ts");
    return runExplain(settings, { spaceId, component, version, asOfMs });
  },
  text: async ({ story }) => (await import("./format-story.ts")).formatStory(story),
  json: ({ published }) => published,
});
