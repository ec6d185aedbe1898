import { type Command, Option } from "commander";
import { PipelineError } from "../../facts/errors.ts";
import { SOURCE_IDS, type SourceId } from "../../facts/governance-source.ts";
import type { FetchOptions } from "../../stages/fetch.ts";
import { parseDay, parseRate, parseWhole, parseWord } from "./parse-options.ts";

/** The options of `fetch` and `run` as commander gives them. */
export interface SourceFlags {
  readonly source: string;
  readonly from?: string;
  readonly since?: string;
  readonly full?: boolean;
  readonly record?: string;
  readonly rps?: string;
  readonly concurrency?: string;
}

/** The variables of live sources, below the help of what asks them. */
export const LIVE_SOURCES_HELP =
  "\nGOVDATA_HUB_KEY is the hub's API key; GOVDATA_RPC_<chain id> is the address of a chain's node.";

/** Adds the options that say where to fetch from. */
export function addSourceOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--source <names>", `where to fetch from, with commas between: ${SOURCE_IDS.join(", ")}`)
        .env("GOVDATA_SOURCE")
        .default("archive"),
    )
    .addOption(
      new Option("--from <place>", "folder of the unpacked archive, or the hub's GraphQL address").env(
        "GOVDATA_FROM",
      ),
    )
    .option("--since <day>", "hub: only proposals that end on that day or later")
    .option("--full", "read and ask for everything again, whatever is held")
    .option("--record <dir>", "live: also write what came as an archive")
    .option("--rps <n>", "live: requests a second (default 1)")
    .option("--concurrency <n>", "live: requests at once (default 4)")
    .addHelpText("after", LIVE_SOURCES_HELP);
}

/** Options that only some sources have a use for. */
const USED_BY: Readonly<Record<"since" | "full" | "record" | "rps" | "concurrency", readonly SourceId[]>> = {
  since: ["snapshot-hub"],
  full: ["archive", "snapshot-hub", "governor"],
  record: ["snapshot-hub", "governor"],
  rps: ["snapshot-hub", "governor"],
  concurrency: ["snapshot-hub", "governor"],
};

/** Refuses options that every chosen source would ignore. */
function refuseUnused(sources: readonly SourceId[], flags: SourceFlags): void {
  for (const [name, users] of Object.entries(USED_BY)) {
    const isGiven = flags[name as keyof typeof USED_BY] !== undefined;
    if (!isGiven || sources.some((source) => users.includes(source))) continue;
    throw new PipelineError("BAD_OPTION", `--source ${sources.join(",")} has no use for --${name}`);
  }
}

/** The sources that were named, each once. An archive and a hub are both told by --from, so they are never named together. */
function parseSources(text: string): readonly SourceId[] {
  const sources = text.split(",").map((name) => parseWord("--source", name.trim(), SOURCE_IDS));
  if (sources.includes("archive") && sources.includes("snapshot-hub")) {
    throw new PipelineError("BAD_OPTION", "--source archive and --source snapshot-hub both need --from", {
      hint: "Fetch from one after the other.",
    });
  }
  return SOURCE_IDS.filter((id) => sources.includes(id));
}

/** Reads them; throws `PipelineError` BAD_OPTION. */
export function fetchOptionsOf(
  flags: SourceFlags,
  spaceIds: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): FetchOptions {
  const sources = parseSources(flags.source);
  refuseUnused(sources, flags);
  const told = sources.find((source) => source !== "governor");
  if (told !== undefined && (flags.from === undefined || flags.from === "")) {
    throw new PipelineError("BAD_OPTION", `--source ${told} needs --from`, {
      hint: "Example: govdata fetch --source archive --from ./archive",
    });
  }
  return {
    sources,
    from: flags.from,
    spaceIds,
    pace: {
      requestsPerMinute: flags.rps === undefined ? undefined : 60 * parseRate("--rps", flags.rps),
      concurrencyMax:
        flags.concurrency === undefined ? undefined : parseWhole("--concurrency", flags.concurrency, 1, 64),
    },
    sinceMs:
      flags.since === undefined ? undefined : Date.parse(`${parseDay("--since", flags.since)}T00:00:00.000Z`),
    isFull: flags.full === true,
    recordDirectory: flags.record,
    hubKey: environment["GOVDATA_HUB_KEY"],
    rpcUrlOf: (chainId) => environment[`GOVDATA_RPC_${chainId}`],
  };
}
