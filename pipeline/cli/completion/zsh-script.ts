import { type CompletedOption, type CompletedPlace, flagsWithValue } from "./completed-commands.ts";
import { type CompletedProgram, functionName } from "./completed-program.ts";

/** In single quotes nothing is special but the quote; a colon would end a name. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const described = (name: string, description: string): string =>
  quoted(`${name.replaceAll(":", "\\:")}:${description}`);

const VALUE_OF: Readonly<Record<"folder" | "file" | "other", string>> = {
  folder: "_files -/",
  file: "_files",
  other: ":",
};

function valueCase(place: string, { flags, value, choices }: CompletedOption): string {
  if (value === "none") return "";
  const does = value === "choice" ? `compadd -- ${choices.map(quoted).join(" ")}` : VALUE_OF[value];
  return `    ${flags.map((flag) => quoted(`${place}:${flag}`)).join("|")}) ${does} ;;\n`;
}

function placeCase({ place, commands, choices, options }: CompletedPlace): string {
  const words = [
    ...commands.map(({ name, description }) => described(name, description)),
    ...choices.map((choice) => quoted(choice)),
  ];
  const flags = options.flatMap((option) => option.flags.map((flag) => described(flag, option.description)));
  return `    ${quoted(place)}) offered=(${words.join(" ")}); flags=(${flags.join(" ")}) ;;\n`;
}

/** The script that `source <(govdata completion zsh)` reads, or that lies as `_govdata` in a folder of `fpath`. */
export function zshScript(program: CompletedProgram): string {
  const { name, places, madeBy } = program;
  const own = functionName(program);
  const known = places.filter(({ place }) => place !== "").map(({ place }) => quoted(place));
  const valued = flagsWithValue(places).join("|");
  const values = places.flatMap(({ place, options }) => options.map((option) => valueCase(place, option)));
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
${places.map(placeCase).join("")}  esac
  if [[ "$PREFIX" == -* ]]; then
    _describe option flags
  else
    _describe command offered
  fi
}
if [ "$funcstack[1]" = "_${own}" ]; then _${own} "$@"; else compdef _${own} ${name}; fi
`;
}
