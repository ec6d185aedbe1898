import { type Command, Option } from "commander";
import { PipelineError } from "../../base/pipeline-error.ts";
import { type FetchOptions, SOURCE_IDS, type SourceId } from "../../run/fetch.ts";
import { parseDay, parseRate, parseWhole, parseWord } from "../parse-options.ts";

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

/** Adds the options that say where to fetch from. */
export function addSourceOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--source <name>", `where to fetch from: ${SOURCE_IDS.join(", ")}`)
        .env("GOVDATA_SOURCE")
        .default("archive"),
    )
    .addOption(
      new Option("--from <place>", "folder of the unpacked archive, or the hub's GraphQL address").env(
        "GOVDATA_FROM",
      ),
    )
    .option("--since <day>", "hub: only proposals that end on that day or later")
    .option("--full", "hub: ask for everything again, whatever is held")
    .option("--record <dir>", "hub: also write what came as an archive")
    .option("--rps <n>", "live: requests a second (default 1)")
    .option("--concurrency <n>", "live: requests at once (default 4)")
    .addHelpText(
      "after",
      "\nGOVDATA_HUB_KEY is the hub's API key; GOVDATA_RPC_<chain id> is the address of a chain's node.",
    );
}

/** Refuses options that the chosen source would ignore. */
function refuseUnused(source: SourceId, flags: SourceFlags): void {
  const given = (["since", "full", "record"] as const).filter((name) => flags[name] !== undefined);
  const unused = source === "snapshot-hub" ? [] : given;
  const live = (["rps", "concurrency"] as const).filter((name) => flags[name] !== undefined);
  const [first] = [...unused, ...(source === "archive" ? live : [])];
  if (first !== undefined)
    throw new PipelineError("BAD_OPTION", `--source ${source} has no use for --${first}`);
}

/** Reads them; throws `PipelineError` BAD_OPTION. */
export function fetchOptionsOf(
  flags: SourceFlags,
  spaceIds: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): FetchOptions {
  const source = parseWord("--source", flags.source, SOURCE_IDS);
  refuseUnused(source, flags);
  if (source !== "governor" && (flags.from === undefined || flags.from === "")) {
    throw new PipelineError("BAD_OPTION", `--source ${source} needs --from`, {
      hint: "Example: govdata fetch --source archive --from ./archive",
    });
  }
  return {
    source,
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
