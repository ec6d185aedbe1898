import { createHash } from "node:crypto";
import { isIP } from "node:net";
import type { Redis } from "ioredis";
import type { RedisAddress } from "./redis-address.ts";
import { redisFailure } from "./store-failure.ts";

/** One command: name and arguments. */
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

/** One connection. Once it has ended, it is never reopened. */
export interface RedisConnection {
  /** Sends all calls in one write. Resolves to the replies in order, or rejects with one `StoreFailure` for all. */
  readonly call: (calls: readonly RedisCall[], timeoutMs: number) => Promise<readonly unknown[]>;
  readonly cut: () => void;
  readonly ended: Promise<void>;
}

/** A host that does not answer must not delay a start or a reconnect for longer. */
const CONNECT_TIMEOUT_MS = 1_000;

/** Error codes of a server that has changed since its check: only a new connection, checked again, can help. */
const CHANGED = new Set(["NOSCRIPT", "READONLY", "NOAUTH", "LOADING"]);

/**
 * Connects once. Neither authenticates nor selects a database yet, because the client would go on without the replies.
 * Rejects with a `StoreFailure`.
 */
export async function connectRedis(address: RedisAddress): Promise<RedisConnection> {
  const client = await openClient(address);
  let systemSays: string | undefined;
  client.on("error", (error: NodeJS.ErrnoException) => {
    systemSays = error.code;
  });
  const ended = new Promise<void>((resolve) => client.once("end", resolve));
  const cut = (): void => {
    client.disconnect();
    // A graceful end would wait for the other side, which may hang.
    client.stream?.destroy();
  };
  try {
    await client.connect();
  } catch {
    cut();
    throw redisFailure("REDIS_AWAY", systemSays);
  }
  const call: RedisConnection["call"] = async (calls, timeoutMs) => {
    const answered = send(client, calls);
    const replies = await withinTime(answered, timeoutMs);
    // A late reply must not be taken for the reply to another call on this connection.
    if (replies === undefined) cut();
    return checked(replies, calls.length, cut);
  };
  return { call, cut, ended };
}

async function openClient({ host, port, isTls }: RedisAddress): Promise<Redis> {
  const { Redis: Client } = await import("ioredis");
  return new Client({
    host,
    port,
    ...(isTls ? { tls: isIP(host) === 0 ? { servername: host } : {} } : {}),
    connectTimeout: CONNECT_TIMEOUT_MS,
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
    // The link reconnects, and checks the server before the connection is used.
    retryStrategy: null,
  });
}

type Replies = readonly [error: Error | null, reply: unknown][];

async function send(client: Redis, calls: readonly RedisCall[]): Promise<Replies> {
  const pipeline = client.pipeline();
  // As an array: a restore has more arguments than a function takes.
  for (const [name, ...args] of calls) pipeline.call(name, args);
  try {
    return (await pipeline.exec()) ?? [];
  } catch {
    return [];
  }
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

function checked(replies: Replies | undefined, count: number, cut: () => void): readonly unknown[] {
  if (replies === undefined) throw redisFailure("REDIS_TIMEOUT");
  if (replies.length !== count) throw redisFailure("REDIS_AWAY");
  const errors = replies.flatMap(([error]) => (error === null ? [] : [error]));
  const [first] = errors;
  if (first === undefined) return replies.map(([, reply]) => reply);
  // Prefer an error that Redis replied: the other errors of the same write may only follow from it.
  const replyError = errors.find(({ name }) => name === "ReplyError");
  if (replyError === undefined) throw redisFailure("REDIS_AWAY");
  // The first word is Redis' error code; the rest may quote the command.
  const reason = /^[A-Z][A-Z_]*/.exec(replyError.message)?.[0] ?? "ERR";
  if (CHANGED.has(reason)) cut();
  throw redisFailure("REDIS_REFUSED", reason);
}
