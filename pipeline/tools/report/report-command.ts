import { type CommandContext, command } from "../../cli/options/command-context.ts";
import { pipelineFailure } from "../../facts/errors.ts";

export const reportCommand = command({
  name: "report",
  description: "write the current version as web pages that need no server",
  details:
    "Each chart comes with its data (CSV) and its picture (SVG). Without --full the pages show what a Free caller of the API may see.",
  example: "govdata report -o report\n  govdata report -o report-for-us --full",
  takes: (made) =>
    made
      .requiredOption("-o, --output <dir>", "a new or empty folder, or a report to replace")
      .option("--full", "include risk, history, proposals and entities, which Free callers do not get"),
  async run({ settings, effects }: CommandContext, { output, full }: { output: string; full?: boolean }) {
    if (output === "") throw pipelineFailure("BAD_OPTION", "--output must name a folder");
    const { runReport } = await import("./report.ts");
    return runReport(settings, output, full === true, effects);
  },
  text: ({ files, version, isFull }, _context, { output }) =>
    `${files} files of ${isFull ? "the full" : "the open"} report on ${version}; open ${output}/index.html\n`,
});
