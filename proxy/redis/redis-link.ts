import { OperatorError } from "../operator-error.ts";
import { nameOfRedis, type RedisAddress, readRedisAddress } from "./redis-address.ts";
import {
  connectRedis,
  type RedisCall,
  type RedisConnection,
  RedisError,
  type RedisScript,
} from "./redis-connection.ts";

/** What a link carries. */
export type { RedisCall } from "./redis-connection.ts";

/** Sends calls, and gives their replies. */
export type CallRedis = (calls: readonly RedisCall[]) => Promise<readonly unknown[]>;

/**
 * A link to one Redis. A call is made once, and answered within `CALL_TIMEOUT_MS` or rejected; nothing is queued while
 * it is away, nothing is tried twice.
 */
export interface RedisLink {
  /**
   * Sends all in one write, in order, on one connection; the replies in order. Rejects as a whole, with `RedisError`,
   * where any failed, timed out or the link is away: whether any of it was done is then not known.
   */
  readonly call: CallRedis;
  readonly close: () => void;
}

/** Options of a link. */
export interface RedisLinkOptions {
  /** Loaded on each new connection, before anybody uses it. */
  readonly scripts?: readonly RedisScript[];
  readonly callTimeoutMs?: number;
}

/** Callers wait for this: who is not answered by then gets 503. */
const CALL_TIMEOUT_MS = 250;

/** To say who we are and look at its settings, which nobody waits for. */
const GREETING_TIMEOUT_MS = 1_000;

const AGAIN_AFTER_MS = 50;
const AGAIN_AFTER_MS_MAX = 1_000;

/**
 * Opens a link: rejects with `OperatorError` where `url` is no address of a Redis, nobody answers there, who we are is
 * refused, or it could lose what it answers. From then on it connects anew by itself, and looks at what is there each time.
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
    call: async (calls) => {
      if (open === undefined) throw awayBecause(problem);
      return open.call(calls, callTimeoutMs);
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
    // While it still reads its file it answers a PING with LOADING.
    await call([["SELECT", database], ["PING"]]);
    await assertDurableRedis(call);
    await call(scripts.map(({ source }): RedisCall => ["SCRIPT", "LOAD", source]));
    return connection;
  } catch (error) {
    connection.cut();
    throw error;
  }
}

/** Anew for each call: the log writes one error object once. */
function awayBecause(problem: unknown): RedisError {
  if (!(problem instanceof RedisError)) return new RedisError("REDIS_AWAY");
  return new RedisError(problem.code, problem.reason, problem.message);
}

function unusable(address: RedisAddress, error: unknown): unknown {
  if (!(error instanceof RedisError)) return error;
  const reason = error.reason === undefined ? "" : ` (${error.reason})`;
  return new OperatorError(
    "STORE_UNUSABLE",
    `${error.message}${reason}: ${nameOfRedis(address)} (GOVDATA_QUOTA).`,
    "Redis must listen there (with TLS for rediss:// only), have that database, accept the user and password, and be configured with appendonly yes, appendfsync always, no-appendfsync-on-rewrite no, maxmemory-policy noeviction.",
    error,
  );
}

/** What must hold, so that what was answered is still there after a crash, and nothing goes to make room. */
const SETTINGS = {
  appendonly: "yes",
  appendfsync: "always",
  // Else nothing is flushed as long as the file is written anew, whatever appendfsync says.
  "no-appendfsync-on-rewrite": "no",
  "maxmemory-policy": "noeviction",
} as const;

/**
 * Refuses a Redis that could lose what it has answered, and one that only follows another: on a replica nothing can be
 * counted. Throws `RedisError` that names the first setting which is not as it must be.
 */
export async function assertDurableRedis(call: CallRedis): Promise<void> {
  const names = Object.keys(SETTINGS);
  const [role, ...found] = await call([["ROLE"], ...names.map((name): RedisCall => ["CONFIG", "GET", name])]);
  if (!Array.isArray(role) || role[0] !== "master") {
    throw new RedisError("REDIS_REFUSED", "ROLE_NOT_MASTER", "Redis is a replica; use the one it follows");
  }
  for (const [at, [name, wanted]] of Object.entries(SETTINGS).entries()) {
    const pair = found[at];
    if (!Array.isArray(pair) || pair[1] !== wanted) throw notAsItMustBe(name, wanted);
  }
}

function notAsItMustBe(name: string, wanted: string): RedisError {
  const reason = `${name}_not_${wanted}`.replaceAll("-", "_").toUpperCase();
  return new RedisError("REDIS_REFUSED", reason, `Redis must have ${name} ${wanted}`);
}
