import {
  type Home,
  pepperFor,
  refuseLostKeys,
  SERVER_BUSY_TIMEOUT_MS,
  strandedKeysWarning,
} from "../home.ts";
import { followKeyStore } from "../keys/key-lookup.ts";
import { type KeyStore, openKeyStore } from "../keys/key-store.ts";
import { closedDayWarning, quotaDayOf } from "../quota/daily-quota.ts";
import { createGroupCommit } from "../quota/group-commit.ts";
import { isBusy } from "../quota/sqlite/open-quota-database.ts";
import { openQuotaLedger } from "../quota/sqlite/quota-ledger.ts";
import type { KeysAndQuota, StoreWorld } from "./server-world.ts";

/** Opens keys and quota from files in the home, which the proxies of one machine share. */
export function openFileStores(home: Home, world: StoreWorld): KeysAndQuota {
  const { nowMs, monotonicMs, randomBytes, pepper: given, onCommit, onCommitError } = world;
  refuseLostKeys(home);
  const openKeys = () => openKeyStore(home.keysPath, SERVER_BUSY_TIMEOUT_MS);
  const first = openWhenFree(openKeys);
  const peppers = pepperFor(first, home, { given, randomBytes });
  const keyWarnings = [noKeysWarning(first), strandedKeysWarning(first, peppers, nowMs())];
  const keys = followKeyStore({ path: home.keysPath, first, open: openKeys, nowMs });
  const ledger = openWhenFree(() => openQuotaLedger(home.quotaPath));
  const quota = createGroupCommit({ ledger, tickMs: monotonicMs, onCommit, onError: onCommitError });
  return {
    keys,
    peppers,
    quota,
    // The probe commits and flushes; an idle server need not do so each second.
    probeQuota: (mayWrite) => (mayWrite ? ledger.probe(quotaDayOf(nowMs()).day) : undefined),
    warnings: [...keyWarnings, closedDayWarning(ledger.closedThrough(), nowMs())],
    close: async () => {
      await quota.close();
      keys.close();
    },
  };
}

/** Returns a warning if there are no keys: a machine without the Redis address looks just like a new one. */
function noKeysWarning(store: Pick<KeyStore, "keys">): string | undefined {
  if (store.keys().length > 0) return undefined;
  return "there is no key in this home, so every caller gets 401: create one with `key create`, or set GOVDATA_QUOTA to the Redis that holds the keys";
}

/** The store already waits a tenth of a second in each try. */
const TRIES_MAX = 50;

/**
 * Opens a file that another process may be writing to constantly, and throws the last error after `TRIES_MAX` tries. Only
 * for a start, when no request waits: a proxy restarted under load must not give up because another one is counting.
 */
export function openWhenFree<Store>(open: () => Store): Store {
  for (let tries = 1; ; tries += 1) {
    try {
      return open();
    } catch (error) {
      if (tries >= TRIES_MAX || !isBusy(error)) throw error;
    }
  }
}
