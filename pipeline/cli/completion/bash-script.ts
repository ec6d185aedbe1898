import { type CompletedOption, type CompletedPlace, flagsWithValue } from "./completed-commands.ts";
import { type CompletedProgram, functionName } from "./completed-program.ts";

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
