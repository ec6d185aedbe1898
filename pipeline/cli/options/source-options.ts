import type { Command } from "commander";
import type { Environment } from "../../../snapshots/base/command-line/settings.ts";
import { parseValue, wordOf } from "../../../snapshots/base/command-line/values.ts";
import { pipelineFailure } from "../../facts/errors.ts";
import {
  LIVE_SOURCE_IDS,
  SOURCE_IDS,
  SOURCES,
  type SourceId,
  type SourceOption,
} from "../../facts/source-table.ts";
import type { FetchOptions } from "../../stages/fetch.ts";
import { SETTINGS } from "./settings.ts";

export type SourceFlags = Partial<
  Record<"source" | "from" | "since" | "record" | "rps" | "concurrency" | "retryMinutes", string> &
    Record<"full", boolean>
>;

/** The variables of live sources that have no option. */
export const LIVE_SOURCES_HELP = `\n${SETTINGS.help(["GOVDATA_HUB_KEY", "GOVDATA_ONCHAIN_URL", "GOVDATA_DELEGATES", "GOVDATA_RPC_<chain id>"])}`;

export function addSourceOptions(command: Command): Command {
  return command
    .addOption(
      SETTINGS.option("GOVDATA_SOURCE", { words: `sources, separated by commas: ${SOURCE_IDS.join(", ")}` }),
    )
    .addOption(SETTINGS.option("GOVDATA_FROM"))
    .addOption(SETTINGS.option("GOVDATA_SINCE"))
    .option("--full", "do everything again, even what has not changed")
    .option("--record <dir>", "live: also write the answers as an archive")
    .addOption(SETTINGS.option("GOVDATA_RPS"))
    .addOption(SETTINGS.option("GOVDATA_CONCURRENCY"))
    .addOption(SETTINGS.option("GOVDATA_RETRY_MINUTES"))
    .addHelpText("after", LIVE_SOURCES_HELP);
}

const optionsOf = (sources: readonly SourceId[]): readonly SourceOption[] =>
  sources.flatMap((source) => SOURCES[source].options);

function refuseUnused(sources: readonly SourceId[], flags: SourceFlags): void {
  const used = optionsOf(sources);
  const unused = optionsOf(SOURCE_IDS).find((name) => flags[name] !== undefined && !used.includes(name));
  if (unused === undefined) return;
  const option = unused.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw pipelineFailure("BAD_OPTION", `--source ${sources.join(",")} does not use --${option}`);
}

const takingFrom = (sources: readonly SourceId[]): readonly SourceId[] =>
  sources.filter((source) => !["nodes", "variable"].includes(String(SOURCES[source].from)));

/** The chosen sources without duplicates. Two that need --from exclude each other. */
function parseSources(text: string): readonly SourceId[] {
  const sources = text.split(",").map((name) => parseValue(wordOf(SOURCE_IDS), "--source", name.trim()));
  const chosen = SOURCE_IDS.filter((id) => sources.includes(id));
  const [one, other] = takingFrom(chosen);
  if (one !== undefined && other !== undefined) {
    throw pipelineFailure("BAD_OPTION", `--source ${one} and --source ${other} both need --from`, {
      hint: "Fetch from one after the other.",
    });
  }
  return chosen;
}

export function requestsPerMinuteOf(
  flags: { readonly rps?: string },
  environment: Environment,
): number | undefined {
  const rps = SETTINGS.read("GOVDATA_RPS", environment, flags.rps);
  return rps && 60 * rps;
}

/** Throws `BAD_OPTION`. */
export function fetchOptionsOf(
  flags: SourceFlags,
  spaceIds: readonly string[],
  environment: Environment,
): FetchOptions {
  const named = SETTINGS.read("GOVDATA_SOURCE", environment, flags.source);
  const place = SETTINGS.read("GOVDATA_FROM", environment, flags.from);
  // Without --source, --from names an archive or the hub of the live sources.
  const implied = place === undefined || /^https?:/i.test(place) ? undefined : (["archive"] as const);
  const sources = named === undefined ? implied : parseSources(named);
  const possible = sources ?? LIVE_SOURCE_IDS;
  refuseUnused(possible, flags);
  const [needing] = takingFrom(possible);
  const usual = needing && SOURCES[needing].from;
  const from = place ?? (typeof usual === "object" ? usual.url : undefined);
  if (needing !== undefined && (from === undefined || from === "")) {
    throw pipelineFailure("BAD_OPTION", `--source ${needing} needs --from`, {
      hint: "Example: --source archive --from ./archive. Without both options, live sources are used.",
    });
  }
  const since = SETTINGS.read("GOVDATA_SINCE", environment, flags.since);
  return {
    sources,
    from,
    spaceIds,
    pace: {
      requestsPerMinute: requestsPerMinuteOf(flags, environment),
      concurrencyMax: SETTINGS.read("GOVDATA_CONCURRENCY", environment, flags.concurrency),
    },
    sinceMs: since === undefined ? undefined : Date.parse(`${since}T00:00:00.000Z`),
    retryMs: 60_000 * SETTINGS.read("GOVDATA_RETRY_MINUTES", environment, flags.retryMinutes),
    isFull: flags.full === true,
    recordDirectory: flags.record,
    hubKey: SETTINGS.read("GOVDATA_HUB_KEY", environment),
    onchainUrl: SETTINGS.read("GOVDATA_ONCHAIN_URL", environment),
    delegatesUrl: SETTINGS.read("GOVDATA_DELEGATES", environment),
    rpcUrlOf: (chainId) => environment[`GOVDATA_RPC_${chainId}`],
  };
}

/** The sources of the variables; `undefined` if none says where to fetch from. Throws `BAD_OPTION`. */
export function sourcesOfVariables(environment: Environment): FetchOptions | undefined {
  const named = /^GOVDATA_(SOURCE|FROM|HUB_KEY|ONCHAIN_URL|DELEGATES|RPC_\d+)$/;
  const isNamed = Object.entries(environment).some(([name, text]) => text !== undefined && named.test(name));
  return isNamed ? fetchOptionsOf({}, [], environment) : undefined;
}
