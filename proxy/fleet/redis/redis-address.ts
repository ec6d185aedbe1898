import { isIP } from "node:net";
import { badOption } from "../../../snapshots/base/command-line/values.ts";

/** The address of a Redis, and the user and password to log in with. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  readonly database: number;
  readonly username: string | undefined;
  readonly password: string | undefined;
}

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
  const { host, isTls, password } = address;
  const isLoopback = /^(127\.[\d.]+|::1|localhost)$/i.test(host);
  if (password === undefined || isTls || isLoopback || text.endsWith(PASSWORD_IN_CLEAR)) return address;
  throw badOption(
    `GOVDATA_QUOTA would send its password to ${nameOfRedis(address)} in clear text: anyone who reads it can change every key and count.`,
    `Use rediss:// and let Redis listen with TLS. If nobody else can read that connection, add ${PASSWORD_IN_CLEAR} to the address.`,
  );
}

function parseRedisAddress(text: string): RedisAddress | undefined {
  try {
    const { protocol, hostname, port, pathname, search, hash, username, password } = new URL(text);
    const [, database] = /^\/?(|0|[1-9][0-9]{0,4})$/.exec(pathname) ?? [];
    const isRedis = protocol === "redis:" || protocol === "rediss:";
    // The operator may rely on an option or fragment, so unknown ones are refused, not ignored.
    const isPlain = (search === "" || search === PASSWORD_IN_CLEAR) && hash === "";
    if (!isRedis || !isPlain || hostname === "" || database === undefined) return undefined;
    if (username !== "" && password === "") return undefined;
    return {
      host: hostname.replace(/^\[(.*)\]$/, "$1"),
      port: Number(port || 6379),
      isTls: protocol === "rediss:",
      database: Number(database),
      username: decodeURIComponent(username) || undefined,
      password: decodeURIComponent(password) || undefined,
    };
  } catch {
    return undefined;
  }
}

/** The address for messages: host and port, without user and password. */
export function nameOfRedis({ host, port }: RedisAddress): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}
