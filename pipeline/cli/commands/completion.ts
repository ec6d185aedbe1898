import { Argument, Command } from "commander";
import { contextOf, describedCommand, type ProcessContext } from "../command-context.ts";
import { bashScript } from "../completion/bash-script.ts";
import { completedPlaces } from "../completion/completed-commands.ts";
import { fishScript } from "../completion/fish-script.ts";
import { zshScript } from "../completion/zsh-script.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** `govdata completion bash|zsh|fish` */
export function completionCommand(process: ProcessContext): Command {
  return describedCommand(
    "completion",
    "print the script that makes a shell complete commands and options",
    "source <(govdata completion bash)      # zsh likewise\n  govdata completion fish | source",
  )
    .addArgument(new Argument("<shell>", "which shell").choices(Object.keys(SCRIPTS)))
    .action((shell: keyof typeof SCRIPTS, _flags: unknown, self: Command) => {
      const context = contextOf(self, process);
      const script = SCRIPTS[shell](completedPlaces(self.parent ?? new Command()));
      context.print(script, { shell, script });
    });
}
