import { formatBytes, formatCount } from "../../../snapshots/base/command-line/table.ts";
import { DAY_MS } from "../../../snapshots/base/days.ts";
import type { PruneResult } from "../../upkeep/versions.ts";
import { type CommandContext, command } from "../options/command-context.ts";
import { parseAgeDays } from "../options/parse-options.ts";

function formatPruned({ removed, kept, freedBytes, isDryRun }: PruneResult & { isDryRun: boolean }): string {
  const lines = removed.map((version) => `${isDryRun ? "would delete" : "deleted"} ${version}`);
  const end = `${formatCount(removed.length, "version")}, ${formatBytes(freedBytes)}; ${kept.length} kept`;
  return `${[...lines, end].join("\n")}\n`;
}

export const pruneCommand = command({
  name: "prune",
  description:
    "delete old versions, but never the current one, the newest three or those of the last 15 minutes",
  example: "govdata prune --keep 90d --dry-run",
  takes: (made) =>
    made
      .option("--keep <age>", "delete versions older than this", "400d")
      .option("--dry-run", "only print what would be deleted"),
  async run({ settings, nowMs }: CommandContext, { keep, dryRun }: { keep: string; dryRun?: boolean }) {
    const isDryRun = dryRun === true;
    const keptAgeMs = parseAgeDays("--keep", keep) * DAY_MS;
    const { runPrune } = await import("../../upkeep/versions.ts");
    return { ...(await runPrune(settings, { keptAgeMs, nowMs: nowMs(), isDryRun })), isDryRun };
  },
  text: formatPruned,
});
