import {
  type Home,
  pepperFor,
  refuseLostKeys,
  SERVER_BUSY_TIMEOUT_MS,
  strandedKeysWarning,
} from "../home.ts";
import { followKeyStore } from "../keys/followed-key-store.ts";
import { createKeyLookup } from "../keys/key-lookup.ts";
import { type KeyStore, openKeyStore } from "../keys/key-store.ts";
import { closedDayWarning, quotaDayOf } from "../quota/daily-quota.ts";
import { createGroupCommit } from "../quota/group-commit.ts";
import { isBusy } from "../quota/sqlite/open-quota-database.ts";
import { openQuotaLedger } from "../quota/sqlite/quota-ledger.ts";
import type { KeysAndQuota, KeysAndQuotaWorld } from "./server-world.ts";

/** One of several machines that was not told where the keys are looks just like a new one. */
function noKeysWarning(store: Pick<KeyStore, "keys">): string | undefined {
  if (store.keys().length > 0) return undefined;
  return "there is no key in this home, so every caller gets 401: make one with `key create`, or name the Redis that holds them in GOVDATA_QUOTA";
}

/** Opens keys and quota, each in its file in the home: for the proxies of one machine. */
export function openFileStores(
  home: Home,
  { nowMs, monotonicMs, randomBytes, pepper: given, onCommitError, watchCommits }: KeysAndQuotaWorld,
): KeysAndQuota {
  refuseLostKeys(home);
  const openKeys = () => openKeyStore(home.keysPath, SERVER_BUSY_TIMEOUT_MS);
  const firstStore = openPatiently(openKeys);
  const pepper = pepperFor(firstStore, home, { given, randomBytes });
  const stranded = strandedKeysWarning(firstStore, pepper, nowMs());
  const store = followKeyStore({ path: home.keysPath, first: firstStore, open: openKeys, nowMs });
  const ledger = openPatiently(() => openQuotaLedger(home.quotaPath));
  const closed = closedDayWarning(ledger.closedThrough(), nowMs());
  const quota = createGroupCommit({
    ledger: watchCommits(ledger),
    tickMs: monotonicMs ?? nowMs,
    onError: onCommitError,
  });
  return {
    lookup: createKeyLookup({ store, pepper, nowMs }),
    quota,
    looks: {
      probes: {
        // A digest that no key has.
        keys: () => void store.findByDigest(Buffer.alloc(32)),
        quota: () => ledger.probe(quotaDayOf(nowMs()).day),
      },
    },
    warnings: [noKeysWarning(firstStore), stranded, closed],
    close: async () => {
      await quota.close();
      store.close();
    },
  };
}

/** Each try has waited for a tenth of a second already, inside the store. */
const TRIES_MAX = 50;

/**
 * Opens a file that another process may be writing to without a pause. Only for a start, when no request waits behind
 * it: a proxy that is restarted under load must not give up because the other one is counting.
 */
export function openPatiently<Store>(open: () => Store): Store {
  for (let tries = 1; ; tries += 1) {
    try {
      return open();
    } catch (error) {
      if (tries >= TRIES_MAX || !wasBusy(error)) throw error;
    }
  }
}

/** Whether the file itself said so, however it was told on the way up. */
function wasBusy(error: unknown): boolean {
  return isBusy(error) || (error instanceof Error && wasBusy(error.cause));
}
