import { LISTING_ROWS_PER_CUT } from "../../../snapshots/format/limits.ts";
import { type CommandContext, command } from "../../cli/options/command-context.ts";
import { parseWhole } from "../../cli/options/parse-options.ts";
import { versionOption } from "../tool-options.ts";

interface GraphFlags {
  readonly version?: string;
  readonly limit: string;
  readonly svg?: boolean;
}

export const graphCommand = command({
  name: "graph",
  description: "print who delegates to whom in a DAO, and how much power",
  example: "govdata graph nouns.eth --limit 5\n  govdata graph nouns.eth --svg > graph.svg",
  takes: (made) =>
    made
      .argument("<space>")
      .addOption(versionOption())
      .option("--limit <n>", "number of delegates", "20")
      .option("--svg", "print a picture of the strongest delegations instead"),
  async run({ settings, effects, columns }: CommandContext, spaceId: string, flags: GraphFlags) {
    const limit = parseWhole("--limit", flags.limit, 1, LISTING_ROWS_PER_CUT);
    const { formatGraph, runGraph } = await import("./graph.ts");
    const graph = await runGraph(settings, { spaceId, version: flags.version }, effects);
    if (flags.svg !== true) {
      return { graph, text: formatGraph(graph, limit, columns) };
    }
    const { graphPicture } = await import("./graph-picture.ts");
    return { graph, text: await graphPicture(graph) };
  },
  text: ({ text }) => text,
  json: ({ graph }) => graph,
});
