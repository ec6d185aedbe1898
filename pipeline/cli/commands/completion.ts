import { Argument, Command, Option } from "commander";
import { completedPlaces, proxyProgram } from "../completion/completed-commands.ts";
import { bashScript, type CompletedProgram, fishScript, zshScript } from "../completion/shell-scripts.ts";
import { contextOf, describedCommand, type ProcessContext } from "../options/command-context.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

const PROGRAMS = ["govdata", "govdata-proxy"] as const;
type ProgramName = (typeof PROGRAMS)[number];

function completedProgram(name: ProgramName, own: Command): CompletedProgram {
  return name === "govdata"
    ? { name, places: completedPlaces(own), madeBy: "govdata completion" }
    : { name, places: completedPlaces(proxyProgram()), madeBy: `govdata completion --for ${name}` };
}

/** `govdata completion bash|zsh|fish --for PROGRAM` */
export function completionCommand(process: ProcessContext): Command {
  return describedCommand(
    "completion",
    "print the script that makes a shell complete commands and options",
    "source <(govdata completion bash)      # zsh likewise\n  govdata completion fish | source\n  source <(govdata completion bash --for govdata-proxy)",
  )
    .addArgument(new Argument("<shell>", "which shell").choices(Object.keys(SCRIPTS)))
    .addOption(new Option("--for <program>", "which program").choices(PROGRAMS).default("govdata"))
    .action((shell: keyof typeof SCRIPTS, flags: { for: ProgramName }, self: Command) => {
      const context = contextOf(self, process);
      const program = completedProgram(flags.for, self.parent ?? new Command());
      const script = SCRIPTS[shell](program);
      context.print(script, { program: program.name, shell, script });
    });
}
