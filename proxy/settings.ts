import { isIP } from "node:net";
import { join, resolve } from "node:path";
import { z } from "zod";
import { SEQUENCE_MAX } from "../snapshots/format/limits.ts";
import { isRemoteAddress, parseRemoteAddress } from "../snapshots/remote/remote-address.ts";
import { isRemoteFailure } from "../snapshots/remote/remote-store.ts";
import { parseTrustedKeys, type TrustedKey } from "../snapshots/store/read/manifest-signature.ts";
import { type OperatorFailure, operatorFailure } from "./operator-error.ts";
import { CONNECTION_LIMITS, DRAIN_MS, IN_FLIGHT_MAX } from "./server/limits.ts";

/** Environment variables, as passed to a command. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The valid texts of a setting, and the error for others; the error never repeats the given text. */
interface Kind<Value> {
  readonly shape: z.ZodType<Value, string>;
  readonly wrong: string;
  readonly hint: string;
}

/** The prefix of this program's variables; others that begin with GOVDATA may belong to `govdata`. */
const OWN_PREFIX = "GOVDATA_PROXY_HOME".slice(0, -"HOME".length);

const HOUR_MS = 3_600_000;
const LOG_LEVELS = ["silent", "error", "warn", "info"];
const HOST_NAME = /^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$/;

const TEXT: Kind<string> = { shape: z.string(), wrong: "is not text", hint: "" };

const PORT = whole(0, 65_535);

const HOST: Kind<string> = {
  // Whether this machine has the address is known only when it listens.
  shape: z.string().refine((text) => isIP(text) !== 0 || (HOST_NAME.test(text) && text.length <= 253)),
  wrong: "is not an IP address or a host name",
  hint: "For example: 127.0.0.1, ::1, localhost",
};

const HOURS_AS_MS: Kind<number> = {
  shape: z
    .string()
    .regex(/^[0-9]+(\.[0-9]+)?$/)
    .transform((text) => Number(text) * HOUR_MS)
    .refine((ms) => ms > 0 && Number.isFinite(ms)),
  wrong: "is not a number of hours above 0",
  hint: "For example: 26",
};

const PUBLIC_KEYS: Kind<readonly TrustedKey[]> = {
  shape: z.string().transform(parseTrustedKeys).pipe(z.custom<readonly TrustedKey[]>(Array.isArray)),
  wrong: "contains something that is not an Ed25519 public key",
  hint: "`govdata sign-key` prints it.",
};

const ORIGINS: Kind<readonly string[]> = {
  shape: z
    .string()
    .transform((text) => text.split(",").flatMap((origin) => origin.trim() || []))
    // "*" is refused too: with it any web page could use a visitor's key.
    .refine((origins) => origins.every((text) => URL.canParse(text) && new URL(text).origin === text)),
  wrong: "contains something that is not an origin",
  hint: "For example: https://app.example.org",
};

const LOG_LEVEL: Kind<string> = {
  shape: z.string().refine((text) => LOG_LEVELS.includes(text)),
  wrong: "is not a log level",
  hint: `Use one of ${LOG_LEVELS.join(", ")}.`,
};

/** A setting, and a description of what applies without it. */
const setting = <Value>(kind: Kind<Value>, words: string, otherwise: string, flag?: string) => ({
  ...kind,
  words,
  otherwise,
  flag,
  hasDefault: false as const,
});

/** A setting with this default value. */
const settingOr = <Value>(kind: Kind<Value>, words: string, otherwise: string, flag?: string) => ({
  ...setting(kind, words, otherwise, flag),
  hasDefault: true as const,
});

/** Every environment variable: its valid texts, its effect, its default, and the flag that overrides it. */
export const SETTINGS = {
  GOVDATA_PROXY_HOME: settingOr(TEXT, "folder with keys, quota and pepper", ".govdata/proxy", "--home"),
  GOVDATA_SNAPSHOTS: settingOr(
    TEXT,
    "published versions: a folder, s3://bucket/prefix or https://mirror; of the last two the home keeps a copy",
    "snapshots/published",
    "--snapshots",
  ),
  GOVDATA_OPTOUTS: setting(TEXT, "list of live opt-outs", "optouts.db beside the home", "--optouts"),
  // Its address is read where it is used.
  GOVDATA_QUOTA: setting(
    TEXT,
    "Redis in which several hosts share keys and quota: redis://host:port/database, rediss:// for TLS",
    "files in the home",
  ),
  GOVDATA_PROXY_HOST: settingOr(HOST, "address to listen on", "127.0.0.1", "--host"),
  GOVDATA_PROXY_PORT: settingOr(PORT, "port to listen on, 0 for a free one", "8787", "--port"),
  GOVDATA_PROXY_ADMIN_HOST: settingOr(
    HOST,
    "address of the operator's listener, which must not be public",
    "127.0.0.1",
  ),
  GOVDATA_PROXY_ADMIN_PORT: setting(
    PORT,
    "port of the operator's listener with /metrics, 0 for a free one",
    "no such listener",
    "--admin-port",
  ),
  GOVDATA_PROXY_DRAIN_SECONDS: settingOr(
    whole(0, 300),
    "seconds for which a stopping server keeps serving while callers leave, 0 to 300",
    `${DRAIN_MS / 1000}`,
  ),
  GOVDATA_PEPPER: setting(TEXT, "secret with which keys are hashed", "the file pepper in the home"),
  GOVDATA_MAX_AGE_HOURS: setting(
    HOURS_AS_MS,
    "/readyz answers 503 if the version served is older than so many hours",
    "no limit",
  ),
  GOVDATA_PUBLIC_KEY: setting(
    PUBLIC_KEYS,
    "serve only versions signed by one of these public keys, separated by commas",
    "signatures are not checked",
  ),
  GOVDATA_MIN_SEQUENCE: setting(
    whole(1, SEQUENCE_MAX),
    "lowest sequence to accept on a machine that has not served any version yet",
    "none; `govdata status` shows it",
  ),
  GOVDATA_CORS_ORIGINS: setting(
    ORIGINS,
    "origins whose web pages may call the API, separated by commas",
    "none",
  ),
  GOVDATA_IN_FLIGHT_MAX: settingOr(
    whole(1, 1_000_000),
    "requests handled at once; beyond it callers get 503",
    `${IN_FLIGHT_MAX}`,
  ),
  GOVDATA_PROXY_CONNECTIONS_MAX: settingOr(
    whole(8, 100_000),
    "connections at once; beyond it new ones are dropped",
    `${CONNECTION_LIMITS.connectionsMax}`,
  ),
  GOVDATA_LOG_LEVEL: settingOr(LOG_LEVEL, "silent, error, warn or info", "info"),
};
type Variable = keyof typeof SETTINGS;
type Value<Name extends Variable> = z.output<(typeof SETTINGS)[Name]["shape"]>;
type Given<Name extends Variable> =
  | Value<Name>
  | ((typeof SETTINGS)[Name]["hasDefault"] extends true ? never : undefined);

/** Formats the table for `--help`. */
export function settingsHelp(): string {
  const rows = Object.entries(SETTINGS);
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, { words, otherwise, flag }]) => {
    const wins = flag === undefined ? "" : `; ${flag} wins`;
    return `  ${name.padEnd(width)}  ${words} (${otherwise})${wins}`;
  });
  return ["Environment:", ...lines].join("\n");
}

/** Returns the value of one setting: flag, then variable, then default, if any. Throws if it cannot be parsed. */
function read<Name extends Variable>(name: Name, environment: Environment, flag?: string): Given<Name> {
  const { shape, flag: flagName = name, hasDefault, otherwise, ...words } = SETTINGS[name];
  const text = flag ?? variable(environment, name) ?? (hasDefault ? otherwise : undefined);
  // Only a setting without a default can be undefined; the compiler cannot see this through the table.
  if (text === undefined) return undefined as Given<Name>;
  // The parser belongs to this name; the compiler cannot see this through the table.
  const kind = { ...words, shape: shape as z.ZodType<Value<Name>, string> };
  return parse(kind, text, flag === undefined ? name : flagName);
}

function parse<Value>({ shape, wrong, hint }: Kind<Value>, text: string, name: string): Value {
  const parsed = shape.safeParse(text);
  if (parsed.success) return parsed.data;
  throw usage(`${name} ${wrong}.`, hint);
}

/** Treats an empty variable as not set, as shells and unit files expect. */
function variable(environment: Environment, name: Variable): string | undefined {
  const value = environment[name];
  // An empty key must not count as not set, or unsigned versions would be served.
  return value === "" && name !== "GOVDATA_PUBLIC_KEY" ? undefined : value;
}

function whole(min: number, max: number): Kind<number> {
  return {
    shape: z
      .string()
      .regex(/^(0|[1-9][0-9]{0,15})$/)
      .transform(Number)
      .refine((value) => value >= min && value <= max),
    wrong: `is not a whole number from ${min} to ${max}`,
    hint: "Use digits only.",
  };
}

/** Accepts an integer in plain digits within a range; the error for anything else names the setting. */
export function wholeNumber(
  text: string,
  { name, min, max }: { name: string; min: number; max: number },
): number {
  return parse(whole(min, max), text, name);
}

/** A mistake in how a command was called. */
export function usage(message: string, hint: string): OperatorFailure {
  return operatorFailure("USAGE", message, hint);
}

/** Returns names that look like this program's variables but are none: typing mistakes would otherwise go unnoticed. */
export function unknownVariables(environment: Environment): readonly string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith(OWN_PREFIX) && !Object.hasOwn(SETTINGS, name))
    .sort();
}

/** The paths of a command's files. */
export interface Paths {
  readonly home: string;
  /** The folder of published versions, or of their copy if `remote` is set. */
  readonly snapshots: string;
  /** The address that versions are copied from, if they are not published on this machine. */
  readonly remote?: string;
  /** The list of live opt-outs, written by `govdata`. */
  readonly optouts: string;
}

export interface ServeFlags {
  readonly host?: string;
  readonly port?: string;
  readonly adminPort?: string;
}

/** Reads the paths: flags, then environment, then defaults. */
export function readPaths(flags: Partial<Paths>, environment: Environment): Paths {
  const home = read("GOVDATA_PROXY_HOME", environment, flags.home);
  const snapshots = read("GOVDATA_SNAPSHOTS", environment, flags.snapshots);
  return {
    home,
    ...publishedPath(snapshots, home, "--snapshots or GOVDATA_SNAPSHOTS"),
    // With the defaults of both programs, the proxy's home is inside that of `govdata`.
    optouts: read("GOVDATA_OPTOUTS", environment, flags.optouts) ?? join(home, "..", "optouts.db"),
  };
}

/** Returns a folder unchanged; for an address, its copy in the home, since each proxy has its own. */
export function publishedPath(
  given: string,
  home: string,
  flag: string,
): Pick<Paths, "snapshots" | "remote"> {
  if (!isRemoteAddress(given)) return { snapshots: given };
  try {
    parseRemoteAddress(given);
  } catch (error) {
    if (!isRemoteFailure(error)) throw error;
    throw usage(`${flag}: ${error.message}.`, "For example: s3://bucket/prefix, https://mirror.example.org");
  }
  return { snapshots: copyIn(home), remote: given };
}

function copyIn(home: string): string {
  return join(home, "published");
}

/** Whether the versions are the copy that `follow` keeps in the home, whether started by `serve` or by hand. */
export function isCopy({ home, snapshots }: Pick<Paths, "home" | "snapshots">): boolean {
  return resolve(snapshots) === resolve(copyIn(home));
}

/** Reads the settings that `follow` and `serve` share; throws if one cannot be parsed. The table describes each. */
export function readFollowSettings(environment: Environment) {
  return {
    trustedKeys: read("GOVDATA_PUBLIC_KEY", environment),
    sequenceMin: read("GOVDATA_MIN_SEQUENCE", environment) ?? 0,
    logLevel: read("GOVDATA_LOG_LEVEL", environment),
  };
}

/** The parsed settings of `serve`. */
export type ServeSettings = ReturnType<typeof readServeSettings>;

/** Reads the settings of `serve`; throws if one cannot be parsed. */
export function readServeSettings(flags: ServeFlags, environment: Environment) {
  const adminHost = read("GOVDATA_PROXY_ADMIN_HOST", environment);
  const adminPort = read("GOVDATA_PROXY_ADMIN_PORT", environment, flags.adminPort);
  return {
    host: read("GOVDATA_PROXY_HOST", environment, flags.host),
    port: read("GOVDATA_PROXY_PORT", environment, flags.port),
    redisUrl: read("GOVDATA_QUOTA", environment),
    maxAgeMs: read("GOVDATA_MAX_AGE_HOURS", environment),
    ...readFollowSettings(environment),
    corsOrigins: new Set(read("GOVDATA_CORS_ORIGINS", environment)) as ReadonlySet<string>,
    inFlightMax: read("GOVDATA_IN_FLIGHT_MAX", environment),
    connectionsMax: read("GOVDATA_PROXY_CONNECTIONS_MAX", environment),
    admin: adminPort === undefined ? undefined : { host: adminHost, port: adminPort },
    drainMs: read("GOVDATA_PROXY_DRAIN_SECONDS", environment) * 1000,
  };
}
