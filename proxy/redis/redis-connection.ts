import { createHash } from "node:crypto";
import { isIP } from "node:net";
import { Redis } from "ioredis";
import type { RedisAddress } from "./redis-address.ts";

/** Why a call did not come back good: nobody is there, no answer came in time, or it refused. */
export type RedisProblem = "REDIS_AWAY" | "REDIS_TIMEOUT" | "REDIS_REFUSED";

const WORDS: Readonly<Record<RedisProblem, string>> = {
  REDIS_AWAY: "Redis cannot be reached",
  REDIS_TIMEOUT: "Redis did not answer in time",
  REDIS_REFUSED: "Redis refused",
};

/**
 * A call that was not answered good: whether any of it was done is not known. What the client threw is never kept in it,
 * because that holds the arguments of the command, and one of them may be the password.
 */
export class RedisError extends Error {
  override readonly name = "RedisError";
  readonly code: RedisProblem;
  /** One word of Redis, of the system or of ours: `READONLY`, `ECONNREFUSED`, `APPENDONLY_NOT_YES`. */
  readonly reason: string | undefined;

  constructor(code: RedisProblem, reason?: string, words: string = WORDS[code]) {
    // As a cause with a code, so that the log shows it like one of the system.
    super(
      words,
      reason === undefined ? undefined : { cause: Object.assign(new Error(words), { code: reason }) },
    );
    this.code = code;
    this.reason = reason;
  }
}

/** One command: name and arguments. */
export type RedisCall = readonly [name: string, ...args: (string | number)[]];

/** A script that runs in Redis as one step. */
export interface RedisScript {
  readonly source: string;
  /** One run of it; the link has loaded it when it is listed in the link's `scripts`. */
  readonly run: (keys: readonly string[], args: readonly (string | number)[]) => RedisCall;
}

/** Names a script by its digest, under which Redis keeps it once it is loaded. */
export function redisScript(source: string): RedisScript {
  const digest = createHash("sha1").update(source).digest("hex");
  return { source, run: (keys, args) => ["EVALSHA", digest, keys.length, ...keys, ...args] };
}

/** One connection, until its end; it is never mended. */
export interface RedisConnection {
  /** Sends all in one write; the replies in order, or one error for all of it. */
  readonly call: (calls: readonly RedisCall[], timeoutMs: number) => Promise<readonly unknown[]>;
  readonly cut: () => void;
  readonly ended: Promise<void>;
}

/** A host that does not answer must not hold a start, or the way back, for longer. */
const CONNECT_TIMEOUT_MS = 1_000;

/** What a server says that has changed under us: only a new connection, looked at anew, can be right again. */
const CHANGED = new Set(["NOSCRIPT", "READONLY", "NOAUTH", "LOADING"]);

/**
 * Connects once, and says nothing yet: neither who it is nor which database it wants, as the client would go on without
 * the answer. Rejects with `RedisError`.
 */
export async function connectRedis(address: RedisAddress): Promise<RedisConnection> {
  const client = openClient(address);
  let systemSays: string | undefined;
  client.on("error", (error: NodeJS.ErrnoException) => {
    systemSays = error.code;
  });
  const ended = new Promise<void>((resolve) => client.once("end", resolve));
  const cut = (): void => {
    client.disconnect();
    // To end it politely would wait for the other side, which may hang.
    client.stream?.destroy();
  };
  try {
    await client.connect();
  } catch {
    cut();
    throw new RedisError("REDIS_AWAY", systemSays);
  }
  const call: RedisConnection["call"] = async (calls, timeoutMs) => {
    const answered = send(client, calls);
    const replies = await withinTime(answered, timeoutMs);
    // The answer that still comes belongs to nobody: on this connection it could be taken for another's.
    if (replies === undefined) cut();
    return checked(replies, calls.length, cut);
  };
  return { call, cut, ended };
}

function openClient({ host, port, isTls }: RedisAddress): Redis {
  return new Redis({
    host,
    port,
    ...(isTls ? { tls: isIP(host) === 0 ? { servername: host } : {} } : {}),
    connectTimeout: CONNECT_TIMEOUT_MS,
    connectionName: "govdata-proxy",
    lazyConnect: true,
    protocol: 2,
    disableClientInfo: true,
    enableReadyCheck: false,
    // Nothing is kept for later and nothing is sent twice: whoever waits for a unit gets an error at once.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    enableAutoPipelining: false,
    // The link connects anew, and looks at what is there before anybody uses it.
    retryStrategy: null,
  });
}

type Replies = readonly [error: Error | null, reply: unknown][];

async function send(client: Redis, calls: readonly RedisCall[]): Promise<Replies> {
  const pipeline = client.pipeline();
  for (const [name, ...args] of calls) pipeline.call(name, ...args);
  try {
    return (await pipeline.exec()) ?? [];
  } catch {
    return [];
  }
}

/** Nothing where the time is over. What has come by then but was not read yet, as this process was busy, is read first. */
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
  if (replies === undefined) throw new RedisError("REDIS_TIMEOUT");
  if (replies.length !== count) throw new RedisError("REDIS_AWAY");
  const errors = replies.flatMap(([error]) => (error === null ? [] : [error]));
  const [first] = errors;
  if (first === undefined) return replies.map(([, reply]) => reply);
  // Redis' own error, if there is one: the others of its write may only follow from it.
  const replyError = errors.find(({ name }) => name === "ReplyError");
  if (replyError === undefined) throw new RedisError("REDIS_AWAY");
  // The first word is a code of Redis; what follows may quote the command.
  const reason = /^[A-Z][A-Z_]*/.exec(replyError.message)?.[0] ?? "ERR";
  if (CHANGED.has(reason)) cut();
  throw new RedisError("REDIS_REFUSED", reason);
}
