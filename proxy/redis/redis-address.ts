import { isIP } from "node:net";
import { badOption } from "../../snapshots/base/command-line/values.ts";

/** The address of a Redis, and the user and password to log in with. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  readonly database: number;
  readonly username: string | undefined;
  readonly password: string | undefined;
}

const PORT = 6379;

/** An operator adds this to an address to allow sending the password unencrypted. */
const PASSWORD_IN_CLEAR = "?password-in-clear=yes";

/**
 * Reads `redis://[user:password@]host[:port][/database]`, or `rediss://` for TLS. Throws `OperatorFailure` for other texts,
 * and for a password sent to another machine in clear text, unless the address allows it. No error contains the text.
 */
export function readRedisAddress(text: string): RedisAddress {
  const address = parseRedisAddress(text);
  if (address === undefined) {
    throw badOption(
      "GOVDATA_QUOTA is not the address of a Redis.",
      "Write redis://HOST:PORT/DATABASE, or rediss:// for TLS; USER:PASSWORD@ before the host, percent-encoded.",
    );
  }
  const isInClear = address.password !== undefined && !address.isTls && !isLoopback(address.host);
  if (!isInClear || text.endsWith(PASSWORD_IN_CLEAR)) return address;
  throw badOption(
    `GOVDATA_QUOTA would send its password to ${nameOfRedis(address)} in clear text: anyone who reads it can change every key and count.`,
    `Use rediss:// and let Redis listen with TLS. If nobody else can read that connection, add ${PASSWORD_IN_CLEAR} to the address.`,
  );
}

function isLoopback(host: string): boolean {
  if (isIP(host) === 4) return host.startsWith("127.");
  return host === "::1" || host.toLowerCase() === "localhost";
}

function parseRedisAddress(text: string): RedisAddress | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const [, database = "none"] = /^\/?(|0|[1-9][0-9]{0,4})$/.exec(url.pathname) ?? [];
  const username = decoded(url.username);
  const password = decoded(url.password);
  const isRedis = url.protocol === "redis:" || url.protocol === "rediss:";
  // The operator may rely on an option or fragment, so unknown ones are refused, not ignored.
  const isPlain = (url.search === "" || url.search === PASSWORD_IN_CLEAR) && url.hash === "";
  if (!isRedis || !isPlain || url.hostname === "" || database === "none") return undefined;
  if (username === undefined || password === undefined || (username !== "" && password === ""))
    return undefined;
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? PORT : Number(url.port),
    isTls: url.protocol === "rediss:",
    database: Number(database),
    username: username === "" ? undefined : username,
    password: password === "" ? undefined : password,
  };
}

/** The address for messages: host and port, without user and password. */
export function nameOfRedis({ host, port }: RedisAddress): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
