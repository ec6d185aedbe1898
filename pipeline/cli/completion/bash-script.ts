import { type CompletedOption, type CompletedPlace, flagsWithValue } from "./completed-commands.ts";

/** Names of ours hold letters, digits and dashes; nothing needs more than these quotes. */
const quoted = (text: string): string => `"${text}"`;

const VALUE_OF: Readonly<Record<"folder" | "file" | "other", string>> = {
  folder: "__govdata_files -d",
  file: "__govdata_files -f",
  other: ":",
};

function valueCase(place: string, { flags, value, choices }: CompletedOption): string {
  if (value === "none") return "";
  const does = value === "choice" ? `offered=${quoted(choices.join(" "))}` : VALUE_OF[value];
  const patterns = flags.map((flag) => quoted(`${place}:${flag}`)).join("|");
  return `    ${patterns}) ${does} ;;\n`;
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
export function bashScript(places: readonly CompletedPlace[]): string {
  const known = places.filter(({ place }) => place !== "").map(({ place }) => quoted(place));
  const valued = flagsWithValue(places).join("|");
  const values = places.flatMap(({ place, options }) => options.map((option) => valueCase(place, option)));
  return `# bash completion of govdata, made by: govdata completion bash
__govdata_files() {
  compopt -o filenames 2>/dev/null
  local IFS=$'\\n'
  COMPREPLY=($(compgen "$1" -- "$current"))
}
_govdata() {
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
complete -F _govdata govdata
`;
}
