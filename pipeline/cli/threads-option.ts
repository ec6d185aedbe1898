import { availableParallelism } from "node:os";
import { type Command, Option } from "commander";
import { parseWhole } from "./parse-options.ts";

/** More would wait for the one thread that writes. */
const THREADS_MAX = 16;

/** A thread needs compiled code: what runs from its sources, as our tests do, has none unless it is asked. */
const IS_COMPILED = import.meta.url.endsWith(".js");

/** Adds the option of commands that read or score many DAOs. */
export function addThreadsOption(command: Command): Command {
  return command.addOption(
    new Option(
      "--threads <n>",
      "threads that read an archive and score, 0 to do all in one (default: one a core)",
    ).env("GOVDATA_THREADS"),
  );
}

/** How many threads were asked for, or else as many as there are cores. Throws `PipelineError` BAD_OPTION. */
export function threadsOf(given: string | undefined): number {
  if (given !== undefined) return parseWhole("--threads", given, 0, THREADS_MAX);
  return IS_COMPILED ? Math.min(availableParallelism(), THREADS_MAX) : 0;
}
