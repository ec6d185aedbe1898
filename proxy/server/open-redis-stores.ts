import { statSync } from "node:fs";
import { type Home, pepperFor, strandedKeysWarning } from "../home.ts";
import type { KeyStore } from "../keys/key-store.ts";
import type { Peppers } from "../keys/peppers.ts";
import { notBegun } from "../keys/redis/edit-key-book.ts";
import { FOLLOW_EVERY_MS, followKeyBook } from "../keys/redis/follow-key-book.ts";
import {
  type BookPoint,
  createKeyBook,
  explainingBookFailures,
  KEY_BOOK_SCRIPTS,
  KeyBookError,
  NO_POINT,
  openPointMemory,
} from "../keys/redis/key-book.ts";
import { explainingFileFailures, fileFailure } from "../operator-error.ts";
import { openEpochMemory } from "../quota/redis/quota-guard.ts";
import { QUOTA_SCRIPTS } from "../quota/redis/quota-scripts.ts";
import { openRedisQuota, type RedisQuota } from "../quota/redis/redis-quota.ts";
import { openRedisLink, type RedisLink } from "../redis/redis-link.ts";
import type { KeysAndQuota, StoreWorld } from "./server-world.ts";

/** Opens keys and quota in the Redis at `url`, which proxies on several hosts share. */
export async function openRedisStores(url: string, home: Home, world: StoreWorld): Promise<KeysAndQuota> {
  // Closed in reverse order of opening.
  const closes: (() => void)[] = [];
  const close = (): void => {
    for (const each of closes.reverse()) each();
  };
  try {
    // Two connections, so that a charge never waits behind the transfer of a large key book.
    const keysLink = await openRedisLink(url, { scripts: KEY_BOOK_SCRIPTS });
    closes.push(keysLink.close);
    const { keys, peppers, warnings, close: closeKeys } = await openRedisKeys(keysLink, home, world);
    closes.push(closeKeys);
    const quotaLink = await openRedisLink(url, { scripts: QUOTA_SCRIPTS });
    closes.push(quotaLink.close);
    const { quota, probe, warning } = await openQuota(quotaLink, home, world);
    return {
      keys,
      peppers,
      quota,
      probeQuota: probe,
      warnings: [...warnings, warning, leftBehind(home.quotaPath, COUNTER_LEFT)],
      close: () => quota.close().finally(close),
    };
  } catch (error) {
    close();
    throw error;
  }
}

async function openQuota(link: RedisLink, home: Home, world: StoreWorld): Promise<RedisQuota> {
  const { monotonicMs, randomBytes, onWarning, onCommit, onCommitError } = world;
  try {
    return await openRedisQuota({
      link,
      memory: openEpochMemory(home.directory),
      tickMs: monotonicMs,
      randomBytes,
      onWarning,
      onCommit,
      onError: onCommitError,
    });
  } catch (error) {
    throw fileFailure(error, "quota-epoch in the home");
  }
}

/** Returns the warning if the home still has a file that nothing reads any more. */
function leftBehind(path: string, warning: string): string | undefined {
  return statSync(path, { throwIfNoEntry: false }) === undefined ? undefined : warning;
}

const COUNTER_LEFT =
  "quota.db in the home is ignored because GOVDATA_QUOTA is set; requests that it counted today may be granted again";

const KEYS_LEFT =
  "keys.db in the home is ignored because GOVDATA_QUOTA is set: keys created or revoked in it change nothing here";

const NOT_REMEMBERED =
  "keys-point in the home cannot be written: after a restart, an older copy of the keys in Redis would not be noticed";

/**
 * Copies the keys from Redis and follows changes. Refuses a Redis without a key book, one with an older book than this
 * home saw, and a host without the other hosts' pepper. `link` must have loaded `KEY_BOOK_SCRIPTS`.
 */
export async function openRedisKeys(
  link: RedisLink,
  home: Home,
  world: Omit<StoreWorld, "onCommit" | "onCommitError">,
): Promise<Pick<KeysAndQuota, "keys" | "peppers" | "warnings"> & { readonly close: () => void }> {
  const { nowMs, monotonicMs, randomBytes, onWarning } = world;
  const memory = explainingFileFailures("keys-point in the home", () => openPointMemory(home.keysPointPath));
  const remember = (point: BookPoint) => memory.remember(point).catch(() => onWarning(NOT_REMEMBERED));
  const lookAtPeppers = createPepperWatch(nowMs, onWarning);
  let peppers: Peppers | undefined;
  let seen: BookPoint | undefined;
  const { store, asked, poll } = await explainingBookFailures(() =>
    followKeyBook({
      book: createKeyBook(link),
      known: memory.last() ?? NO_POINT,
      clocks: [nowMs, monotonicMs],
      onChange: (store, point) => {
        seen = point;
        // Not set during the start, when an error explains what is wrong.
        if (peppers === undefined) return;
        lookAtPeppers(store, peppers);
        void remember(point);
      },
    }),
  );
  try {
    if (seen === undefined) throw notBegun();
    const { pepper: given } = world;
    peppers = pepperFor(store, home, {
      given,
      randomBytes,
      shared: { mayCreate: false, tell: onWarning },
    });
    await remember(seen);
  } catch (error) {
    asked.close();
    throw error;
  }
  // Copying may have taken long, so catch up once more.
  await poll();
  const endPolling = world.repeat(poll, FOLLOW_EVERY_MS);
  return {
    keys: asked,
    peppers,
    warnings: [strandedKeysWarning(store, peppers, nowMs()), leftBehind(home.keysPath, KEYS_LEFT)],
    close: () => {
      endPolling();
      asked.close();
    },
  };
}

/** Checks at each change that this host can still recognise keys; throws KEYS_PEPPER if not, as a 401 would be wrong. */
function createPepperWatch(nowMs: () => number, onWarning: (warning: string) => void) {
  let lastWarning: string | undefined;
  return (store: KeyStore, peppers: Peppers): void => {
    if (!store.acceptsPeppers(peppers)) {
      throw new KeyBookError(
        "KEYS_PEPPER",
        "The keys in Redis are stored with a different pepper than this host's.",
      );
    }
    const warning = strandedKeysWarning(store, peppers, nowMs());
    if (warning !== undefined && warning !== lastWarning) onWarning(warning);
    lastWarning = warning;
  };
}
