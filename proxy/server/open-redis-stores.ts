import { statSync } from "node:fs";
import type { Home } from "../home.ts";
import { KEY_BOOK_SCRIPTS } from "../keys/redis/book-scripts.ts";
import { fileFailure } from "../operator-error.ts";
import { openEpochMemory } from "../quota/redis/quota-guard.ts";
import { QUOTA_SCRIPTS } from "../quota/redis/quota-scripts.ts";
import { openRedisQuota, type RedisQuota } from "../quota/redis/redis-quota.ts";
import { openRedisLink, type RedisLink } from "../redis/redis-link.ts";
import { openRedisKeys } from "./open-redis-keys.ts";
import type { KeysAndQuota, KeysAndQuotaWorld } from "./server-world.ts";

/** A look is a read of what is far away and cheap. */
const LOOK_AGAIN = { keys: 1, quota: 1 } as const;

/** Opens keys and quota in the Redis at `url`, which the proxies of several hosts share. */
export async function openRedisStores(
  url: string,
  home: Home,
  world: KeysAndQuotaWorld,
): Promise<KeysAndQuota> {
  // One each: a caller who waits for a unit does not wait behind a large book of keys.
  const keysLink = await openRedisLink(url, { scripts: KEY_BOOK_SCRIPTS });
  try {
    const keys = await openRedisKeys(keysLink, home, world);
    try {
      const { link, quota, probe, warning } = await openQuota(url, home, world);
      return {
        lookup: keys.lookup,
        quota,
        looks: { probes: { keys: keys.probe, quota: probe }, lookAgain: LOOK_AGAIN },
        warnings: [...keys.warnings, warning, leftCounterWarning(home)],
        close: async () => {
          await quota.close();
          link.close();
          keys.close();
          keysLink.close();
        },
      };
    } catch (error) {
      keys.close();
      throw error;
    }
  } catch (error) {
    keysLink.close();
    throw error;
  }
}

async function openQuota(
  url: string,
  home: Home,
  { nowMs, monotonicMs, randomBytes, onWarning, onCommitError, watchCommits }: KeysAndQuotaWorld,
): Promise<RedisQuota & { readonly link: RedisLink }> {
  const link = await openRedisLink(url, { scripts: QUOTA_SCRIPTS });
  try {
    const quota = await openRedisQuota({
      link,
      memory: openEpochMemory(home.directory),
      tickMs: monotonicMs ?? nowMs,
      randomBytes,
      onWarning,
      onError: onCommitError,
      watch: watchCommits,
    });
    return { ...quota, link };
  } catch (error) {
    link.close();
    throw fileFailure(error, "quota-epoch in the home");
  }
}

/** `move` sets the file aside; one that lies there still was left behind, with what it has counted today. */
function leftCounterWarning({ quotaPath }: Home): string | undefined {
  if (statSync(quotaPath, { throwIfNoEntry: false }) === undefined) return undefined;
  return "quota.db in the home is not counted in, as GOVDATA_QUOTA names a Redis; what it has counted today may be given again";
}
