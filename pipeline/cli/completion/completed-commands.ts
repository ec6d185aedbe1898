import { Command, type Help, type Option } from "commander";

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

/** As `--home <dir>`, and what it does. */
type Described = readonly [flagsOrName: string, description: string];

const GLOBAL: readonly Described[] = [
  ["--home <dir>", "folder of keys, quota and pepper"],
  ["--snapshots <dir>", "folder of published versions"],
  ["--optouts <file>", "the list of live opt-outs that govdata made"],
  ["--json", "print results as JSON, for machines"],
  ["--no-color", "no colours; there are none anyway (also: NO_COLOR)"],
  ["-V, --version", "print the versions of the program and of the format it reads"],
];

const LIMIT: Described = [
  "--daily-limit <n>",
  "requests a day of an Enterprise account; `default` for the tier's",
];

/** A command, its options, and the commands below it. */
type Entry = readonly [...Described, options?: readonly Described[], below?: readonly Entry[]];

const COMMANDS: readonly Entry[] = [
  [
    "serve",
    "serve the published snapshot until told to stop (SIGTERM, SIGINT)",
    [
      ["--host <address>", "address to listen on"],
      ["--port <n>", "port to listen on; 0 takes a free one"],
      ["--admin-port <n>", "port of the operator's listener, on 127.0.0.1; 0 takes a free one"],
    ],
  ],
  [
    "key",
    "API keys: make, list, find, revoke, rotate",
    [],
    [
      [
        "create",
        "make a key; it is printed alone on stdout, once, and cannot be shown again",
        [
          ["--account <name>", "the account it belongs to; made where it is missing"],
          ["--tier <tier>", "tier of a new account: free, pro or enterprise"],
          ["--daily-limit <n>", "requests a day of a new Enterprise account, instead of 100000"],
          ["--expires <date>", "last day of the key (YYYY-MM-DD, UTC), or a moment"],
          ["--test", "mark it as a test key (gvk_test_…)"],
        ],
      ],
      ["list", "list all keys, never the keys themselves"],
      ["find", "tell which key somebody holds, given on stdin: its id, account and state, never the key"],
      ["revoke", "end a key; a running server follows within one second"],
      [
        "rotate",
        "make a successor with the same account and expiry; the old key ends after the grace",
        [["--grace <duration>", "how long the old key works on"]],
      ],
    ],
  ],
  [
    "account",
    "accounts: tier, daily limit, usage",
    [],
    [
      ["create", "make an account", [["--tier <tier>", "free, pro or enterprise"], LIMIT]],
      [
        "set",
        "change tier or limit, at once for all keys of the account; today's count stays",
        [["--tier <tier>", "free, pro or enterprise; leaving Enterprise ends a limit of its own"], LIMIT],
      ],
      ["list", "list all accounts"],
      [
        "usage",
        "requests counted today and on the last 30 days (UTC), of which Redis keeps three",
        [
          [
            "--set <n>",
            "set today's count, and open a day closed since counts were lost; a server may refuse 50 requests more",
          ],
        ],
      ],
    ],
  ],
  [
    "optout",
    "live opt-outs: entities that no answer may name",
    [],
    [
      ["add", "name an entity in no answer any more; a running server follows within one second"],
      ["list", "list all opt-outs, as hashes; the id where what is published still holds it"],
      ["remove", "take an entity off the live list; what the registry says of it holds on"],
    ],
  ],
  [
    "backup",
    "copy keys, quota and the highest sequence into a new folder, while servers run; never the pepper",
  ],
  [
    "restore",
    "put a backup into a home without stores, with every server stopped; no account gets a unit more that day (UTC)",
    [
      ["--grant-today", "count on from the backup at once; units used since can be used again today"],
      ["--keep-quota", "restore the keys alone, and count on in the quota.db that is there"],
    ],
  ],
  [
    "move",
    "move accounts, keys and today's counts of this home into the Redis of GOVDATA_QUOTA, with every server stopped",
  ],
  ["openapi", "print the API's OpenAPI 3.1 document, as /openapi.json serves it"],
];

function withOptions(command: Command, options: readonly Described[]): Command {
  for (const [flags, description] of options) command.option(flags, description);
  return command;
}

function add(parent: Command, [name, description, options = [], below = []]: Entry): void {
  const command = withOptions(parent.command(name).description(description), options);
  for (const entry of below) add(command, entry);
}

/**
 * What can be typed after `govdata-proxy`, for shells alone. That program starts without this one, and neither imports
 * the other: a test holds this table to its real commands, word for word.
 */
export function proxyProgram(): Command {
  const program = withOptions(new Command("govdata-proxy"), GLOBAL);
  for (const entry of COMMANDS) add(program, entry);
  return program;
}
