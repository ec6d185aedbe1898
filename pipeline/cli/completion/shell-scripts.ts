import { type CompletedOption, type CompletedPlace, flagsWithValue } from "./completed-commands.ts";

/** A program as its completion script needs it. */
export interface CompletedProgram {
  readonly name: string;
  readonly places: readonly CompletedPlace[];
  /** The command line that printed the script, but for the shell. */
  readonly madeBy: string;
}

/** The beginning of the names of a program's functions: shells take no dash there. */
export function functionName({ name }: CompletedProgram): string {
  return name.replaceAll("-", "_");
}

/** Names of ours hold letters, digits and dashes; nothing needs more than these quotes. */
const quoted = (text: string): string => `"${text}"`;

function taken(own: string, { value, choices }: CompletedOption): string {
  switch (value) {
    case "choice":
      return `offered=${quoted(choices.join(" "))}`;
    case "folder":
      return `__${own}_files -d`;
    case "file":
      return `__${own}_files -f`;
    default:
      return ":";
  }
}

function valueCase(own: string, place: string, option: CompletedOption): string {
  if (option.value === "none") return "";
  const patterns = option.flags.map((flag) => quoted(`${place}:${flag}`)).join("|");
  return `    ${patterns}) ${taken(own, option)} ;;\n`;
}

function placeCase({ place, commands, choices, options }: CompletedPlace): string {
  const words = [...commands.map(({ name }) => name), ...choices].join(" ");
  const flags = options.flatMap((option) => option.flags).join(" ");
  return `    ${quoted(place)}) words=${quoted(words)} flags=${quoted(flags)} ;;\n`;
}

/**
 * The script that `source <(govdata completion bash)` reads. It finds the command that was typed, passing over options
 * with their values, and offers what may follow there: commands, options after a dash, words or files after an option.
 */
export function bashScript(program: CompletedProgram): string {
  const { name, places, madeBy } = program;
  const own = functionName(program);
  const known = places.filter(({ place }) => place !== "").map(({ place }) => quoted(place));
  const valued = flagsWithValue(places).join("|");
  const values = places.flatMap(({ place, options }) =>
    options.map((option) => valueCase(own, place, option)),
  );
  return `# bash completion of ${name}, made by: ${madeBy} bash
__${own}_files() {
  compopt -o filenames 2>/dev/null
  local IFS=$'\\n'
  COMPREPLY=($(compgen "$1" -- "$current"))
}
_${own}() {
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
    ${known.join("|")}) place="$longer" ;;
    esac
  done
  COMPREPLY=()
  case "$previous" in
  ${valued})
    case "$place:$previous" in
${values.join("")}    esac
    if [ -n "$offered" ]; then COMPREPLY=($(compgen -W "$offered" -- "$current")); fi
    return
    ;;
  esac
  case "$place" in
${places.map(placeCase).join("")}  esac
  case "$current" in
  -*) COMPREPLY=($(compgen -W "$flags" -- "$current")) ;;
  *) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
  esac
}
complete -F _${own} ${name}
`;
}

/** In fish's single quotes the quote and the backslash alone are special. */
const quotedFishScript = (text: string): string =>
  `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

function valueWords({ value, choices }: CompletedOption): string {
  switch (value) {
    case "none":
      return "";
    case "folder":
      return " -x -a '(__fish_complete_directories)'";
    case "file":
      return " -r -F";
    case "choice":
      return ` -x -a ${quotedFishScript(choices.join(" "))}`;
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
  const at = `complete -c ${program.name} -n ${quotedFishScript(`__${functionName(program)}_at ${quotedFishScript(place)}`)}`;
  return [
    ...commands.map(({ name, description }) => `${at} -a ${name} -d ${quotedFishScript(description)}`),
    ...choices.map((choice) => `${at} -a ${quotedFishScript(choice)}`),
    ...options.map(
      (option) =>
        `${at}${option.flags.map(flagOf).join("")}${valueWords(option)} -d ${quotedFishScript(option.description)}`,
    ),
  ]
    .map((line) => `${line}\n`)
    .join("");
}

/** The script that `govdata completion fish | source` reads. */
export function fishScript(program: CompletedProgram): string {
  const { name, places, madeBy } = program;
  const known = places.filter(({ place }) => place !== "").map(({ place }) => quotedFishScript(place));
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

/** In single quotes nothing is special but the quote; a colon would end a name. */
const quotedZshScript = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const described = (name: string, description: string): string =>
  quotedZshScript(`${name.replaceAll(":", "\\:")}:${description}`);

const VALUE_OF: Readonly<Record<"folder" | "file" | "other", string>> = {
  folder: "_files -/",
  file: "_files",
  other: ":",
};

function valueCaseZshScript(place: string, { flags, value, choices }: CompletedOption): string {
  if (value === "none") return "";
  const does = value === "choice" ? `compadd -- ${choices.map(quotedZshScript).join(" ")}` : VALUE_OF[value];
  return `    ${flags.map((flag) => quotedZshScript(`${place}:${flag}`)).join("|")}) ${does} ;;\n`;
}

function placeCaseZshScript({ place, commands, choices, options }: CompletedPlace): string {
  const words = [
    ...commands.map(({ name, description }) => described(name, description)),
    ...choices.map((choice) => quotedZshScript(choice)),
  ];
  const flags = options.flatMap((option) => option.flags.map((flag) => described(flag, option.description)));
  return `    ${quotedZshScript(place)}) offered=(${words.join(" ")}); flags=(${flags.join(" ")}) ;;\n`;
}

/** The script that `source <(govdata completion zsh)` reads, or that lies as `_govdata` in a folder of `fpath`. */
export function zshScript(program: CompletedProgram): string {
  const { name, places, madeBy } = program;
  const own = functionName(program);
  const known = places.filter(({ place }) => place !== "").map(({ place }) => quotedZshScript(place));
  const valued = flagsWithValue(places).join("|");
  const values = places.flatMap(({ place, options }) =>
    options.map((option) => valueCaseZshScript(place, option)),
  );
  return `#compdef ${name}
# zsh completion of ${name}, made by: ${madeBy} zsh
_${own}() {
  local place="" longer="" index previous="\${words[CURRENT-1]}"
  local -a offered flags
  for ((index = 2; index < CURRENT; index++)); do
    case "\${words[index-1]}" in (${valued}) continue ;; esac
    longer="\${place:+$place }\${words[index]}"
    case "$longer" in (${known.join("|")}) place="$longer" ;; esac
  done
  case "$previous" in (${valued})
    case "$place:$previous" in
${values.join("")}    esac
    return
    ;;
  esac
  case "$place" in
${places.map(placeCaseZshScript).join("")}  esac
  if [[ "$PREFIX" == -* ]]; then
    _describe option flags
  else
    _describe command offered
  fi
}
if [ "$funcstack[1]" = "_${own}" ]; then _${own} "$@"; else compdef _${own} ${name}; fi
`;
}
