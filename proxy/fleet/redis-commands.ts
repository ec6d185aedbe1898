import { existsSync } from "node:fs";
import { type Home, homeAt, openHome } from "../home.ts";
import type { RandomBytes } from "../keys/key-format.ts";
import type { KeyTable } from "../keys/key-table.ts";
import type { Counts } from "../quota/daily-quota.ts";
import type { KeysToEdit } from "../server/server-world.ts";
import { createKeyScripts, KEY_SCRIPTS, NO_POINT } from "./keys/key-scripts.ts";
import { createRedisKeys, type RedisKeys } from "./keys/redis-keys.ts";
import { COUNTS_LOST, type EpochMemory, openEpochMemory } from "./quota/quota-guard.ts";
import { QUOTA_SCRIPTS } from "./quota/quota-scripts.ts";
import { readRedisUsage, setRedisCounts } from "./quota/redis-counts.ts";
import { openRedisLink, type RedisLink } from "./redis/redis-link.ts";
import { explainingStoreFailures } from "./redis/store-failure.ts";

/** Long, because no caller waits for a command, and many keys take time. */
const COMMAND_TIMEOUT_MS = 5_000;

/** Runs the work of a command on the Redis at `url`. */
export async function withRedis<Result>(
  url: string,
  work: (link: RedisLink) => Promise<Result>,
): Promise<Result> {
  const scripts = [...KEY_SCRIPTS, ...QUOTA_SCRIPTS];
  const link = await openRedisLink(url, { scripts, callTimeoutMs: COMMAND_TIMEOUT_MS });
  try {
    return await explainingStoreFailures(() => work(link));
  } finally {
    link.close();
  }
}

/** Keys for a command, which polls nothing. */
export function commandKeys(link: RedisLink, randomBytes: RandomBytes, mayBegin: boolean): RedisKeys {
  return createRedisKeys({
    scripts: createKeyScripts(link),
    randomBytes,
    mayBegin,
    known: NO_POINT,
    clocks: [],
    onChange: async () => {},
  });
}

/** Does some work with the keys in Redis; twice, if another command wrote meanwhile. */
export function editRedisKeys<Result>(
  { url, directory, mayMakeHome, randomBytes }: KeysToEdit & { readonly url: string },
  work: (table: KeyTable, home: Home) => Result,
): Promise<Result> {
  const home = mayMakeHome ? openHome(directory) : homeAt(directory);
  // If this home has seen keys there, do not start anew: its callers' keys are lost, or this is another Redis.
  const mayBegin = mayMakeHome && !existsSync(home.keysPointPath);
  return withRedis(url, (link) =>
    commandKeys(link, randomBytes, mayBegin).edit((table) => work(table, home)),
  );
}

/** The counts in Redis, as the operator's commands use them. */
export function countsInRedis(url: string, home: Home, randomBytes: RandomBytes): Counts {
  return {
    usage: (account) =>
      withRedis(url, async (link) => {
        const { closedThrough, ...usage } = await readRedisUsage(link, account);
        const closed =
          closedThrough === undefined ? undefined : { through: closedThrough, since: COUNTS_LOST };
        return { ...usage, closed };
      }),
    set: (account, used) =>
      withRedis(url, async (link) => {
        const counted = { link, memory: memoryOf(home), randomBytes };
        const [set] = await setRedisCounts(counted, [{ account, used }]);
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
