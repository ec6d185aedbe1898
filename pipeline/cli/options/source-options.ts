import { type Command, Option } from "commander";
import { pipelineFailure } from "../../facts/errors.ts";
import {
  PUBLIC_HUB_URL,
  SOURCE_IDS,
  SOURCES,
  type SourceId,
  type SourceOption,
} from "../../facts/source-table.ts";
import type { FetchOptions } from "../../stages/fetch.ts";
import { parseDay, parseNumber, parseWhole, parseWord } from "./parse-options.ts";

/** The options of `fetch` and `run` as commander parses them. */
export interface SourceFlags {
  readonly source: string;
  readonly from?: string;
  readonly since?: string;
  readonly full?: boolean;
  readonly record?: string;
  readonly rps?: string;
  readonly concurrency?: string;
  readonly retryMinutes?: string;
}

/** The variables of live sources, with their meaning or the option that they replace. */
export const SOURCE_VARIABLES = {
  GOVDATA_HUB_KEY: "API key of the hub",
  "GOVDATA_RPC_<chain id>": "URL of a chain's node",
  GOVDATA_RPS: "as `--rps`",
  GOVDATA_CONCURRENCY: "as `--concurrency`",
  GOVDATA_RETRY_MINUTES: "as `--retry-minutes`",
  GOVDATA_SINCE: "as `--since`",
} as const;

export const LIVE_SOURCES_HELP = `
Variables:
${Object.entries(SOURCE_VARIABLES)
  .map(([name, means]) => `  ${name.padEnd(24)}${means.replaceAll("`", "")}`)
  .join("\n")}`;

export function addSourceOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--source <names>", `sources, separated by commas: ${SOURCE_IDS.join(", ")}`)
        .env("GOVDATA_SOURCE")
        .default("archive"),
    )
    .addOption(
      new Option(
        "--from <place>",
        `folder of an archive, or GraphQL URL of a hub (default: ${PUBLIC_HUB_URL})`,
      ).env("GOVDATA_FROM"),
    )
    .option("--since <day>", "hub: only proposals that end on this day or later")
    .option("--full", "fetch everything again, even if it is already held")
    .option("--record <dir>", "live: also write the answers as an archive")
    .option("--rps <n>", "live: requests per second (default: 100 a minute to a hub, 60 to a node)")
    .option("--concurrency <n>", "live: concurrent requests (default 4)")
    .option(
      "--retry-minutes <n>",
      `live: how long to wait in all for other tries of DAOs whose source was away (default ${RETRY_MINUTES})`,
    )
    .addHelpText("after", LIVE_SOURCES_HELP);
}

/** With pauses of 30 s, 1, 2 and 4 minutes, four other tries. */
const RETRY_MINUTES = 10;

/** Every option that only some sources use; one that is forgotten here does not compile. */
const SOURCE_OPTIONS: Readonly<Record<SourceOption, true>> = {
  since: true,
  full: true,
  record: true,
  rps: true,
  concurrency: true,
  retryMinutes: true,
};

function refuseUnused(sources: readonly SourceId[], flags: SourceFlags): void {
  const used = new Set<SourceOption>(sources.flatMap((source) => SOURCES[source].options));
  for (const name of Object.keys(SOURCE_OPTIONS) as SourceOption[]) {
    if (flags[name] === undefined || used.has(name)) continue;
    throw pipelineFailure("BAD_OPTION", `--source ${sources.join(",")} does not use --${wordsOf(name)}`);
  }
}

/** Those that read from what `--from` names. */
const takingFrom = (sources: readonly SourceId[]): readonly SourceId[] =>
  sources.filter((source) => SOURCES[source].from !== "nodes");

/** The chosen sources without duplicates. Two that need --from exclude each other. */
function parseSources(text: string): readonly SourceId[] {
  const sources = text.split(",").map((name) => parseWord("--source", name.trim(), SOURCE_IDS));
  const chosen = SOURCE_IDS.filter((id) => sources.includes(id));
  const [one, other] = takingFrom(chosen);
  if (one !== undefined && other !== undefined) {
    throw pipelineFailure("BAD_OPTION", `--source ${one} and --source ${other} both need --from`, {
      hint: "Fetch from one after the other.",
    });
  }
  return chosen;
}

/** An option's name as it is typed. */
const wordsOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** An option or its variable, with the name of the one that is set; an empty variable counts as unset. */
function given(
  name: "rps" | "concurrency" | "since" | "retryMinutes",
  flags: { readonly [Name in typeof name]?: string },
  environment: Readonly<Record<string, string | undefined>>,
): [name: string, text: string] | undefined {
  const flag = flags[name];
  if (flag !== undefined) return [`--${wordsOf(name)}`, flag];
  const variable = `GOVDATA_${wordsOf(name).replaceAll("-", "_").toUpperCase()}`;
  const text = environment[variable];
  return text === undefined || text === "" ? undefined : [variable, text];
}

/** The request rate from --rps or GOVDATA_RPS; throws `BAD_OPTION`. */
export function requestsPerMinuteOf(
  flags: { readonly rps?: string },
  environment: Readonly<Record<string, string | undefined>>,
): number | undefined {
  const rps = given("rps", flags, environment);
  return rps && 60 * parseNumber(...rps, 0.001, 1000);
}

/** Parses them; throws `BAD_OPTION`. */
export function fetchOptionsOf(
  flags: SourceFlags,
  spaceIds: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): FetchOptions {
  const sources = parseSources(flags.source);
  refuseUnused(sources, flags);
  const [needing] = takingFrom(sources);
  const usual = needing && SOURCES[needing].from;
  const from = flags.from ?? (typeof usual === "object" ? usual.url : undefined);
  if (needing !== undefined && (from === undefined || from === "")) {
    throw pipelineFailure("BAD_OPTION", `--source ${needing} needs --from`, {
      hint: "Example: --source archive --from ./archive. `--source snapshot-hub,governor` uses the public hub and chain nodes.",
    });
  }
  const since = given("since", flags, environment);
  const concurrency = given("concurrency", flags, environment);
  const retryMinutes = given("retryMinutes", flags, environment);
  return {
    sources,
    from,
    spaceIds,
    pace: {
      requestsPerMinute: requestsPerMinuteOf(flags, environment),
      concurrencyMax: concurrency && parseWhole(...concurrency, 1, 64),
    },
    sinceMs: since && Date.parse(`${parseDay(...since)}T00:00:00.000Z`),
    retryMs: 60_000 * (retryMinutes === undefined ? RETRY_MINUTES : parseNumber(...retryMinutes, 0, 1_440)),
    isFull: flags.full === true,
    recordDirectory: flags.record,
    // An empty variable means no key.
    hubKey: environment["GOVDATA_HUB_KEY"] || undefined,
    rpcUrlOf: (chainId) => environment[`GOVDATA_RPC_${chainId}`],
  };
}

/** The sources named by variables; `undefined` if none is set. Throws `BAD_OPTION`. */
export function sourcesOfVariables(
  environment: Readonly<Record<string, string | undefined>>,
): FetchOptions | undefined {
  const { GOVDATA_SOURCE: source, GOVDATA_FROM: from } = environment;
  if (source === undefined && from === undefined) return undefined;
  return fetchOptionsOf(
    { source: source ?? "archive", ...(from === undefined ? {} : { from }) },
    [],
    environment,
  );
}
