import { isIP } from "node:net";
import { join } from "node:path";
import { SEQUENCE_MAX } from "../snapshots/format/limits.ts";
import { isRemoteAddress, parseRemoteAddress } from "../snapshots/remote/remote-address.ts";
import { RemoteError } from "../snapshots/remote/remote-store.ts";
import { parseTrustedKeys, type TrustedKey } from "../snapshots/store/read/manifest-signature.ts";
import { OperatorError } from "./operator-error.ts";
import { readRedisAddress } from "./redis/redis-address.ts";
import { CONNECTIONS_MAX, IN_FLIGHT_MAX } from "./server/limits.ts";
import { DRAIN_MS } from "./server/stop-server.ts";

/** Environment variables, as a command was given them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Every environment variable, what it does and what holds without it; `--help` prints this list. */
export const VARIABLES = {
  GOVDATA_PROXY_HOME: "keys, quota and pepper (.govdata/proxy); --home wins",
  GOVDATA_SNAPSHOTS:
    "published versions: a folder, or s3://bucket/prefix or https://mirror, of which the home keeps a copy (snapshots/published); --snapshots wins",
  GOVDATA_OPTOUTS: "the list of live opt-outs (optouts.db beside the home); --optouts wins",
  GOVDATA_QUOTA:
    "redis://host:port/database (rediss:// for TLS) with keys and quota of several hosts (files in the home)",
  GOVDATA_PROXY_HOST: "address to listen on (127.0.0.1); --host wins",
  GOVDATA_PROXY_PORT: "port to listen on (8787), 0 for a free one; --port wins",
  GOVDATA_PROXY_ADMIN_HOST: "address of the operator's listener (127.0.0.1): never a public one",
  GOVDATA_PROXY_ADMIN_PORT:
    "port of the operator's listener with /metrics, 0 for a free one (no such listener); --admin-port wins",
  GOVDATA_PROXY_DRAIN_SECONDS: `a stopping server serves on for so long while callers leave, 0 to 300 (${DRAIN_MS / 1000})`,
  GOVDATA_PEPPER: "secret under which keys are stored, instead of the pepper file in the home",
  GOVDATA_MAX_AGE_HOURS: "/readyz says no when the version served was published longer ago (no limit)",
  GOVDATA_PUBLIC_KEY:
    "serve only versions that one of these public keys (commas between) has signed (no signature is asked for)",
  GOVDATA_MIN_SEQUENCE:
    "the lowest sequence to accept on a machine that has served nothing yet (none; `govdata status` tells it)",
  GOVDATA_CORS_ORIGINS: "origins whose web pages may call, separated by commas (none)",
  GOVDATA_IN_FLIGHT_MAX: `requests under way at once, beyond which callers get 503 (${IN_FLIGHT_MAX})`,
  GOVDATA_PROXY_CONNECTIONS_MAX: `connections at once, beyond which one is dropped at once (${CONNECTIONS_MAX})`,
  GOVDATA_LOG_LEVEL: "silent, error, warn or info (info)",
} as const;

/** Where a command's files lie. */
export interface Places {
  readonly home: string;
  /** The folder of published versions; with `remote` that of their copy. */
  readonly snapshots: string;
  /** The address that versions are copied from, where they are not published on this machine. */
  readonly remote?: string;
  /** The list of live opt-outs, which `govdata` made. */
  readonly optouts: string;
}

/** What `follow` was told, and `serve` too. */
export interface FollowSettings {
  /** Who must have signed what is served; `undefined` asks for no signature. */
  readonly trustedKeys: readonly TrustedKey[] | undefined;
  /** The lowest sequence to accept where nothing was served yet. */
  readonly sequenceMin: number;
  readonly logLevel: string;
}

/** What `serve` was told. */
export interface ServeSettings extends FollowSettings {
  readonly host: string;
  readonly port: number;
  /** Where keys and quota are, if not in the home; it may hold a password. */
  readonly redisUrl: string | undefined;
  readonly maxAgeMs: number | undefined;
  readonly corsOrigins: ReadonlySet<string>;
  readonly inFlightMax: number;
  readonly connectionsMax: number;
  /** Where the operator's listener is; without it there is none. */
  readonly admin: { readonly host: string; readonly port: number } | undefined;
  /** How long a stopping server serves on while callers leave. */
  readonly drainMs: number;
}

/** What the names of this program alone begin with; others that begin with GOVDATA may belong to `govdata`. */
const OWN_PREFIX = "GOVDATA_PROXY_HOME".slice(0, -"HOME".length);

const LOG_LEVELS = ["silent", "error", "warn", "info"];
const HOUR_MS = 3_600_000;

/** The places: flags, then environment, then defaults. */
export function readPlaces(flags: Partial<Places>, environment: Environment): Places {
  const home = flags.home ?? variable(environment, "GOVDATA_PROXY_HOME") ?? ".govdata/proxy";
  return {
    home,
    ...publishedPlace(
      flags.snapshots ?? variable(environment, "GOVDATA_SNAPSHOTS") ?? "snapshots/published",
      home,
      "--snapshots or GOVDATA_SNAPSHOTS",
    ),
    // Where the two programs keep their defaults, the proxy's home lies in that of `govdata`.
    optouts: flags.optouts ?? variable(environment, "GOVDATA_OPTOUTS") ?? join(home, "..", "optouts.db"),
  };
}

/** A folder as it is; of an address the copy, which the home keeps, as each proxy has its own. */
export function publishedPlace(
  given: string,
  home: string,
  flag: string,
): Pick<Places, "snapshots" | "remote"> {
  if (!isRemoteAddress(given)) return { snapshots: given };
  try {
    parseRemoteAddress(given);
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    throw usage(`${flag}: ${error.message}.`, "For example: s3://bucket/prefix, https://mirror.example.org");
  }
  return { snapshots: join(home, "published"), remote: given };
}

/** The flags of `serve`, as they were given. */
export interface ServeFlags {
  readonly host?: string;
  readonly port?: string;
  readonly adminPort?: string;
}

/** The settings of `follow`; refuses what it cannot read. */
export function readFollowSettings(environment: Environment): FollowSettings {
  const logLevel = variable(environment, "GOVDATA_LOG_LEVEL") ?? "info";
  if (!LOG_LEVELS.includes(logLevel)) {
    throw usage("GOVDATA_LOG_LEVEL is not a level.", `Use one of ${LOG_LEVELS.join(", ")}.`);
  }
  return {
    trustedKeys: trustedKeysOf(environment["GOVDATA_PUBLIC_KEY"]),
    sequenceMin: sequenceMinOf(variable(environment, "GOVDATA_MIN_SEQUENCE")),
    logLevel,
  };
}

/** The settings of `serve`: flags, then environment, then defaults; refuses what it cannot read. */
export function readServeSettings(flags: ServeFlags, environment: Environment): ServeSettings {
  const hours = variable(environment, "GOVDATA_MAX_AGE_HOURS");
  const host = flags.host ?? variable(environment, "GOVDATA_PROXY_HOST") ?? "127.0.0.1";
  const port = flags.port ?? variable(environment, "GOVDATA_PROXY_PORT") ?? "8787";
  const number = (name: keyof typeof VARIABLES, otherwise: number, min: number, max: number) => {
    const text = variable(environment, name);
    return text === undefined ? otherwise : wholeNumber(text, { name, min, max });
  };
  return {
    host: hostOf(host, flags.host === undefined ? "GOVDATA_PROXY_HOST" : "--host"),
    port: portOf(port, flags.port === undefined ? "GOVDATA_PROXY_PORT" : "--port"),
    redisUrl: redisUrlOf(variable(environment, "GOVDATA_QUOTA")),
    maxAgeMs: hours === undefined ? undefined : hoursOf(hours) * HOUR_MS,
    ...readFollowSettings(environment),
    corsOrigins: originsOf(variable(environment, "GOVDATA_CORS_ORIGINS") ?? ""),
    inFlightMax: number("GOVDATA_IN_FLIGHT_MAX", IN_FLIGHT_MAX, 1, 1_000_000),
    connectionsMax: number("GOVDATA_PROXY_CONNECTIONS_MAX", CONNECTIONS_MAX, 8, 100_000),
    admin: adminOf(flags.adminPort, environment),
    drainMs: 1000 * number("GOVDATA_PROXY_DRAIN_SECONDS", DRAIN_MS / 1000, 0, 300),
  };
}

/** Names that look like variables of this program and are none: a typing mistake would otherwise go unseen. */
export function unknownVariables(environment: Environment): readonly string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith(OWN_PREFIX) && !(name in VARIABLES))
    .sort();
}

function adminOf(flag: string | undefined, environment: Environment): ServeSettings["admin"] {
  const port = flag ?? variable(environment, "GOVDATA_PROXY_ADMIN_PORT");
  const host = variable(environment, "GOVDATA_PROXY_ADMIN_HOST") ?? "127.0.0.1";
  const checked = hostOf(host, "GOVDATA_PROXY_ADMIN_HOST");
  if (port === undefined) return undefined;
  return {
    host: checked,
    port: portOf(port, flag === undefined ? "GOVDATA_PROXY_ADMIN_PORT" : "--admin-port"),
  };
}

function portOf(text: string, name: string): number {
  return wholeNumber(text, { name, min: 0, max: 65_535 });
}

/** What could be an address or a name of one: whether this machine has it shows when it listens. */
function hostOf(text: string, name: string): string {
  const isName = /^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$/.test(
    text,
  );
  if (isIP(text) !== 0 || (isName && text.length <= 253)) return text;
  throw usage(`${name} is not an address or a name of a machine.`, "For example: 127.0.0.1, ::1, localhost");
}

/** A whole number in plain digits within a range; refuses anything else by name. */
export function wholeNumber(text: string, range: { name: string; min: number; max: number }): number {
  const value = /^(0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : Number.NaN;
  if (value >= range.min && value <= range.max) return value;
  throw usage(`${range.name} is not a whole number from ${range.min} to ${range.max}.`, "Give plain digits.");
}

/** A mistake in how a command was called. */
export function usage(message: string, hint: string): OperatorError {
  return new OperatorError("USAGE", message, hint);
}

/** A variable that is set but empty counts as not set, as shells and unit files expect. */
function variable(environment: Environment, name: keyof typeof VARIABLES): string | undefined {
  const value = environment[name];
  return value === "" ? undefined : value;
}

function sequenceMinOf(text: string | undefined): number {
  if (text === undefined) return 0;
  return wholeNumber(text, { name: "GOVDATA_MIN_SEQUENCE", min: 1, max: SEQUENCE_MAX });
}

function hoursOf(text: string): number {
  const hours = /^[0-9]+(\.[0-9]+)?$/.test(text) ? Number(text) : Number.NaN;
  if (hours > 0 && Number.isFinite(hours)) return hours;
  throw usage("GOVDATA_MAX_AGE_HOURS is not a number of hours above 0.", "For example: 26");
}

/** A key that cannot be read, or came out empty, must not pass for none: everything would be served then. */
function trustedKeysOf(text: string | undefined): readonly TrustedKey[] | undefined {
  if (text === undefined) return undefined;
  const keys = parseTrustedKeys(text);
  if (keys !== undefined) return keys;
  throw usage(
    "GOVDATA_PUBLIC_KEY holds something that is no Ed25519 public key.",
    "`govdata sign-key` prints it.",
  );
}

function redisUrlOf(text: string | undefined): string | undefined {
  if (text !== undefined) readRedisAddress(text);
  return text;
}

function originsOf(text: string): ReadonlySet<string> {
  const origins = text
    .split(",")
    .map((origin) => origin.trim())
    .filter((origin) => origin !== "");
  for (const origin of origins) {
    // "*" is refused with the rest: any page on the web could then spend a visitor's key.
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
      throw usage(
        "GOVDATA_CORS_ORIGINS holds something that is not an origin.",
        "Write https://app.example.org",
      );
    }
  }
  return new Set(origins);
}
