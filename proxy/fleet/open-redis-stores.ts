import { existsSync } from "node:fs";
import { openRememberedFile, type RememberedFile } from "../../snapshots/base/durable-files.ts";
import { type Home, pepperFor, strandedKeysWarning } from "../home.ts";
import type { KeyStore } from "../keys/key-lookup.ts";
import type { Peppers } from "../keys/peppers.ts";
import { fileFailure, operatorFailure } from "../operator-error.ts";
import type { KeysAndQuota, StoreWorld } from "../server/server-world.ts";
import { createKeyScripts, KEY_SCRIPTS, type KeysPoint, NO_POINT } from "./keys/key-scripts.ts";
import { editKeys, followRedisKeys, loadKeys } from "./keys/redis-keys.ts";
import { openEpochMemory } from "./quota/quota-guard.ts";
import { QUOTA_SCRIPTS } from "./quota/quota-scripts.ts";
import { openRedisQuota } from "./quota/redis-quota.ts";
import { openRedisLink, type RedisLink } from "./redis/redis-link.ts";
import { explainingStoreFailures, storeFailure } from "./redis/store-failure.ts";

const COUNTER_LEFT =
  "quota.db in the home is ignored because GOVDATA_QUOTA is set; requests that it counted today may be granted again";

const KEYS_LEFT =
  "keys.db in the home is ignored because GOVDATA_QUOTA is set: keys created or revoked in it change nothing here";

const NOT_REMEMBERED =
  "keys-point in the home cannot be written: after a restart, an older copy of the keys in Redis would not be noticed";

/** Opens keys and quota in the Redis at `url`, which proxies on several hosts share. */
export async function openRedisStores(url: string, home: Home, world: StoreWorld): Promise<KeysAndQuota> {
  const { monotonicMs, randomBytes, onWarning, onCommit, onCommitError } = world;
  // Closed in reverse order of opening.
  const closes: (() => void)[] = [];
  const close = (): void => {
    for (const closeNext of closes.reverse()) closeNext();
  };
  try {
    // Two connections, so that a charge never waits behind the transfer of many keys.
    const keysLink = await openRedisLink(url, KEY_SCRIPTS);
    closes.push(keysLink.close);
    const { keys, peppers, warnings } = await openServedKeys(keysLink, home, world);
    closes.push(keys.close);
    const link = await openRedisLink(url, QUOTA_SCRIPTS);
    closes.push(link.close);
    const { quota, probe, hasInvalidCount, warning } = await openRedisQuota({
      link,
      memory: openEpochMemory(home.directory),
      tickMs: monotonicMs,
      randomBytes,
      onWarning,
      onCommit,
      onError: onCommitError,
    });
    return {
      keys,
      peppers,
      quota,
      probeQuota: probe,
      hasInvalidCount,
      warnings: [...warnings, warning, existsSync(home.quotaPath) ? COUNTER_LEFT : undefined],
      close: () => quota.close().finally(close),
    };
  } catch (error) {
    close();
    throw fileFailure(error, "A file in the home");
  }
}

/** How often a proxy asks whether keys changed. */
const POLL_EVERY_MS = 200;

/**
 * Opens the keys in Redis for a server, and polls to keep them current. Refuses a Redis without keys, one with an older state than this home saw, and a
 * host without the other hosts' pepper. `link` must have loaded `KEY_SCRIPTS`.
 */
export async function openServedKeys(
  link: RedisLink,
  home: Home,
  world: Omit<StoreWorld, "onCommit" | "onCommitError">,
) {
  const { nowMs, monotonicMs, randomBytes, onWarning } = world;
  const scripts = createKeyScripts(link);
  const memory = openPointMemory(home);
  const known = memory.last() ?? NO_POINT;
  const loaded = await explainingStoreFailures(() => loadKeys(scripts, known));
  const warnings = [existsSync(home.keysPath) ? KEYS_LEFT : undefined];
  let peppers: Peppers;
  try {
    const shared = { mayCreate: false, tell: onWarning };
    peppers = pepperFor(loaded.table, home, { given: world.pepper, randomBytes, shared });
    warnings.push(strandedKeysWarning(loaded.table, peppers, nowMs()));
  } finally {
    loaded.table.close();
  }

  /** The entry of the peppers: only a new one can make this host unable to recognise keys. */
  let checkedPeppers = loaded.entries.get("peppers") ?? "";
  const checkPeppers = async (): Promise<void> => {
    const { table } = await loadKeys(scripts, known);
    try {
      // A 401 would be wrong: the caller's key may be valid.
      if (!table.acceptsPeppers(peppers)) throw storeFailure("KEYS_PEPPER");
      const warning = strandedKeysWarning(table, peppers, nowMs());
      if (warning !== undefined) onWarning(warning);
    } finally {
      table.close();
    }
  };
  let remembered: Promise<void> | undefined;
  const { poll, ...followed } = followRedisKeys({
    scripts,
    known,
    clocks: [nowMs, monotonicMs],
    onChange: async (point, peppersThere) => {
      if (peppersThere !== checkedPeppers) await checkPeppers();
      checkedPeppers = peppersThere;
      remembered = memory.remember(point).catch(() => onWarning(NOT_REMEMBERED));
    },
  });
  await poll();
  await remembered;
  const endPolling = world.repeat(poll, POLL_EVERY_MS);
  const keys: KeyStore = {
    ...followed,
    edit: (work) => editKeys({ scripts, known, randomBytes, mayBegin: false }, work),
    close: () => {
      endPolling();
      followed.close();
    },
  };
  return { keys, peppers, warnings };
}

/** Keeps the last state a host saw across restarts. Without it, an older copy of Redis would pass as current. */
export function openPointMemory(home: Home): RememberedFile<KeysPoint> {
  return openRememberedFile({
    path: home.keysPointPath,
    read: (line) => {
      const [, revision, token] = /^([1-9][0-9]{0,14}) ([0-9a-f]{1,64})$/.exec(line) ?? [];
      return token === undefined ? undefined : { revision: Number(revision), token };
    },
    write: ({ revision, token }) => `${revision} ${token}`,
    damaged: () =>
      operatorFailure(
        "HOME_UNUSABLE",
        "keys-point in the home, which records the last state seen of the keys in Redis, is damaged.",
        "Delete the file to accept the keys as they are in Redis now; check `key list` first.",
      ),
  });
}
