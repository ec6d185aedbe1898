import type { Command, Help, Option } from "commander";

export type CompletedOption = ReturnType<typeof completedOption>;

/** What can be typed at one position of the command line. */
export interface CompletedPosition {
  /** The commands before it, separated by spaces, such as `show daos`; empty at the start. */
  readonly place: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  /** Allowed values of the command's arguments. */
  readonly choices: readonly string[];
  readonly options: readonly CompletedOption[];
}

const FOLDERS = /[<[](dir|folder|place)[\]>]/;
const FILES = /[<[](file|path)[\]>]/;

/** The kind of value that an option takes; `other` cannot be completed. */
function valueKindOf(option: Option): "none" | "folder" | "file" | "choice" | "other" {
  if (!option.required && !option.optional) return "none";
  if ((option.argChoices ?? []).length > 0) return "choice";
  if (FOLDERS.test(option.flags)) return "folder";
  return FILES.test(option.flags) ? "file" : "other";
}

function completedOption(option: Option) {
  return {
    /** Such as `--home` and `-o`; at least one. */
    flags: [option.long, option.short].filter((flag) => typeof flag === "string"),
    description: option.description,
    value: valueKindOf(option),
    choices: option.argChoices ?? [],
  };
}

function positionsBelow(
  command: Command,
  place: string,
  help: Help,
  above: readonly CompletedOption[],
): readonly CompletedPosition[] {
  const visibleOptions = help.visibleOptions(command).map(completedOption);
  // Options of the program are allowed everywhere; `--help` is listed once.
  const fromAbove = above.filter(
    ({ flags }) => !visibleOptions.some((option) => option.flags[0] === flags[0]),
  );
  const commands = help.visibleCommands(command);
  const position: CompletedPosition = {
    place,
    commands: commands.map((command) => ({ name: command.name(), description: command.description() })),
    choices: command.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
    options: [...visibleOptions, ...fromAbove],
  };
  const below = command.commands.flatMap((child) =>
    positionsBelow(child, `${place} ${child.name()}`.trim(), help, position.options),
  );
  return [position, ...below];
}

/** Every position of a program's command line, read from the program, so that no command can be missing. */
export function completedPositions(program: Command): readonly CompletedPosition[] {
  return positionsBelow(program, "", program.createHelp(), []);
}
