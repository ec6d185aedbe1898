import type { RedisCall } from "./redis-connection.ts";
import { RedisError } from "./redis-error.ts";

/** Sends calls, and gives their replies. */
export type CallRedis = (calls: readonly RedisCall[]) => Promise<readonly unknown[]>;

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
    throw new RedisError(
      "REDIS_REFUSED",
      "ROLE_NOT_MASTER",
      "Redis is a replica here; name the one it follows",
    );
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
