import type { Command } from "commander";
import { runCompute } from "../../run/compute.ts";
import { contextOf, describedCommand, type ProcessContext } from "../command-context.ts";
import { formatComputed } from "../format-computed.ts";
import { addThreadsOption } from "../threads-option.ts";
import { type AsOfFlags, addAsOfOption, asOfMsOf } from "./as-of-option.ts";

/** `govdata compute [space...] --as-of T` */
export function computeCommand(process: ProcessContext): Command {
  const command = describedCommand(
    "compute",
    "print scores and gate findings; publishes nothing",
    "govdata compute --as-of 2026-04-28",
  ).argument("[space...]", "DAOs to score (default: all, with gate findings)");
  return addThreadsOption(addAsOfOption(command)).action(
    async (spaceIds: string[], flags: AsOfFlags, self: Command) => {
      const context = contextOf(self, process);
      const result = await runCompute(
        context.settings,
        { asOfMs: asOfMsOf(flags, process.nowMs), spaceIds },
        context.effects,
      );
      context.print(formatComputed(result, context.columns), result);
    },
  );
}
