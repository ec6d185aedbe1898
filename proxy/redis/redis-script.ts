import { createHash } from "node:crypto";
import type { RedisCall } from "./redis-connection.ts";

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
