import { KEY_BOOK_SCRIPTS } from "../keys/redis/book-scripts.ts";
import { createKeyBook, type KeyBook } from "../keys/redis/key-book.ts";
import { tellingBookFailures } from "../keys/redis/key-book-error.ts";
import { QUOTA_SCRIPTS } from "../quota/redis/quota-scripts.ts";
import { openRedisLink, type RedisLink } from "../redis/redis-link.ts";
import { type Environment, usage } from "../settings.ts";

/** No caller waits for a command, and a large book takes its time. */
const COMMAND_TIMEOUT_MS = 5_000;

/** The Redis that holds keys and counts, where one is named. */
export function redisUrlOf(environment: Environment): string | undefined {
  const url = environment["GOVDATA_QUOTA"];
  return url === "" ? undefined : url;
}

/** Whether keys and counts lie in Redis, and not in the home. */
export function areKeysInRedis(environment: Environment): boolean {
  return redisUrlOf(environment) !== undefined;
}

/** Does some work with the keys in Redis, for one command. */
export async function withKeyBook<Result>(
  world: { readonly environment: Environment },
  work: (book: KeyBook, link: RedisLink) => Promise<Result>,
): Promise<Result> {
  const url = redisUrlOf(world.environment);
  if (url === undefined)
    throw usage("GOVDATA_QUOTA names no Redis.", "Set it to redis://HOST:PORT/DATABASE.");
  const scripts = [...KEY_BOOK_SCRIPTS, ...QUOTA_SCRIPTS];
  const link = await openRedisLink(url, { scripts, callTimeoutMs: COMMAND_TIMEOUT_MS });
  try {
    return await tellingBookFailures(() => work(createKeyBook(link), link));
  } finally {
    link.close();
  }
}
