import { formatCount } from "../../../snapshots/base/command-line/table.ts";
import { type CommandContext, command } from "../../cli/options/command-context.ts";
import { EXIT } from "../../cli/terminal/exit-codes.ts";
import type { RecomputeResult } from "./run-recompute.ts";

/** Differences listed; the others are counted. `--json` has all. */
const LISTED_MAX = 50;

const shown = (value: unknown): string => (value === undefined ? "nothing" : JSON.stringify(value));

function formatDifference({ path, published, recomputed }: RecomputeResult["differences"][number]): string {
  return `${path}\n  published  ${shown(published)}\n  recomputed ${shown(recomputed)}\n`;
}

function formatRecomputed(result: RecomputeResult): string {
  const { version, problems, differences, numbers, daos } = result;
  if (problems.length > 0) {
    const lines = problems.map(({ code, message }) => `${code} ${message}\n`).join("");
    return `${lines}${version} is damaged: nothing was recomputed\n`;
  }
  const listed = differences.slice(0, LISTED_MAX).map(formatDifference).join("");
  const more = differences.length > LISTED_MAX ? `and ${differences.length - LISTED_MAX} more\n` : "";
  return `${listed}${more}${formatCount(differences.length, "difference")} in ${numbers.toLocaleString("en")} numbers of ${formatCount(daos, "DAO")}\n`;
}

export const recomputeCommand = command({
  name: "recompute",
  description: "derive every published score again from the evidence; exit 1 on any difference",
  details:
    "Reads published files only. The identity of delegates and entities cannot be recomputed; `verify --deep` checks those documents against each other.",
  example: "govdata recompute\n  govdata recompute previous --json | jq '.differences[]'",
  takes: (made) => made.argument("[version]", "a kept version, or `previous` (default: the current one)"),
  run: async ({ settings }: CommandContext, version: string | undefined) =>
    (await import("./run-recompute.ts")).runRecompute(settings, version),
  text: formatRecomputed,
  exit: ({ problems, differences }) => (problems.length + differences.length > 0 ? EXIT.failed : EXIT.done),
});
