import type { Command } from "commander";
import { PipelineError } from "../../base/pipeline-error.ts";
import { runDiff } from "../../run/diff.ts";
import { contextOf, describedCommand, type ProcessContext } from "../command-context.ts";
import { formatDiff } from "../format-diff.ts";

const POINTS_MAX = 10;

/** `--min-delta`: points of the gvs. Throws `PipelineError` BAD_OPTION. */
function parsePoints(text: string): number {
  const value = /^\d{1,2}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
  if (value <= POINTS_MAX) return value;
  throw new PipelineError("BAD_OPTION", `--min-delta "${text}" is not a number from 0 to ${POINTS_MAX}`);
}

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
      const diff = await runDiff(context.settings, { from, to, minDelta: parsePoints(flags.minDelta) });
      context.print(formatDiff(diff), diff);
    });
}
