import { Command, type Help, type Option } from "commander";

/** An option, as needed for completion. */
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
  const own = help.visibleOptions(command).map(completedOption);
  // Options of the program are allowed everywhere; `--help` is listed once.
  const fromAbove = above.filter(({ flags }) => !own.some((option) => option.flags[0] === flags[0]));
  const commands = help.visibleCommands(command);
  const here: CompletedPosition = {
    place,
    commands: commands.map((each) => ({ name: each.name(), description: each.description() })),
    choices: command.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
    options: [...own, ...fromAbove],
  };
  const below = command.commands.flatMap((child) =>
    positionsBelow(child, `${place} ${child.name()}`.trim(), help, here.options),
  );
  return [here, ...below];
}

/** Every position of a program's command line, read from the program, so that no command can be missing. */
export function completedPositions(program: Command): readonly CompletedPosition[] {
  return positionsBelow(program, "", program.createHelp(), []);
}

/** The commands and options of `govdata-proxy` with their descriptions, in the order of its help. */
const PROXY_COMMANDS = `
--home <dir>  folder with keys, quota and pepper
--snapshots <dir>  folder of published versions
--optouts <file>  list of live opt-outs, created by govdata
--json  print results as JSON
--no-color  accepted for consistency: the output is never coloured (also: NO_COLOR)
-V, --version  print the versions of the program and of the format it reads
serve  serve the published snapshot until SIGTERM or SIGINT
serve --host <address>  address to listen on
serve --port <n>  port to listen on; 0 for a free one
serve --admin-port <n>  port of the operator's listener, on 127.0.0.1; 0 for a free one
follow  keep the home's copy of what is published at s3://bucket/prefix or https://mirror up to date
key  API keys: create, list, find, revoke, rotate
key create  create a key; it is printed once, alone on stdout, and cannot be shown again
key create --account <name>  its account, which is created if it is missing
key create --tier <tier>  tier of a new account: free, pro or enterprise
key create --daily-limit <n>  requests per day of a new Enterprise account, instead of 100000
key create --expires <date>  last day of the key (YYYY-MM-DD, UTC), or a timestamp
key create --test  mark it as a test key (gvk_test_…)
key list  list all keys by their ids, never the keys themselves
key find  look up a key given on stdin: its id, account and state, never the key
key revoke  revoke a key; a running server refuses it within one second
key rotate  create a successor with the same account and expiry; the old key ends after the grace period
key rotate --grace <duration>  how long the old key keeps working
account  accounts: tier, daily limit, usage
account create  create an account
account create --tier <tier>  free, pro or enterprise
account create --daily-limit <n>  requests per day of an Enterprise account; \`default\` for the tier's
account set  change tier or limit for all keys of the account at once; today's count stays
account set --tier <tier>  free, pro or enterprise; leaving Enterprise removes the account's own limit
account set --daily-limit <n>  requests per day of an Enterprise account; \`default\` for the tier's
account list  list all accounts
account usage  show the requests counted today and on the last 30 days (UTC); Redis keeps three days
account usage --set <n>  set today's count, and reopen a day that was closed because counts were lost; a server may refuse 50 more requests first
optout  live opt-outs: entities that no answer may name
optout add  stop naming an entity in answers; a running server obeys within one second
optout list  list all opt-outs as hashes, and the id if the published version still contains it
optout remove  remove an entity from the live list; an opt-out in the registry still applies
backup  copy keys, quota and the highest sequence into a new folder while servers run; never the pepper
restore  restore a backup into a home without databases, with every server stopped; every account is at its limit until the day ends (UTC)
restore --grant-today  continue from the backup's counts at once; requests used since can be used again today
restore --keep-quota  restore only the keys, and keep the home's quota.db
move  move accounts, keys and today's counts of this home to the Redis in GOVDATA_QUOTA, with every server stopped
openapi  print the API's OpenAPI 3.1 document, as /openapi.json serves it
`;

/**
 * A copy of `govdata-proxy`'s commands for shell completion only. Neither program imports the other; a test
 * compares this table with the real commands, word for word.
 */
export function proxyProgram(): Command {
  const program = new Command("govdata-proxy");
  for (const line of PROXY_COMMANDS.trim().split("\n")) {
    const [usage = "", description = ""] = line.split("  ");
    const words = usage.split(" ");
    const flagAt = words.findIndex((word) => word.startsWith("-"));
    const parent = words
      .slice(0, flagAt < 0 ? -1 : flagAt)
      .reduce((above, name) => above.commands.find((each) => each.name() === name) ?? above, program);
    if (flagAt < 0) parent.command(words.at(-1) ?? "").description(description);
    else parent.option(words.slice(flagAt).join(" "), description);
  }
  return program;
}
