import { availableParallelism } from "node:os";
import type { Option } from "commander";
import {
  type Environment,
  setting,
  settingOr,
  settingsFrom,
} from "../../../snapshots/base/command-line/settings.ts";
import { ANY_TEXT, DAY, decimalNumber, wholeNumber } from "../../../snapshots/base/command-line/values.ts";
import { PUBLIC_HUB_URL, PUBLIC_ONCHAIN_URL } from "../../facts/source-table.ts";

/** More threads would only wait for the single writer. */
const THREADS_MAX = 16;

/** With pauses of 30 s, 1, 2 and 4 minutes, four other tries. */
const RETRY_MINUTES = "10";

/** Every environment variable, and the option that wins over it. */
export const SETTINGS = settingsFrom(
  {
    GOVDATA_HOME: settingOr(
      ANY_TEXT,
      "folder of the warehouse, registry and other unpublished state",
      ".govdata",
      "--home <dir>",
    ),
    GOVDATA_SNAPSHOTS: settingOr(
      ANY_TEXT,
      "folder where versions are published",
      "snapshots/published",
      "--snapshots <dir>",
    ),
    GOVDATA_REGISTRY: setting(
      ANY_TEXT,
      "tracked DAOs and entities",
      "the home's, otherwise the curated list",
      "--registry <file>",
    ),
    GOVDATA_OPTOUTS: setting(
      ANY_TEXT,
      "live opt-outs that both programs obey",
      "the home's",
      "--optouts <file>",
    ),
    GOVDATA_SOURCE: setting(
      ANY_TEXT,
      "sources, separated by commas",
      "the live ones that the registry needs",
      "--source <names>",
    ),
    GOVDATA_FROM: setting(
      ANY_TEXT,
      "folder of an archive, or GraphQL URL of a hub",
      PUBLIC_HUB_URL,
      "--from <place>",
    ),
    GOVDATA_SINCE: setting(DAY, "hub: only proposals that end on this day or later", "all", "--since <day>"),
    GOVDATA_RPS: setting(
      decimalNumber(0.001, 1000),
      "live: requests per second",
      "100 a minute to a hub, 60 to a node",
      "--rps <n>",
    ),
    GOVDATA_CONCURRENCY: setting(wholeNumber(1, 64), "live: concurrent requests", "4", "--concurrency <n>"),
    GOVDATA_RETRY_MINUTES: settingOr(
      decimalNumber(0, 1_440),
      "live: how long to wait in all for other tries of DAOs whose source was away",
      RETRY_MINUTES,
      "--retry-minutes <n>",
    ),
    GOVDATA_AS_OF: setting(
      ANY_TEXT,
      "score as of the end of a day or a UTC moment",
      "now",
      "--as-of <moment>",
    ),
    GOVDATA_PUBLIC_KEY: setting(
      ANY_TEXT,
      "keys that a version may be signed with",
      "",
      "--public-key <keys>",
    ),
    GOVDATA_THREADS: setting(
      wholeNumber(0, THREADS_MAX),
      "threads for reading archives and scoring; 0 uses the main thread",
      "one per core",
      "--threads <n>",
    ),
    GOVDATA_HUB_KEY: setting(ANY_TEXT, "API key of the hub", ""),
    GOVDATA_ONCHAIN_URL: setting(ANY_TEXT, "Snapshot's on-chain API", PUBLIC_ONCHAIN_URL),
    GOVDATA_DELEGATES: setting(ANY_TEXT, "delegates service of on-chain tokens", "off"),
    "GOVDATA_RPC_<chain id>": setting(ANY_TEXT, "URL of a chain's node", ""),
  },
  // Empty ones are refused: a script that lost a place must not work in the default one, nor a lost key allow any version.
  [
    "GOVDATA_HOME",
    "GOVDATA_SNAPSHOTS",
    "GOVDATA_REGISTRY",
    "GOVDATA_OPTOUTS",
    "GOVDATA_SOURCE",
    "GOVDATA_FROM",
    "GOVDATA_ONCHAIN_URL",
    "GOVDATA_AS_OF",
    "GOVDATA_PUBLIC_KEY",
    "GOVDATA_THREADS",
  ],
);

/** Threads need compiled code: from source, as in our tests, there are none unless requested. */
const IS_COMPILED = import.meta.url.endsWith(".js");

/** The requested number of threads, by default the number of cores. Throws `BAD_OPTION`. */
export function threadsOf(environment: Environment, given: string | undefined): number {
  const threads = SETTINGS.read("GOVDATA_THREADS", environment, given);
  return threads ?? (IS_COMPILED ? Math.min(availableParallelism(), THREADS_MAX) : 0);
}

/** The option for public keys, of which each command makes another use. */
export function publicKeyOption(words: string): Option {
  return SETTINGS.option("GOVDATA_PUBLIC_KEY", { words: `${words} (separated by commas)` });
}

export interface KeyFlags {
  readonly publicKey?: string;
}

/** The public keys as they are given, separated by commas. */
export function publicKeysOf(environment: Environment, flags: KeyFlags): string | undefined {
  return SETTINGS.read("GOVDATA_PUBLIC_KEY", environment, flags.publicKey);
}
