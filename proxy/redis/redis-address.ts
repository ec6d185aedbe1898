import { isIP } from "node:net";

/** Where a Redis is, and as whom to speak to it. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  readonly database: number;
  readonly username: string | undefined;
  readonly password: string | undefined;
}

const PORT = 6379;

/** Reads `redis://[user:password@]host[:port][/database]`, or `rediss://` for TLS; undefined where it is none of it. */
export function parseRedisAddress(text: string): RedisAddress | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const [, database = "none"] = /^\/?(|0|[1-9][0-9]{0,4})$/.exec(url.pathname) ?? [];
  const username = decoded(url.username);
  const password = decoded(url.password);
  const isRedis = url.protocol === "redis:" || url.protocol === "rediss:";
  // What would be passed over in silence might be what its author relies on.
  const isPlain = url.search === "" && url.hash === "";
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

/** The address as it may be told: without who speaks to it. */
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
