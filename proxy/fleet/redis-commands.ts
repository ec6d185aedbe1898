import { existsSync } from "node:fs";
import { type Home, homeAt, openHome } from "../home.ts";
import type { RandomBytes } from "../keys/key-format.ts";
import type { KeyStore } from "../keys/key-store.ts";
import { operatorFailure } from "../operator-error.ts";
import type { Counts } from "../quota/daily-quota.ts";
import { editKeyBook } from "./keys/edit-key-book.ts";
import { createKeyBook, explainingBookFailures, KEY_BOOK_SCRIPTS, type KeyBook } from "./keys/key-book.ts";
import { COUNTS_LOST, type EpochMemory, openEpochMemory, QuotaLostError } from "./quota/quota-guard.ts";
import { QUOTA_SCRIPTS } from "./quota/quota-scripts.ts";
import { readRedisUsage, setRedisCounts } from "./quota/redis-counts.ts";
import { openRedisLink, type RedisLink } from "./redis/redis-link.ts";

/** Long, because no caller waits for a command and a large key book takes time. */
const COMMAND_TIMEOUT_MS = 5_000;

/** Runs the work of a command on the keys and counts in the Redis at `url`. */
export async function withKeyBook<Result>(
  url: string,
  work: (book: KeyBook, link: RedisLink) => Promise<Result>,
): Promise<Result> {
  const scripts = [...KEY_BOOK_SCRIPTS, ...QUOTA_SCRIPTS];
  const link = await openRedisLink(url, { scripts, callTimeoutMs: COMMAND_TIMEOUT_MS });
  try {
    return await explainingBookFailures(() => work(createKeyBook(link), link));
  } catch (error) {
    if (!(error instanceof QuotaLostError)) throw error;
    const hint = "Run the command again.";
    throw operatorFailure("STORE_UNUSABLE", `Counts in Redis: ${error.message}.`, hint, error);
  } finally {
    link.close();
  }
}

/** The keys to edit, in the Redis at `url`. */
interface RedisKeysToEdit {
  readonly url: string;
  readonly directory: string;
  readonly mayMakeHome: boolean;
  readonly randomBytes: RandomBytes;
}

/** Does some work with the keys in Redis; twice, if another command wrote meanwhile. */
export function editRedisKeys<Result>(
  { url, directory, mayMakeHome, randomBytes }: RedisKeysToEdit,
  work: (store: KeyStore, home: Home) => Result,
): Promise<Result> {
  const home = mayMakeHome ? openHome(directory) : homeAt(directory);
  // If this home has seen keys there, do not start anew: its callers' keys are lost, or this is another Redis.
  const mayBegin = mayMakeHome && !existsSync(home.keysPointPath);
  return withKeyBook(url, (book) =>
    editKeyBook(book, { randomBytes, mayBegin }, (store) => work(store, home)),
  );
}

/** The counts in Redis, as the operator's commands use them. */
export function countsInRedis(url: string, home: Home, randomBytes: RandomBytes): Counts {
  return {
    usage: (account) =>
      withKeyBook(url, async (_book, link) => {
        const { closedThrough, ...usage } = await readRedisUsage(link, account);
        const closed =
          closedThrough === undefined ? undefined : { through: closedThrough, since: COUNTS_LOST };
        return { ...usage, closed };
      }),
    set: (account, used) =>
      withKeyBook(url, async (_book, link) => {
        const [set] = await setRedisCounts({ link, memory: memoryOf(home), randomBytes }, [
          { account, used },
        ]);
        if (set === undefined) throw new Error("invariant: a count was set without an answer");
        return set;
      }),
  };
}

/** A host that only runs commands has no home, and nothing to remember. */
function memoryOf({ directory }: Home): EpochMemory {
  if (existsSync(directory)) return openEpochMemory(directory);
  return { last: () => undefined, remember: async () => {} };
}
