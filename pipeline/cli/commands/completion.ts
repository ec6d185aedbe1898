import { Argument, type Command } from "commander";
import {
  COMPLETED_SHELLS,
  type CompletedShell,
  completionScript,
} from "../../../snapshots/base/command-line/shell-scripts.ts";
import { type CommandContext, command, type MakeCommand } from "../options/command-context.ts";

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
