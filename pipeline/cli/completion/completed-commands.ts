import type { Command, Help, Option } from "commander";

/** An option as a shell completes it. */
export interface CompletedOption {
  /** As `--home` and `-o`; at least one. */
  readonly flags: readonly string[];
  readonly description: string;
  /** What follows it: nothing, a folder, a file, one of `choices`, or what no shell can guess. */
  readonly value: "none" | "folder" | "file" | "choice" | "other";
  readonly choices: readonly string[];
}

/** What may be typed at one place of the command line. */
export interface CompletedPlace {
  /** The commands before it with blanks between, such as `show daos`; empty at the start. */
  readonly place: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  /** Words that an argument of the command may be. */
  readonly choices: readonly string[];
  readonly options: readonly CompletedOption[];
}

const FOLDERS = /[<[](dir|folder|place)[\]>]/;
const FILES = /[<[](file|path)[\]>]/;

function valueKindOf(option: Option): CompletedOption["value"] {
  if (!option.required && !option.optional) return "none";
  if ((option.argChoices ?? []).length > 0) return "choice";
  if (FOLDERS.test(option.flags)) return "folder";
  return FILES.test(option.flags) ? "file" : "other";
}

function completedOption(option: Option): CompletedOption {
  return {
    flags: [option.long, option.short].filter((flag) => typeof flag === "string"),
    description: option.description,
    value: valueKindOf(option),
    choices: option.argChoices ?? [],
  };
}

function placesBelow(
  command: Command,
  place: string,
  help: Help,
  above: readonly CompletedOption[],
): readonly CompletedPlace[] {
  const own = help.visibleOptions(command).map(completedOption);
  // Options of the program may stand anywhere; `--help` is said once.
  const fromAbove = above.filter(({ flags }) => !own.some((option) => option.flags[0] === flags[0]));
  const commands = help.visibleCommands(command);
  const here: CompletedPlace = {
    place,
    commands: commands.map((each) => ({ name: each.name(), description: each.description() })),
    choices: command.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
    options: [...own, ...fromAbove],
  };
  const below = command.commands.flatMap((child) =>
    placesBelow(child, `${place} ${child.name()}`.trim(), help, here.options),
  );
  return [here, ...below];
}

/** Every place of a program's command line, read from the program itself, so that no command can be missing. */
export function completedPlaces(program: Command): readonly CompletedPlace[] {
  return placesBelow(program, "", program.createHelp(), []);
}

/** Flags after which a value stands, whatever the command. */
export function flagsWithValue(places: readonly CompletedPlace[]): readonly string[] {
  const options = places.flatMap((place) => place.options).filter(({ value }) => value !== "none");
  return [...new Set(options.flatMap(({ flags }) => flags))];
}
