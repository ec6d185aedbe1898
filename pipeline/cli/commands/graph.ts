import type { Command } from "commander";
import { drawGraph, runGraph } from "../../run/graph.ts";
import { DELEGATE_LIMIT_MAX } from "../../run/words.ts";
import { contextOf, describedCommand, type ProcessContext } from "../command-context.ts";
import { formatGraph } from "../format-graph.ts";
import { parseWhole } from "../parse-options.ts";

interface GraphFlags {
  readonly version?: string;
  readonly limit: string;
  readonly svg?: boolean;
}

/** `govdata graph SPACE --version V --limit N --svg` */
export function graphCommand(process: ProcessContext): Command {
  return describedCommand(
    "graph",
    "who delegates to whom in one DAO, with what power",
    "govdata graph nouns.eth --limit 5\n  govdata graph nouns.eth --svg > graph.svg",
  )
    .argument("<space>")
    .option("--version <name>", "a kept version, or `previous` (default: the current one)")
    .option("--limit <n>", "delegates in the table", "20")
    .option("--svg", "print a picture of the strongest instead")
    .action(async (spaceId: string, flags: GraphFlags, self: Command) => {
      const context = contextOf(self, process);
      const limit = parseWhole("--limit", flags.limit, 1, DELEGATE_LIMIT_MAX);
      const graph = await runGraph(
        context.settings,
        { spaceId, version: flags.version },
        { progress: context.effects.progress },
      );
      const text = flags.svg === true ? await drawGraph(graph) : formatGraph(graph, limit, context.columns);
      context.print(text, graph);
    });
}
