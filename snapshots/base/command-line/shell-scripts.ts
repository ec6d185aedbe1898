import type { Command } from "commander";
import { type CompletedOption, type CompletedPosition, completedPositions } from "./completed-commands.ts";

interface CompletedProgram {
  readonly name: string;
  readonly positions: readonly CompletedPosition[];
}

export const COMPLETED_SHELLS = ["bash", "zsh", "fish"] as const;
export type CompletedShell = (typeof COMPLETED_SHELLS)[number];

export function completionScript(program: Command, shell: CompletedShell): string {
  const make = { bash: bashScript, zsh: zshScript, fish: fishScript }[shell];
  return make({ name: program.name(), positions: completedPositions(program) });
}

/**
 * The script for `source <(govdata completion bash)`. It finds the typed command, skipping options and their
 * values, and offers what may follow: commands, options after a dash, values or files after an option.
 */
function bashScript(program: CompletedProgram): string {
  const { name } = program;
  const functionText = functionName(program);
  // Our names contain only letters, digits and dashes, so simple quotes suffice.
  const { known, valued, values, words } = casesOf(
    program,
    (text) => `"${text}"`,
    ({ choices }) => ({
      choice: `offered="${choices.join(" ")}"`,
      folder: `__${functionText}_files -d`,
      file: `__${functionText}_files -f`,
      other: ":",
    }),
    ({ commands, choices, options }) =>
      `words="${[...commands.map((command) => command.name), ...choices].join(" ")}" flags="${options.flatMap(({ flags }) => flags).join(" ")}"`,
  );
  return `# bash completion of ${name}, made by: ${name} completion bash
__${functionText}_files() {
  compopt -o filenames 2>/dev/null
  local IFS=$'\\n'
  COMPREPLY=($(compgen "$1" -- "$current"))
}
_${functionText}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local place="" longer="" words="" flags="" offered="" index
  # bash takes --option=value apart at the sign.
  if [ "$current" = "=" ]; then
    current=""
  elif [ "$previous" = "=" ]; then
    previous="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "\${COMP_WORDS[index-1]}" in ${valued}) continue ;; esac
    longer="\${place:+$place }\${COMP_WORDS[index]}"
    case "$longer" in
    ${known}) place="$longer" ;;
    esac
  done
  COMPREPLY=()
  case "$previous" in
  ${valued})
    case "$place:$previous" in
${values}    esac
    if [ -n "$offered" ]; then COMPREPLY=($(compgen -W "$offered" -- "$current")); fi
    return
    ;;
  esac
  case "$place" in
${words}  esac
  case "$current" in
  -*) COMPREPLY=($(compgen -W "$flags" -- "$current")) ;;
  *) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
  esac
}
complete -F _${functionText} ${name}
`;
}

/** The script for `source <(govdata completion zsh)`, or for a file `_govdata` in a folder of `fpath`. */
function zshScript(program: CompletedProgram): string {
  const { name } = program;
  const functionText = functionName(program);
  // In single quotes only the quote itself is special; a colon would end a name.
  const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
  const described = (word: string, description: string): string =>
    quoted(`${word.replaceAll(":", "\\:")}:${description}`);
  const { known, valued, values, words } = casesOf(
    program,
    quoted,
    ({ choices }) => ({
      choice: `compadd -- ${choices.map(quoted).join(" ")}`,
      folder: "_files -/",
      file: "_files",
      other: ":",
    }),
    ({ commands, choices, options }) => {
      const offered = [
        ...commands.map((command) => described(command.name, command.description)),
        ...choices.map(quoted),
      ];
      const flags = options.flatMap((option) =>
        option.flags.map((flag) => described(flag, option.description)),
      );
      return `offered=(${offered.join(" ")}); flags=(${flags.join(" ")})`;
    },
  );
  return `#compdef ${name}
# zsh completion of ${name}, made by: ${name} completion zsh
_${functionText}() {
  local place="" longer="" index previous="\${words[CURRENT-1]}"
  local -a offered flags
  for ((index = 2; index < CURRENT; index++)); do
    case "\${words[index-1]}" in (${valued}) continue ;; esac
    longer="\${place:+$place }\${words[index]}"
    case "$longer" in (${known}) place="$longer" ;; esac
  done
  case "$previous" in (${valued})
    case "$place:$previous" in
${values}    esac
    return
    ;;
  esac
  case "$place" in
${words}  esac
  if [[ "$PREFIX" == -* ]]; then
    _describe option flags
  else
    _describe command offered
  fi
}
if [ "$funcstack[1]" = "_${functionText}" ]; then _${functionText} "$@"; else compdef _${functionText} ${name}; fi
`;
}

/** The script for `govdata completion fish | source`: one line per word and position. */
function fishScript(program: CompletedProgram): string {
  const { name, positions } = program;
  // In fish's single quotes only the quote and the backslash are special.
  const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const flagOf = (flag: string): string =>
    flag.startsWith("--") ? ` -l ${flag.slice(2)}` : ` -s ${flag.slice(1)}`;
  const actionOf = ({ value, choices }: CompletedOption): string =>
    ({
      none: "",
      folder: " -x -a '(__fish_complete_directories)'",
      file: " -r -F",
      choice: ` -x -a ${quoted(choices.join(" "))}`,
      other: " -x",
    })[value];
  const lines = positions.flatMap(({ place, commands, choices, options }) =>
    [
      ...commands.map((command) => ` -a ${command.name} -d ${quoted(command.description)}`),
      ...choices.map((choice) => ` -a ${quoted(choice)}`),
      ...options.map(
        (option) =>
          `${option.flags.map(flagOf).join("")}${actionOf(option)} -d ${quoted(option.description)}`,
      ),
    ].map(
      (rest) => `complete -c ${name} -n ${quoted(`__${functionName(program)}_at ${quoted(place)}`)}${rest}\n`,
    ),
  );
  return `# fish completion of ${name}, made by: ${name} completion fish
function __${functionName(program)}_at
    set -l place ''
    set -l previous ''
    for word in (commandline -opc)[2..-1]
        if not contains -- "$previous" ${flagsWithValue(program).join(" ")}
            set -l longer (string trim -- "$place $word")
            if contains -- "$longer" ${knownPositions(program, quoted).join(" ")}
                set place "$longer"
            end
        end
        set previous "$word"
    end
    test "$place" = "$argv[1]"
end
complete -c ${name} -f
${lines.join("")}`;
}

/** Prefix of a program's shell functions, whose names must not contain dashes. */
function functionName({ name }: CompletedProgram): string {
  return name.replaceAll("-", "_");
}

function flagsWithValue({ positions }: CompletedProgram): readonly string[] {
  const options = positions.flatMap((place) => place.options).filter(({ value }) => value !== "none");
  return [...new Set(options.flatMap(({ flags }) => flags))];
}

function knownPositions(
  { positions }: CompletedProgram,
  quoted: (text: string) => string,
): readonly string[] {
  return positions.filter(({ place }) => place !== "").map(({ place }) => quoted(place));
}

function casesOf(
  program: CompletedProgram,
  quoted: (text: string) => string,
  actions: (option: CompletedOption) => Readonly<Record<Exclude<CompletedOption["value"], "none">, string>>,
  wordsOf: (place: CompletedPosition) => string,
) {
  const { positions } = program;
  const values = positions.flatMap(({ place, options }) =>
    options.flatMap((option) => {
      if (option.value === "none") return [];
      const patterns = option.flags.map((flag) => quoted(`${place}:${flag}`)).join("|");
      return `    ${patterns}) ${actions(option)[option.value]} ;;\n`;
    }),
  );
  return {
    known: knownPositions(program, quoted).join("|"),
    valued: flagsWithValue(program).join("|"),
    values: values.join(""),
    words: positions.map((place) => `    ${quoted(place.place)}) ${wordsOf(place)} ;;\n`).join(""),
  };
}
