import { type CommandContext, command } from "../../cli/options/command-context.ts";
import { EXIT } from "../../cli/terminal/exit-codes.ts";

export const recomputeCommand = command({
  name: "recompute",
  description: "derive every published score again from the evidence; exit 1 on any difference",
  details:
    "Reads published files only. The identity of delegates and entities cannot be recomputed; `verify --deep` checks those documents against each other.",
  example: "govdata recompute\n  govdata recompute previous --json | jq '.differences[]'",
  takes: (made) => made.argument("[version]", "a kept version, or `previous` (default: the current one)"),
  run: async ({ settings }: CommandContext, version: string | undefined) =>
    (await import("./run-recompute.ts")).runRecompute(settings, version),
  text: async (result) => (await import("./run-recompute.ts")).formatRecomputed(result),
  exit: ({ problems, differences }) => (problems.length + differences.length > 0 ? EXIT.failed : EXIT.done),
});
