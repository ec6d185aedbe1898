import { Argument, type Command, Option } from "commander";
import { completedPositions, proxyProgram } from "../completion/completed-commands.ts";
import { bashScript, fishScript, zshScript } from "../completion/shell-scripts.ts";
import { type CommandContext, command, type MakeCommand } from "../options/command-context.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

const PROGRAMS = ["govdata", "govdata-proxy"] as const;
type ProgramName = (typeof PROGRAMS)[number];

export const completionCommand: MakeCommand = (process) => {
  const made: Command = command({
    name: "completion",
    description: "print a script that completes commands and options in a shell",
    example:
      "source <(govdata completion bash)      # zsh likewise\n  govdata completion fish | source\n  source <(govdata completion bash --for govdata-proxy)",
    takes: (each) =>
      each
        .addArgument(new Argument("<shell>", "which shell").choices(Object.keys(SCRIPTS)))
        .addOption(new Option("--for <program>", "which program").choices(PROGRAMS).default("govdata")),
    run(_context: CommandContext, shell: keyof typeof SCRIPTS, { for: name }: { for: ProgramName }) {
      const program =
        name === "govdata"
          ? { name, positions: completedPositions(made.parent ?? made), madeBy: "govdata completion" }
          : {
              name,
              positions: completedPositions(proxyProgram()),
              madeBy: `govdata completion --for ${name}`,
            };
      return { program: name, shell, script: SCRIPTS[shell](program) };
    },
    text: ({ script }) => script,
  })(process);
  return made;
};
