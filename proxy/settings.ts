import { isIP } from "node:net";
import { join, resolve } from "node:path";
import { requireOutside } from "../snapshots/base/command-line/public-folder.ts";
import {
  type Environment,
  setting,
  settingOr,
  settingsFrom,
} from "../snapshots/base/command-line/settings.ts";
import {
  ANY_TEXT,
  badOption,
  type ValueKind,
  wholeNumber,
  wordOf,
} from "../snapshots/base/command-line/values.ts";
import { SEQUENCE_MAX } from "../snapshots/format/limits.ts";
import { isRemoteAddress, parseRemoteAddress } from "../snapshots/remote/remote-address.ts";
import { isRemoteFailure } from "../snapshots/remote/remote-store.ts";
import { parseTrustedKeys, type TrustedKey } from "../snapshots/store/read/manifest-signature.ts";
import { CONNECTION_LIMITS, DRAIN_MS, IN_FLIGHT_MAX } from "./server/limits.ts";

/** The prefix of this program's variables; others that begin with GOVDATA may belong to `govdata`. */
const OWN_PREFIX = "GOVDATA_PROXY_HOME".slice(0, -"HOME".length);

const HOUR_MS = 3_600_000;
const HOST_NAME = /^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$/;

const PORT = wholeNumber(0, 65_535);

const HOST: ValueKind<string> = {
  // Whether this machine has the address is known only when it listens.
  parse: (text) => (isIP(text) !== 0 || (HOST_NAME.test(text) && text.length <= 253) ? text : undefined),
  wrong: "is not an IP address or a host name",
  hint: "For example: 127.0.0.1, ::1, localhost",
};

const HOURS_AS_MS: ValueKind<number> = {
  parse(text) {
    const ms = /^[0-9]+(\.[0-9]+)?$/.test(text) ? Number(text) * HOUR_MS : Number.NaN;
    return ms > 0 && Number.isFinite(ms) ? ms : undefined;
  },
  wrong: "is not a number of hours above 0",
  hint: "For example: 26",
};

const PUBLIC_KEYS: ValueKind<readonly TrustedKey[]> = {
  parse: parseTrustedKeys,
  wrong: "contains something that is not an Ed25519 public key",
  hint: "`govdata sign-key` prints it.",
};

const ORIGINS: ValueKind<readonly string[]> = {
  parse(text) {
    const origins = text.split(",").flatMap((origin) => origin.trim() || []);
    // "*" is refused too: with it any web page could use a visitor's key.
    const areAll = origins.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin);
    return areAll ? origins : undefined;
  },
  wrong: "contains something that is not an origin",
  hint: "For example: https://app.example.org",
};

/** Every environment variable: its valid texts, its effect, its default, and the option that wins over it. */
export const SETTINGS = settingsFrom(
  {
    GOVDATA_PROXY_HOME: settingOr(
      ANY_TEXT,
      "folder with keys, quota and pepper",
      ".govdata/proxy",
      "--home <dir>",
    ),
    GOVDATA_SNAPSHOTS: settingOr(
      ANY_TEXT,
      "published versions: a folder, s3://bucket/prefix or https://mirror; of the last two the home keeps a copy",
      "snapshots/published",
      "--snapshots <dir>",
    ),
    GOVDATA_OPTOUTS: setting(
      ANY_TEXT,
      "list of live opt-outs",
      "optouts.db beside the home",
      "--optouts <file>",
    ),
    // Its address is read where it is used.
    GOVDATA_QUOTA: setting(
      ANY_TEXT,
      "Redis in which several hosts share keys and quota: redis://host:port/database, rediss:// for TLS",
      "files in the home",
    ),
    GOVDATA_PROXY_HOST: settingOr(HOST, "address to listen on", "127.0.0.1", "--host <address>"),
    GOVDATA_PROXY_PORT: settingOr(PORT, "port to listen on, 0 for a free one", "8787", "--port <n>"),
    GOVDATA_PROXY_ADMIN_HOST: settingOr(
      HOST,
      "address of the operator's listener, which must not be public",
      "127.0.0.1",
    ),
    GOVDATA_PROXY_ADMIN_PORT: setting(
      PORT,
      "port of the operator's listener with /metrics, 0 for a free one",
      "no such listener",
      "--admin-port <n>",
    ),
    GOVDATA_PROXY_DRAIN_SECONDS: settingOr(
      wholeNumber(0, 300),
      "seconds for which a stopping server keeps serving while callers leave, 0 to 300",
      `${DRAIN_MS / 1000}`,
    ),
    GOVDATA_PEPPER: setting(ANY_TEXT, "secret with which keys are hashed", "the file pepper in the home"),
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
      wholeNumber(1, SEQUENCE_MAX),
      "lowest sequence to accept on a machine that has not served any version yet",
      "none; `govdata status` shows it",
    ),
    GOVDATA_CORS_ORIGINS: setting(
      ORIGINS,
      "origins whose web pages may call the API, separated by commas",
      "none",
    ),
    GOVDATA_IN_FLIGHT_MAX: settingOr(
      wholeNumber(1, 1_000_000),
      "requests handled at once; beyond it callers get 503",
      `${IN_FLIGHT_MAX}`,
    ),
    GOVDATA_PROXY_CONNECTIONS_MAX: settingOr(
      wholeNumber(8, 100_000),
      "connections at once; beyond it new ones are dropped",
      `${CONNECTION_LIMITS.connectionsMax}`,
    ),
    GOVDATA_LOG_LEVEL: settingOr(
      wordOf(["silent", "error", "warn", "info"]),
      "silent, error, warn or info",
      "info",
    ),
  },
  // An empty key must not count as not set, or unsigned versions would be served.
  ["GOVDATA_PUBLIC_KEY"],
);
const { read } = SETTINGS;

/** Returns names that look like this program's variables but are none: typing mistakes would otherwise go unnoticed. */
export function unknownVariables(environment: Environment): readonly string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith(OWN_PREFIX) && !Object.hasOwn(SETTINGS.table, name))
    .sort();
}

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
  const paths = {
    home,
    ...publishedPath(snapshots, home, "--snapshots or GOVDATA_SNAPSHOTS"),
    // With the defaults of both programs, the proxy's home is inside that of `govdata`.
    optouts: read("GOVDATA_OPTOUTS", environment, flags.optouts) ?? join(home, "..", "optouts.db"),
  };
  requireOutside(paths.snapshots, "--home", home);
  requireOutside(paths.snapshots, "--optouts", paths.optouts);
  return paths;
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
    throw badOption(
      `${flag}: ${error.message}.`,
      "For example: s3://bucket/prefix, https://mirror.example.org",
    );
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

export type ServeSettings = ReturnType<typeof readServeSettings>;

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
