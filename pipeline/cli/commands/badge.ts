import type { Command } from "commander";
import { runBadge } from "../../readers/show/badge.ts";
import { contextOf, describedCommand, type ProcessContext } from "../options/command-context.ts";

/** `govdata badge SPACE --shields` */
export function badgeCommand(process: ProcessContext): Command {
  return describedCommand(
    "badge",
    "draw the score of one DAO as a small SVG",
    "govdata badge SPACE > badge.svg\n  govdata badge SPACE --shields > badge.json",
  )
    .argument("<space>")
    .option("--shields", "print what an endpoint badge of shields.io asks for, as does --json")
    .action(async (spaceId: string, flags: { shields?: boolean }, self: Command) => {
      const context = contextOf(self, process);
      const { shields, svg } = await runBadge(context.settings, spaceId);
      context.print(flags.shields === true ? `${JSON.stringify(shields)}\n` : svg, shields);
    });
}
