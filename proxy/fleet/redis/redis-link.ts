import { createHash } from "node:crypto";
import { isIP } from "node:net";
import { operatorFailure } from "../../operator-error.ts";
import { nameOfRedis, type RedisAddress, readRedisAddress } from "./redis-address.ts";
import {
  describeRedisFailure,
  failureAgain,
  isRedisFailure,
  redisFailure,
  type StoreFailure,
} from "./store-failure.ts";

export type RedisCall = readonly [name: string, ...args: (string | number)[]];

/** A script that runs in Redis as one step. */
export interface RedisScript {
  readonly source: string;
  /** Makes the call that runs it. The script must be in the link's `scripts`, which the link loads. */
  readonly run: (keys: readonly string[], args: readonly (string | number)[]) => RedisCall;
}

/** Makes a script that is called by its digest, under which Redis keeps loaded scripts. */
export function redisScript(source: string): RedisScript {
  const digest = createHash("sha1").update(source).digest("hex");
  return { source, run: (keys, args) => ["EVALSHA", digest, keys.length, ...keys, ...args] };
}

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
  /** Checks the server again. If it is unfit, it rejects, and so does every call until the server is right. */
  readonly check: () => Promise<void>;
  readonly close: () => void;
}

/** Requests wait for this: a request without a reply by then gets 503. */
const CALL_TIMEOUT_MS = 250;

/** For connecting, logging in and checking settings: a host that does not answer must not delay a start for longer. */
const GREETING_TIMEOUT_MS = 1_000;

const AGAIN_AFTER_MS = 50;
const AGAIN_AFTER_MS_MAX = 1_000;

/** Error codes of a server that has changed since its check: only a new connection, checked again, can help. */
const CHANGED = new Set(["NOSCRIPT", "READONLY", "NOAUTH", "LOADING"]);

/**
 * Opens a link. Rejects with `OperatorFailure` if `url` is not the address of a Redis, nothing answers there, the login
 * is refused, or that Redis could lose what it confirmed. An open link reconnects, and each time checks the server and
 * loads the scripts.
 */
export async function openRedisLink(
  url: string,
  scripts: readonly RedisScript[],
  callTimeoutMs = CALL_TIMEOUT_MS,
): Promise<RedisLink> {
  const address = readRedisAddress(url);
  let problem: unknown;
  let isUsable = false;
  let failures = 0;
  const client = await createClient(address, () =>
    Math.min(AGAIN_AFTER_MS * 2 ** failures++, AGAIN_AFTER_MS_MAX),
  );
  const cut = (): void => {
    isUsable = false;
    // A graceful end would wait for the other side, which may hang.
    client.stream?.destroy();
  };
  const send = async (calls: readonly RedisCall[], timeoutMs: number): Promise<readonly unknown[]> => {
    const pipeline = client.pipeline();
    // As an array: a restore has more arguments than a function takes.
    for (const [name, ...args] of calls) pipeline.call(name, args);
    const replies = await withinTime(
      pipeline.exec().catch(() => []),
      timeoutMs,
    );
    if (replies === undefined) {
      // A late reply must not be taken for the reply to another call on this connection.
      cut();
      throw redisFailure("REDIS_TIMEOUT");
    }
    if (replies?.length !== calls.length) throw redisFailure("REDIS_AWAY");
    const errors = replies.flatMap(([error]) => (error === null ? [] : [error]));
    if (errors.length === 0) return replies.map(([, reply]) => reply);
    // Prefer an error that Redis replied: the other errors of the same write may only follow from it.
    const replyError = errors.find(({ name }) => name === "ReplyError");
    if (replyError === undefined) throw redisFailure("REDIS_AWAY");
    // The first word is Redis' error code; the rest may quote the command.
    const reason = /^[A-Z][A-Z_]*/.exec(replyError.message)?.[0] ?? "ERR";
    if (CHANGED.has(reason)) cut();
    throw redisFailure("REDIS_REFUSED", reason);
  };
  /** As `send`, and gives the connection up where it fails. */
  const ask = async (...calls: readonly RedisCall[]): Promise<readonly unknown[]> => {
    try {
      return await send(calls, GREETING_TIMEOUT_MS);
    } catch (error) {
      throw unusable(error);
    }
  };
  const unusable = (error: unknown): unknown => {
    problem = error;
    cut();
    return error;
  };
  const check = async (): Promise<void> => {
    const settings = Object.keys(SETTINGS).map((name): RedisCall => ["CONFIG", "GET", name]);
    const unfit = unfitness(await ask(["ROLE"], ...settings));
    if (unfit !== undefined) throw unusable(unfit);
  };
  /** Logs in, checks the server and loads the scripts. The client would go on without the replies. */
  const greet = async (): Promise<void> => {
    const { username, password, database } = address;
    if (password !== undefined) await ask(["AUTH", ...(username === undefined ? [] : [username]), password]);
    // A Redis that is still reading its file answers PING with LOADING.
    await ask(["SELECT", database], ["PING"]);
    await check();
    await ask(...scripts.map(({ source }): RedisCall => ["SCRIPT", "LOAD", source]));
    [isUsable, failures, problem] = [true, 0, undefined];
  };
  const close = (): void => {
    client.disconnect();
    cut();
  };

  client.on("error", ({ code }: NodeJS.ErrnoException) => {
    problem = redisFailure("REDIS_AWAY", code);
  });
  client.on("close", () => {
    isUsable = false;
  });
  try {
    await client.connect().catch(() => Promise.reject(problem ?? redisFailure("REDIS_AWAY")));
    await greet();
  } catch (error) {
    close();
    if (!isRedisFailure(error)) throw error;
    throw operatorFailure(
      "STORE_UNUSABLE",
      `${describeRedisFailure(error)}: ${nameOfRedis(address)} (GOVDATA_QUOTA).`,
      "Redis must listen there (with TLS for rediss:// only), have that database, accept the user and password, and be configured with appendonly yes, appendfsync always, no-appendfsync-on-rewrite no, maxmemory-policy noeviction.",
      error,
    );
  }
  client.on("ready", () => void greet().catch(() => {}));
  return {
    call: async (calls, timeoutMs = callTimeoutMs) => {
      if (isUsable) return send(calls, timeoutMs);
      throw isRedisFailure(problem) ? failureAgain(problem) : redisFailure("REDIS_AWAY");
    },
    check,
    close,
  };
}

async function createClient({ host, port, isTls }: RedisAddress, retryStrategy: () => number) {
  const { Redis } = await import("ioredis");
  return new Redis({
    host,
    port,
    ...(isTls ? { tls: isIP(host) === 0 ? { servername: host } : {} } : {}),
    connectTimeout: GREETING_TIMEOUT_MS,
    connectionName: "govdata-proxy",
    lazyConnect: true,
    protocol: 2,
    disableClientInfo: true,
    enableReadyCheck: false,
    // Nothing is queued and nothing is sent twice: a request that waits for a unit gets an error at once.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    enableAutoPipelining: false,
    retryStrategy,
  });
}

/** Resolves to undefined after the timeout; first reads what arrived in time while this process was busy. */
function withinTime<Value>(value: Promise<Value>, timeoutMs: number): Promise<Value | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => setImmediate(resolve, undefined), timeoutMs);
    void value.then((done) => {
      clearTimeout(timer);
      resolve(done);
    });
  });
}

/** Required settings: what Redis confirmed must survive a crash, and nothing may be evicted. */
const SETTINGS = {
  appendonly: "yes",
  appendfsync: "always",
  // Otherwise nothing is flushed during a rewrite of the file, despite appendfsync.
  "no-appendfsync-on-rewrite": "no",
  "maxmemory-policy": "noeviction",
} as const;

/** Why a Redis could lose what it confirmed, or is a replica, in which nothing can be counted. */
function unfitness([role, ...settings]: readonly unknown[]): StoreFailure | undefined {
  if (!Array.isArray(role) || role[0] !== "master")
    return redisFailure("REDIS_REFUSED", "ROLE_NOT_MASTER", "Redis is a replica; use the one it follows");
  for (const [index, [name, wanted]] of Object.entries(SETTINGS).entries()) {
    const pair = settings[index];
    if (Array.isArray(pair) && pair[1] === wanted) continue;
    const reason = `${name}_not_${wanted}`.replaceAll("-", "_").toUpperCase();
    return redisFailure("REDIS_REFUSED", reason, `Redis must have ${name} ${wanted}`);
  }
  return undefined;
}
