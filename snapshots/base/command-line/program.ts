import { Command, CommanderError } from "commander";

export const EXIT = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;

export interface DescribedCommand {
  /** Its name, and its arguments if they need no description: `follow <address>`. */
  readonly name: string;
  /** One line for the list of commands. */
  readonly description: string;
  /** More sentences for the command's own help. */
  readonly details?: string;
  readonly example: string;
}

export function describedCommand({ name, description, details, example }: DescribedCommand): Command {
  const [word, ...args] = name.split(" ");
  const command = new Command(word)
    .summary(description)
    .description(details === undefined ? description : `${description}\n\n${details}`)
    .addHelpText("after", `\nExample:\n  ${example}`);
  for (const argument of args) command.argument(argument);
  return command;
}

interface ProgramEnds {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Says what went wrong and returns the exit code. */
  readonly explain: (error: unknown) => number;
}

/** Ends a command line that commander would have ended by itself, such as `--help`. */
export function endProgram(why: string): never {
  throw new CommanderError(EXIT.done, "commander.version", why);
}

/** Runs one command line and returns the exit code if it is not 0 by itself: of wrong usage, or of an error. Never throws. */
export async function runCommandLine(
  program: Command,
  words: readonly string[],
  { out, err, explain }: ProgramEnds,
): Promise<number> {
  const prepare = (command: Command): void => {
    command
      .exitOverride()
      .showHelpAfterError("(add --help for the options)")
      .configureOutput({ writeOut: out, writeErr: err });
    for (const child of command.commands) prepare(child);
  };
  prepare(program);
  try {
    await program.parseAsync([...words], { from: "user" });
    return EXIT.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    return explain(error);
  }
}
