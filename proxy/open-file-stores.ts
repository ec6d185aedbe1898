import { type Home, pepperFor, refuseLostKeys, strandedKeysWarning } from "./home.ts";
import * as limits from "./http/transport-limits.ts";
import { followKeyStore } from "./keys/followed-key-store.ts";
import { createKeyLookup } from "./keys/key-lookup.ts";
import { openKeyStore } from "./keys/key-store.ts";
import type { KeysAndQuota, KeysAndQuotaWorld } from "./keys-and-quota.ts";
import { openPatiently } from "./open-patiently.ts";
import { closedDayWarning } from "./quota/close-days.ts";
import { createGroupCommitQuota } from "./quota/group-commit-quota.ts";
import { quotaDayOf } from "./quota/quota-day.ts";
import { openQuotaLedger } from "./quota/quota-ledger.ts";

/** Opens keys and quota, each in its file in the home: for the proxies of one machine. */
export function openFileStores(
  home: Home,
  { nowMs, randomBytes, pepper: given, onCommitError, watchCommits }: KeysAndQuotaWorld,
): KeysAndQuota {
  refuseLostKeys(home);
  const openKeys = () => openKeyStore(home.keysPath, limits.SERVER_BUSY_TIMEOUT_MS);
  const firstStore = openPatiently(openKeys);
  const pepper = pepperFor(firstStore, home, { given, randomBytes });
  const stranded = strandedKeysWarning(firstStore, pepper, nowMs());
  const store = followKeyStore(home.keysPath, firstStore, openKeys);
  const ledger = openPatiently(() => openQuotaLedger(home.quotaPath));
  const closed = closedDayWarning(ledger.closedThrough(), nowMs());
  const quota = createGroupCommitQuota({ openLedger: () => watchCommits(ledger), onError: onCommitError });
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
    warnings: [stranded, closed],
    close: async () => {
      await quota.close();
      store.close();
    },
  };
}
