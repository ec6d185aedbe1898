import { type Command, Option } from "commander";
import { DAY_MS } from "../../base/days.ts";
import { PipelineError } from "../../base/pipeline-error.ts";
import { parseAsOf } from "../parse-options.ts";

/** `--as-of` as commander gives it. */
export interface AsOfFlags {
  readonly asOf?: string;
}

/** Adds the option that says as of when to score. */
export function addAsOfOption(command: Command): Command {
  return command.addOption(
    new Option("--as-of <moment>", "score as of a day's end or a UTC moment (default: now)").env(
      "GOVDATA_AS_OF",
    ),
  );
}

/** Reads it; throws `PipelineError` BAD_OPTION. */
export function asOfMsOf(flags: AsOfFlags, nowMs: () => number): number {
  const now = nowMs();
  const asOfMs = flags.asOf === undefined ? now : parseAsOf(flags.asOf);
  if (asOfMs <= now) return asOfMs;
  throw new PipelineError("BAD_OPTION", `--as-of ${flags.asOf} is in the future`, {
    hint: `Nothing is known of it yet. The last day that has ended is ${new Date(now - DAY_MS).toISOString().slice(0, 10)}.`,
  });
}
