import { operatorFailure } from "../../operator-error.ts";
import { nameOfRedis, type RedisAddress, readRedisAddress } from "./redis-address.ts";
import { connectRedis, type RedisCall, type RedisConnection, type RedisScript } from "./redis-connection.ts";
import {
  describeRedisFailure,
  failureAgain,
  isRedisFailure,
  redisFailure,
  type StoreFailure,
} from "./store-failure.ts";

/** One command that a link sends. */
export type { RedisCall } from "./redis-connection.ts";

/** Sends calls, and resolves to their replies. */
export type CallRedis = (calls: readonly RedisCall[]) => Promise<readonly unknown[]>;

/**
 * A link to one Redis. Each call is sent once, and rejects without a reply within `CALL_TIMEOUT_MS`. Nothing is queued
 * while Redis is away, and nothing is retried.
 */
export interface RedisLink {
  /**
   * Sends all calls in one write, in order, on one connection. Resolves to the replies in order. Rejects with one
   * `StoreFailure` if any call failed or timed out, or Redis is away; it is then not known whether any of them was done.
   */
  readonly call: (calls: readonly RedisCall[], timeoutMs?: number) => Promise<readonly unknown[]>;
  readonly close: () => void;
}

export interface RedisLinkOptions {
  /** Loaded on each new connection, before it is used. */
  readonly scripts?: readonly RedisScript[];
  readonly callTimeoutMs?: number;
}

/** Requests wait for this: a request without a reply by then gets 503. */
const CALL_TIMEOUT_MS = 250;

/** For logging in and checking settings on a new connection; no request waits for these. */
const GREETING_TIMEOUT_MS = 1_000;

const AGAIN_AFTER_MS = 50;
const AGAIN_AFTER_MS_MAX = 1_000;

/**
 * Opens a link. Rejects with `OperatorFailure` if `url` is not the address of a Redis, nothing answers there, the login
 * is refused, or that Redis could lose what it confirmed. An open link reconnects, and checks the server each time.
 */
export async function openRedisLink(url: string, options: RedisLinkOptions = {}): Promise<RedisLink> {
  const { callTimeoutMs = CALL_TIMEOUT_MS } = options;
  const address = readRedisAddress(url);
  let problem: unknown;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let open: RedisConnection | undefined;

  const use = (connection: RedisConnection): void => {
    if (isClosed) {
      connection.cut();
      return;
    }
    open = connection;
    void connection.ended.then(() => {
      open = undefined;
      problem = undefined;
      connectLater(AGAIN_AFTER_MS);
    });
  };
  const connectLater = (afterMs: number): void => {
    if (isClosed) return;
    timer = setTimeout(() => {
      greeted(address, options).then(use, (error) => {
        problem = error;
        connectLater(Math.min(2 * afterMs, AGAIN_AFTER_MS_MAX));
      });
    }, afterMs);
  };

  try {
    use(await greeted(address, options));
  } catch (error) {
    throw unusable(address, error);
  }
  return {
    call: async (calls, timeoutMs = callTimeoutMs) => {
      if (open !== undefined) return open.call(calls, timeoutMs);
      throw isRedisFailure(problem) ? failureAgain(problem) : redisFailure("REDIS_AWAY");
    },
    close: () => {
      isClosed = true;
      clearTimeout(timer);
      open?.cut();
    },
  };
}

/** A connection that is authenticated, has checked the server and loaded its scripts. */
async function greeted(address: RedisAddress, options: RedisLinkOptions): Promise<RedisConnection> {
  const connection = await connectRedis(address);
  const call: CallRedis = (calls) => connection.call(calls, GREETING_TIMEOUT_MS);
  const { username, password, database } = address;
  const { scripts = [] } = options;
  try {
    if (password !== undefined)
      await call([["AUTH", ...(username === undefined ? [] : [username]), password]]);
    // A Redis that is still reading its file answers PING with LOADING.
    await call([["SELECT", database], ["PING"]]);
    await assertDurableRedis(call);
    await call(scripts.map(({ source }): RedisCall => ["SCRIPT", "LOAD", source]));
    return connection;
  } catch (error) {
    connection.cut();
    throw error;
  }
}

function unusable(address: RedisAddress, error: unknown): unknown {
  if (!isRedisFailure(error)) return error;
  return operatorFailure(
    "STORE_UNUSABLE",
    `${describeRedisFailure(error)}: ${nameOfRedis(address)} (GOVDATA_QUOTA).`,
    "Redis must listen there (with TLS for rediss:// only), have that database, accept the user and password, and be configured with appendonly yes, appendfsync always, no-appendfsync-on-rewrite no, maxmemory-policy noeviction.",
    error,
  );
}

/** Required settings: what Redis confirmed must survive a crash, and nothing may be evicted. */
const SETTINGS = {
  appendonly: "yes",
  appendfsync: "always",
  // Otherwise nothing is flushed during a rewrite of the file, despite appendfsync.
  "no-appendfsync-on-rewrite": "no",
  "maxmemory-policy": "noeviction",
} as const;

/**
 * Refuses a Redis that could lose what it confirmed, and a replica, because nothing can be counted there. Throws a
 * `StoreFailure` that names the wrong role, or the first wrong setting.
 */
export async function assertDurableRedis(call: CallRedis): Promise<void> {
  const names = Object.keys(SETTINGS);
  const [role, ...settings] = await call([
    ["ROLE"],
    ...names.map((name): RedisCall => ["CONFIG", "GET", name]),
  ]);
  if (!Array.isArray(role) || role[0] !== "master") {
    throw redisFailure("REDIS_REFUSED", "ROLE_NOT_MASTER", "Redis is a replica; use the one it follows");
  }
  for (const [index, [name, wanted]] of Object.entries(SETTINGS).entries()) {
    const pair = settings[index];
    if (!Array.isArray(pair) || pair[1] !== wanted) throw unfitSetting(name, wanted);
  }
}

function unfitSetting(name: string, wanted: string): StoreFailure {
  const reason = `${name}_not_${wanted}`.replaceAll("-", "_").toUpperCase();
  return redisFailure("REDIS_REFUSED", reason, `Redis must have ${name} ${wanted}`);
}
