import type { Command } from "commander";
import { type PruneResult, runPrune } from "../../upkeep/versions.ts";
import { contextOf, describedCommand, type ProcessContext } from "../options/command-context.ts";
import { parseAgeDays } from "../options/parse-options.ts";
import { formatBytes, formatCount } from "../terminal/table.ts";

const DAY_MS = 86_400_000;

function formatPruned({ removed, kept, freedBytes }: PruneResult, isDryRun: boolean): string {
  const lines = removed.map((version) => `${isDryRun ? "would delete" : "deleted"} ${version}`);
  const end = `${formatCount(removed.length, "version")}, ${formatBytes(freedBytes)}; ${kept.length} stay`;
  return `${[...lines, end].join("\n")}\n`;
}

/** `govdata prune --keep 400d --dry-run` */
export function pruneCommand(process: ProcessContext): Command {
  return describedCommand(
    "prune",
    "delete old versions; the current one, the newest three and those of the last 15 minutes stay",
    "govdata prune --keep 90d --dry-run",
  )
    .option("--keep <age>", "how old a version may grow, in days", "400d")
    .option("--dry-run", "only say what would go")
    .action(async (flags: { keep: string; dryRun?: boolean }, self: Command) => {
      const context = contextOf(self, process);
      const isDryRun = flags.dryRun === true;
      const keptAgeMs = parseAgeDays("--keep", flags.keep) * DAY_MS;
      const result = await runPrune(context.settings, { keptAgeMs, nowMs: process.nowMs(), isDryRun });
      context.print(formatPruned(result, isDryRun), { ...result, isDryRun });
    });
}
