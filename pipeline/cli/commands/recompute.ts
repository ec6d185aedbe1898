import type { Command } from "commander";
import { runRecompute } from "../../run/recompute.ts";
import { contextOf, describedCommand, type ExitWith, type ProcessContext } from "../command-context.ts";
import { EXIT } from "../exit-codes.ts";
import { formatRecomputed } from "../format-recomputed.ts";

/** `govdata recompute [version]` */
export function recomputeCommand(process: ProcessContext, exitWith: ExitWith): Command {
  return describedCommand(
    "recompute",
    "derive every published score again from the published evidence alone; exit 1 on any difference",
    "govdata recompute\n  govdata recompute previous --json | jq '.differences[]'",
  )
    .argument("[version]", "a kept version, or `previous` (default: the current one)")
    .action(async (version: string | undefined, _flags: unknown, self: Command) => {
      const context = contextOf(self, process);
      const result = await runRecompute(context.settings, version);
      context.print(formatRecomputed(result), result);
      if (result.problems.length + result.differences.length > 0) exitWith(EXIT.failed);
    });
}
