import { type CompletedOption, type CompletedPlace, flagsWithValue } from "./completed-commands.ts";
import { type CompletedProgram, functionName } from "./completed-program.ts";

/** In fish's single quotes the quote and the backslash alone are special. */
const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

function valueWords({ value, choices }: CompletedOption): string {
  switch (value) {
    case "none":
      return "";
    case "folder":
      return " -x -a '(__fish_complete_directories)'";
    case "file":
      return " -r -F";
    case "choice":
      return ` -x -a ${quoted(choices.join(" "))}`;
    case "other":
      return " -x";
  }
}

function flagOf(flag: string): string {
  return flag.startsWith("--") ? ` -l ${flag.slice(2)}` : ` -s ${flag.slice(1)}`;
}

function placeLines(
  program: CompletedProgram,
  { place, commands, choices, options }: CompletedPlace,
): string {
  const at = `complete -c ${program.name} -n ${quoted(`__${functionName(program)}_at ${quoted(place)}`)}`;
  return [
    ...commands.map(({ name, description }) => `${at} -a ${name} -d ${quoted(description)}`),
    ...choices.map((choice) => `${at} -a ${quoted(choice)}`),
    ...options.map(
      (option) =>
        `${at}${option.flags.map(flagOf).join("")}${valueWords(option)} -d ${quoted(option.description)}`,
    ),
  ]
    .map((line) => `${line}\n`)
    .join("");
}

/** The script that `govdata completion fish | source` reads. */
export function fishScript(program: CompletedProgram): string {
  const { name, places, madeBy } = program;
  const known = places.filter(({ place }) => place !== "").map(({ place }) => quoted(place));
  return `# fish completion of ${name}, made by: ${madeBy} fish
function __${functionName(program)}_at
    set -l place ''
    set -l previous ''
    for word in (commandline -opc)[2..-1]
        if not contains -- "$previous" ${flagsWithValue(places).join(" ")}
            set -l longer (string trim -- "$place $word")
            if contains -- "$longer" ${known.join(" ")}
                set place "$longer"
            end
        end
        set previous "$word"
    end
    test "$place" = "$argv[1]"
end
complete -c ${name} -f
${places.map((place) => placeLines(program, place)).join("")}`;
}
