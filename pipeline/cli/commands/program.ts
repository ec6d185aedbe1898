import { Argument, type Command } from "commander";
import {
  COMPLETED_SHELLS,
  type CompletedShell,
  completionScript,
} from "../../../snapshots/base/command-line/shell-scripts.ts";
import { formatTable, right } from "../../../snapshots/base/command-line/table.ts";
import { METHODOLOGY } from "../../score/method/methodology.ts";
import { type CommandContext, command, type MakeCommand } from "../options/command-context.ts";

function flatten(prefix: string, value: unknown): { name: string; value: string }[] {
  if (value === null || typeof value !== "object") return [{ name: prefix, value: String(value) }];
  return Object.entries(value).flatMap(([key, item]) =>
    flatten(prefix === "" ? key : `${prefix}.${key}`, item),
  );
}

/** The constants of the scorers: a list of dotted names in the method's order, and a tree for `--json`. */
export function methodologyConstants() {
  const { version, ...rest } = METHODOLOGY;
  return { version, constants: flatten("", rest), tree: METHODOLOGY };
}

export const methodologyCommand = command({
  name: "methodology",
  description: "print the version and every constant of the method",
  example: "govdata methodology --json | jq .version",
  run: () => methodologyConstants(),
  text({ version, constants }) {
    const table = formatTable(constants, [
      { heading: "constant", cell: ({ name }) => name },
      right("value", ({ value }) => value),
    ]);
    return `methodology ${version}\n\n${table}`;
  },
  json: ({ tree }) => tree,
});

export const completionCommand: MakeCommand = (process) => {
  const made: Command = command({
    name: "completion",
    description: "print a script that completes commands and options in a shell",
    example: "source <(govdata completion bash)      # zsh likewise\n  govdata completion fish | source",
    takes: (made) => made.addArgument(new Argument("<shell>", "which shell").choices(COMPLETED_SHELLS)),
    run: (_context: CommandContext, shell: CompletedShell) => ({
      program: "govdata",
      shell,
      script: completionScript(made.parent ?? made, shell),
    }),
    text: ({ script }) => script,
  })(process);
  return made;
};
