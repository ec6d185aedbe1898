import { type Command, Option } from "commander";
import { pipelineFailure } from "../../facts/errors.ts";
import { PUBLIC_HUB_URL, SOURCE_IDS, type SourceId } from "../../facts/governance-source.ts";
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

const USED_BY: Readonly<
  Record<"since" | "full" | "record" | "rps" | "concurrency" | "retryMinutes", readonly SourceId[]>
> = {
  since: ["snapshot-hub"],
  full: ["archive", "snapshot-hub", "governor"],
  record: ["snapshot-hub", "governor"],
  rps: ["snapshot-hub", "governor"],
  concurrency: ["snapshot-hub", "governor"],
  retryMinutes: ["snapshot-hub", "governor"],
};

function refuseUnused(sources: readonly SourceId[], flags: SourceFlags): void {
  for (const [name, users] of Object.entries(USED_BY)) {
    const isGiven = flags[name as keyof typeof USED_BY] !== undefined;
    if (!isGiven || sources.some((source) => users.includes(source))) continue;
    throw pipelineFailure("BAD_OPTION", `--source ${sources.join(",")} does not use --${wordsOf(name)}`);
  }
}

/** The chosen sources without duplicates. An archive and a hub both need --from, so they exclude each other. */
function parseSources(text: string): readonly SourceId[] {
  const sources = text.split(",").map((name) => parseWord("--source", name.trim(), SOURCE_IDS));
  if (sources.includes("archive") && sources.includes("snapshot-hub")) {
    throw pipelineFailure("BAD_OPTION", "--source archive and --source snapshot-hub both need --from", {
      hint: "Fetch from one after the other.",
    });
  }
  return SOURCE_IDS.filter((id) => sources.includes(id));
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
  const named = sources.find((source) => source !== "governor");
  const from = flags.from ?? (named === "snapshot-hub" ? PUBLIC_HUB_URL : undefined);
  if (named !== undefined && (from === undefined || from === "")) {
    throw pipelineFailure("BAD_OPTION", `--source ${named} needs --from`, {
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
