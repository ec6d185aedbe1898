import type { Command } from "commander";
import { PipelineError } from "../../facts/errors.ts";
import { type ReportResult, runReport } from "../../readers/report/report.ts";
import { contextOf, describedCommand, type ProcessContext } from "../options/command-context.ts";

function formatReport({ files, version, isFull }: ReportResult, directory: string): string {
  return `${files} files of ${isFull ? "a full" : "an open"} report on ${version}; open ${directory}/index.html\n`;
}

/** `govdata report -o DIR --full` */
export function reportCommand(process: ProcessContext): Command {
  return describedCommand(
    "report",
    "write the current version as pages that need no server and no script",
    "govdata report -o report\n  govdata report -o report-for-us --full",
  )
    .requiredOption("-o, --output <dir>", "a new or empty folder, or a report to replace")
    .option(
      "--full",
      "also risk, intervals, history, proposals and entities: what a Free caller does not get",
    )
    .action(async (flags: { output: string; full?: boolean }, self: Command) => {
      const { output: directory, full } = flags;
      if (directory === "") throw new PipelineError("BAD_OPTION", "--output must name a folder");
      const context = contextOf(self, process);
      const result = await runReport(context.settings, directory, full === true, context.effects);
      context.print(formatReport(result, directory), result);
    });
}
