import { type StoreWatch, watchStores } from "./access/watch-stores.ts";
import { describeError } from "./app.ts";
import { openHome, pepperFor, refuseLostKeys, strandedKeysWarning } from "./home.ts";
import { tellingFileFailures } from "./http/file-failure.ts";
import * as limits from "./http/transport-limits.ts";
import { followKeyStore } from "./keys/followed-key-store.ts";
import { createKeyLookup, type KeyLookup } from "./keys/key-lookup.ts";
import { openKeyStore } from "./keys/key-store.ts";
import type { Log } from "./observe/create-log.ts";
import { logStoreFailures, type StorePlace } from "./observe/log-store-failures.ts";
import { type QuotaTally, watchLedger } from "./observe/watch-ledger.ts";
import { openPatiently } from "./open-patiently.ts";
import { closedDayWarning } from "./quota/close-days.ts";
import { type ClosableQuota, createGroupCommitQuota } from "./quota/group-commit-quota.ts";
import { quotaDayOf } from "./quota/quota-day.ts";
import { openQuotaLedger } from "./quota/quota-ledger.ts";
import type { ServerWorld } from "./server-world.ts";
import { openSequenceMemory, type SequenceMemory } from "./snapshot/sequence-memory.ts";

/** What a server keeps in its home. */
export interface OpenStores {
  readonly memory: SequenceMemory;
  readonly lookup: KeyLookup;
  readonly quota: ClosableQuota;
  /** Whether keys and quota answer. */
  readonly watch: StoreWatch;
  /** Tells the log of a request that a store failed, and has the store looked at. */
  readonly onFailure: (where: StorePlace, error: unknown) => void;
  /** What an operator should hear at the start. */
  readonly warnings: readonly (string | undefined)[];
  readonly close: () => void;
}

/** Who hears of what the stores do. */
export interface StoreListeners {
  readonly log: Log;
  readonly quotaTally: QuotaTally;
  readonly onLineDropped: () => void;
}

/** Opens keys, quota and the highest sequence, each in its file. */
export function openStores(
  directory: string,
  { nowMs, randomBytes, pepper: given }: Pick<ServerWorld, "nowMs" | "randomBytes" | "pepper">,
  { log, quotaTally, onLineDropped }: StoreListeners,
): OpenStores {
  const home = openHome(directory);
  refuseLostKeys(home);
  const memory = tellingFileFailures("highest-sequence in the home", () =>
    openSequenceMemory(home.directory),
  );
  const openKeys = () => openKeyStore(home.keysPath, limits.SERVER_BUSY_TIMEOUT_MS);
  const firstStore = openPatiently(openKeys);
  const pepper = pepperFor(firstStore, home, { given, randomBytes });
  const stranded = strandedKeysWarning(firstStore, pepper, nowMs());
  const store = followKeyStore(home.keysPath, firstStore, openKeys);
  const ledger = openPatiently(() => openQuotaLedger(home.quotaPath));
  const closed = closedDayWarning(ledger.closedThrough(), nowMs());
  const watch = watchStores({
    probes: {
      // A digest that no key has.
      keys: () => void store.findByDigest(Buffer.alloc(32)),
      quota: () => ledger.probe(quotaDayOf(nowMs()).day),
    },
    onChange: (name, error) => {
      if (error === undefined) log.info({ store: name }, "store answers again");
      else log.error({ store: name, ...describeError(error) }, "store down: every request gets 503");
    },
  });
  const tellFailure = logStoreFailures(log, { nowMs, describe: describeError, onDropped: onLineDropped });
  const onFailure = (where: StorePlace, error: unknown): void => {
    tellFailure(where, error);
    watch.suspect(where === "keys" ? "keys" : "quota");
  };
  const quota = createGroupCommitQuota({
    openLedger: () => watchLedger(ledger, quotaTally),
    onError: (error) => onFailure("quota commit", error),
  });
  return {
    memory,
    lookup: createKeyLookup({ store, pepper, nowMs }),
    quota,
    watch,
    onFailure,
    warnings: [stranded, closed],
    close: () => {
      quota.close();
      store.close();
    },
  };
}
