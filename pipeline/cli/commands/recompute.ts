import type { Command } from "commander";
import { type RecomputeResult, runRecompute } from "../../readers/recompute/recompute.ts";
import { contextOf, describedCommand, type ProcessContext } from "../options/command-context.ts";
import { EXIT } from "../terminal/exit-codes.ts";
import { formatCount } from "../terminal/table.ts";

/** More than this many are counted, not listed; `--json` has all. */
const LISTED_MAX = 50;

const shown = (value: unknown): string => (value === undefined ? "nothing" : JSON.stringify(value));

function formatDifference({ path, published, recomputed }: RecomputeResult["differences"][number]): string {
  return `${path}\n  published ${shown(published)}\n  derived   ${shown(recomputed)}\n`;
}

/** Each difference with both values, and the verdict in the last line. */
function formatRecomputed(result: RecomputeResult): string {
  const { version, problems, differences, numbers, daos } = result;
  if (problems.length > 0) {
    const found = problems.map(({ code, message }) => `${code} ${message}\n`).join("");
    return `${found}${version} is not whole: nothing was derived from it\n`;
  }
  const listed = differences.slice(0, LISTED_MAX).map(formatDifference).join("");
  const more = differences.length > LISTED_MAX ? `and ${differences.length - LISTED_MAX} more\n` : "";
  return `${listed}${more}${formatCount(differences.length, "difference")} in ${numbers.toLocaleString("en")} numbers of ${formatCount(daos, "DAO")}\n`;
}

/** `govdata recompute [version]` */
export function recomputeCommand(process: ProcessContext): Command {
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
      if (result.problems.length + result.differences.length > 0) process.exitWith(EXIT.failed);
    });
}
