import { join } from "node:path";
import { parseTrustedKeys, type TrustedKey } from "../snapshots/store/manifest-signature.ts";
import { OperatorError } from "./http/operator-error.ts";
import { IN_FLIGHT_MAX } from "./transport-limits.ts";

/** Environment variables, as a command was given them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Every environment variable, what it does and what holds without it; `--help` prints this list. */
export const VARIABLES = {
  GOVDATA_PROXY_HOME: "keys, quota and pepper (.govdata/proxy); --home wins",
  GOVDATA_SNAPSHOTS: "published versions (snapshots/published); --snapshots wins",
  GOVDATA_OPTOUTS: "the list of live opt-outs (optouts.db beside the home); --optouts wins",
  GOVDATA_PROXY_HOST: "address to listen on (127.0.0.1); --host wins",
  GOVDATA_PROXY_PORT: "port to listen on (8787), 0 for a free one; --port wins",
  GOVDATA_PEPPER: "secret under which keys are stored, instead of the pepper file in the home",
  GOVDATA_MAX_AGE_HOURS: "/readyz says no when the version served was published longer ago (no limit)",
  GOVDATA_PUBLIC_KEY:
    "serve only versions that one of these public keys (commas between) has signed (no signature is asked for)",
  GOVDATA_CORS_ORIGINS: "origins whose web pages may call, separated by commas (none)",
  GOVDATA_IN_FLIGHT_MAX: `requests under way at once, beyond which callers get 503 (${IN_FLIGHT_MAX})`,
  GOVDATA_LOG_LEVEL: "silent, error, warn or info (info)",
} as const;

/** Where a command's files lie. */
export interface Places {
  readonly home: string;
  readonly snapshots: string;
  /** The list of live opt-outs, which `govdata` made. */
  readonly optouts: string;
}

/** What `serve` was told. */
export interface ServeSettings {
  readonly host: string;
  readonly port: number;
  readonly maxAgeMs: number | undefined;
  /** Who must have signed what is served; `undefined` asks for no signature. */
  readonly trustedKeys: readonly TrustedKey[] | undefined;
  readonly corsOrigins: ReadonlySet<string>;
  readonly inFlightMax: number;
  readonly logLevel: string;
}

const LOG_LEVELS = ["silent", "error", "warn", "info"];
const HOUR_MS = 3_600_000;

/** The places: flags, then environment, then defaults. */
export function readPlaces(flags: Partial<Places>, environment: Environment): Places {
  const home = flags.home ?? variable(environment, "GOVDATA_PROXY_HOME") ?? ".govdata/proxy";
  return {
    home,
    snapshots: flags.snapshots ?? variable(environment, "GOVDATA_SNAPSHOTS") ?? "snapshots/published",
    // Where the two programs keep their defaults, the proxy's home lies in that of `govdata`.
    optouts: flags.optouts ?? variable(environment, "GOVDATA_OPTOUTS") ?? join(home, "..", "optouts.db"),
  };
}

/** The settings of `serve`: flags, then environment, then defaults; refuses what it cannot read. */
export function readServeSettings(
  flags: { readonly host?: string; readonly port?: string },
  environment: Environment,
): ServeSettings {
  const hours = variable(environment, "GOVDATA_MAX_AGE_HOURS");
  const inFlight = variable(environment, "GOVDATA_IN_FLIGHT_MAX");
  const logLevel = variable(environment, "GOVDATA_LOG_LEVEL") ?? "info";
  if (!LOG_LEVELS.includes(logLevel)) {
    throw usage("GOVDATA_LOG_LEVEL is not a level.", `Use one of ${LOG_LEVELS.join(", ")}.`);
  }
  const port = flags.port ?? variable(environment, "GOVDATA_PROXY_PORT") ?? "8787";
  return {
    host: flags.host ?? variable(environment, "GOVDATA_PROXY_HOST") ?? "127.0.0.1",
    port: wholeNumber(port, { name: "The port", min: 0, max: 65_535 }),
    maxAgeMs: hours === undefined ? undefined : hoursOf(hours) * HOUR_MS,
    trustedKeys: trustedKeysOf(environment["GOVDATA_PUBLIC_KEY"]),
    corsOrigins: originsOf(variable(environment, "GOVDATA_CORS_ORIGINS") ?? ""),
    inFlightMax:
      inFlight === undefined
        ? IN_FLIGHT_MAX
        : wholeNumber(inFlight, { name: "GOVDATA_IN_FLIGHT_MAX", min: 1, max: 1_000_000 }),
    logLevel,
  };
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
