import { KEY_BOOK_SCRIPTS } from "../keys/redis/book-scripts.ts";
import { createKeyBook, type KeyBook } from "../keys/redis/key-book.ts";
import { tellingBookFailures } from "../keys/redis/tell-book-failures.ts";
import { openRedisLink } from "../redis/redis-link.ts";
import { type Environment, usage } from "../settings.ts";
import type { CommandWorld } from "./command-world.ts";

/** No caller waits for a command, and a large book takes its time. */
const COMMAND_TIMEOUT_MS = 5_000;

/** The Redis that holds keys and counts, where one is named. */
export function redisUrlOf(environment: Environment): string | undefined {
  const url = environment["GOVDATA_QUOTA"];
  return url === "" ? undefined : url;
}

/** Does some work with the keys in Redis, for one command. */
export async function withKeyBook<Result>(
  world: CommandWorld,
  work: (book: KeyBook) => Promise<Result>,
): Promise<Result> {
  const url = redisUrlOf(world.environment);
  if (url === undefined)
    throw usage("GOVDATA_QUOTA names no Redis.", "Set it to redis://HOST:PORT/DATABASE.");
  const link = await openRedisLink(url, { scripts: KEY_BOOK_SCRIPTS, callTimeoutMs: COMMAND_TIMEOUT_MS });
  try {
    return await tellingBookFailures(() => work(createKeyBook(link)));
  } finally {
    link.close();
  }
}
