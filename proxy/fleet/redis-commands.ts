import { existsSync } from "node:fs";
import { type Home, homeAt, openHome } from "../home.ts";
import type { RandomBytes } from "../keys/key-format.ts";
import type { KeyTable } from "../keys/key-table.ts";
import type { Counts } from "../quota/daily-quota.ts";
import type { KeysToEdit } from "../server/server-world.ts";
import { createKeyScripts, KEY_SCRIPTS, NO_POINT } from "./keys/key-scripts.ts";
import { editKeys } from "./keys/redis-keys.ts";
import { type EpochMemory, openEpochMemory } from "./quota/quota-guard.ts";
import { QUOTA_SCRIPTS } from "./quota/quota-scripts.ts";
import { readRedisUsage, setRedisCounts } from "./quota/redis-counts.ts";
import { openRedisLink, type RedisLink } from "./redis/redis-link.ts";
import { explainingStoreFailures } from "./redis/store-failure.ts";

/** Long, because no caller waits for a command, and many keys take time. */
const COMMAND_TIMEOUT_MS = 5_000;

export async function withRedis<Result>(
  url: string,
  work: (link: RedisLink) => Promise<Result>,
): Promise<Result> {
  const scripts = [...KEY_SCRIPTS, ...QUOTA_SCRIPTS];
  const link = await openRedisLink(url, scripts, COMMAND_TIMEOUT_MS);
  try {
    return await explainingStoreFailures(() => work(link));
  } finally {
    link.close();
  }
}

/** Does some work with the keys in Redis; twice, if another command wrote meanwhile. */
export function editRedisKeys<Result>(
  { url, directory, mayMakeHome, randomBytes }: KeysToEdit & { readonly url: string },
  work: (table: KeyTable, home: Home) => Result,
): Promise<Result> {
  const home = mayMakeHome ? openHome(directory) : homeAt(directory);
  // If this home has seen keys there, do not start anew: its callers' keys are lost, or this is another Redis.
  const mayBegin = mayMakeHome && !existsSync(home.keysPointPath);
  return withRedis(url, (link) => {
    const edited = { scripts: createKeyScripts(link), known: NO_POINT, randomBytes, mayBegin };
    return editKeys(edited, (table) => work(table, home));
  });
}

export function countsInRedis(url: string, { directory }: Home, randomBytes: RandomBytes): Counts {
  return {
    usage: (account) => withRedis(url, (link) => readRedisUsage(link, account)),
    set: (account, used) =>
      withRedis(url, async (link) => {
        // A host that only runs commands has no home, and nothing to remember.
        const memory: EpochMemory = existsSync(directory)
          ? openEpochMemory(directory)
          : { last: () => undefined, remember: async () => {} };
        const [set] = await setRedisCounts({ link, memory, randomBytes }, [{ account, used }]);
        if (set === undefined) throw new Error("invariant: a count was set without an answer");
        return set;
      }),
  };
}
