import { basename } from "node:path";
import { formatBytes, formatCount } from "../../../snapshots/base/command-line/table.ts";
import { type CommandContext, command } from "../../cli/options/command-context.ts";
import { parseNumber, parseWhole } from "../../cli/options/parse-options.ts";
import { type OutputFlags, outputFile, parseBaseUrl } from "../tool-options.ts";

interface FeedFlags extends OutputFlags {
  readonly baseUrl?: string;
  readonly minDelta: string;
  readonly steps: string;
}

const STEPS_MAX = 1000;

export const feedCommand = command({
  name: "feed",
  description: "print an Atom feed of the scores that moved between versions",
  details: "Lists who moved, who gained or lost a score, and which DAOs are new or gone.",
  example:
    "govdata feed > feed.xml\n  govdata feed --base-url https://dao.example.org/report/ -o report/feed.xml --force",
  takes: (made) =>
    made
      .option("--base-url <url>", "web address of feed.xml and the report's pages (default: relative links)")
      .option("--min-delta <points>", "only DAOs whose gvs moved by at least this many points", "0.1")
      .option("--steps <n>", "how many steps between kept versions, newest first", "30")
      .option("-o, --output <file>", "write to a file, atomically (default: stdout)")
      .option("--force", "replace an existing file"),
  async run(context: CommandContext, flags: FeedFlags) {
    const { baseUrl, minDelta, steps, output = "" } = flags;
    const { runFeed } = await import("./feed.ts");
    const { text, written, why, ...json } = await runFeed(context.settings, {
      stepsMax: parseWhole("--steps", steps, 1, STEPS_MAX),
      minDelta: parseNumber("--min-delta", minDelta, 0, 10),
      baseUrl: baseUrl === undefined ? undefined : parseBaseUrl("--base-url", baseUrl),
      file: outputFile(context, flags),
    });
    if (why !== undefined && !context.isQuiet) context.terminal.err(`${why}\n`);
    if (written === undefined) return { text, json };
    const wrote = `wrote ${output}: ${formatCount(json.moves.length, "move")}, ${formatBytes(written.bytes)}\n`;
    return { text: wrote, json: { file: basename(output), ...written, ...json } };
  },
  text: ({ text }) => text,
  json: ({ json }) => json,
});
