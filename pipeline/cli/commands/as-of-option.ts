import { type Command, Option } from "commander";
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
  return flags.asOf === undefined ? nowMs() : parseAsOf(flags.asOf);
}
