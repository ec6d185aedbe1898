import { type Command, Option } from "commander";
import { PipelineError } from "../../base/pipeline-error.ts";
import { runExplain } from "../../run/explain.ts";
import { COMPONENTS } from "../../run/words.ts";
import { contextOf, describedCommand, type ProcessContext } from "../command-context.ts";
import { formatExplained } from "../format-explained.ts";
import { asOfMsOf } from "./as-of-option.ts";

interface ExplainFlags {
  readonly component?: (typeof COMPONENTS)[number];
  readonly version?: string;
  readonly asOf?: string;
}

/** `govdata explain SPACE --component C --version V | --as-of T` */
export function explainCommand(process: ProcessContext): Command {
  return describedCommand(
    "explain",
    "why a DAO has its score, from published files alone",
    "govdata explain aave.eth --component dei\n  govdata explain aave.eth --as-of 2026-04-28 --json | jq .evidence.frame",
  )
    .argument("<space>")
    .addOption(new Option("--component <key>", "only one of the four components").choices([...COMPONENTS]))
    .option("--version <name>", "a kept version, or `previous` (default: the current one)")
    .option("--as-of <moment>", "the version of a day's end or UTC moment, or the one current then")
    .action(async (spaceId: string, flags: ExplainFlags, self: Command) => {
      const context = contextOf(self, process);
      if (flags.version !== undefined && flags.asOf !== undefined) {
        throw new PipelineError("BAD_OPTION", "--version and --as-of both say which version", {
          hint: "Give one of them.",
        });
      }
      const { story, published } = await runExplain(context.settings, {
        spaceId,
        component: flags.component,
        version: flags.version,
        asOfMs: flags.asOf === undefined ? undefined : asOfMsOf(flags, process.nowMs),
      });
      context.print(formatExplained(story), published);
    });
}
