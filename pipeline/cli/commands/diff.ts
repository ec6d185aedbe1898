import type { Command } from "commander";
import { runDiff } from "../../run/diff.ts";
import { contextOf, describedCommand, type ProcessContext } from "../command-context.ts";
import { formatDiff } from "../format-diff.ts";
import { parsePoints } from "../parse-options.ts";

/** `govdata diff A B --min-delta X` */
export function diffCommand(process: ProcessContext): Command {
  return describedCommand(
    "diff",
    "which scores moved between two versions, by how much, and why",
    "govdata diff previous current --min-delta 0.1\n  govdata diff previous current --json | jq '.daos[].spaceId'",
  )
    .argument("<from>", "a kept version, or `previous`")
    .argument("<to>", "a kept version, or `current`")
    .option("--min-delta <points>", "only DAOs whose gvs moved by at least this much", "0")
    .action(async (from: string, to: string, flags: { minDelta: string }, self: Command) => {
      const context = contextOf(self, process);
      const diff = await runDiff(context.settings, {
        from,
        to,
        minDelta: parsePoints("--min-delta", flags.minDelta),
      });
      context.print(formatDiff(diff), diff);
    });
}
