import { openHome } from "../home.ts";
import { createKeyLookup, type KeyLookup } from "../keys/key-lookup.ts";
import { describeError, type Log } from "../observe/create-log.ts";
import { logStoreFailures, type StorePlace } from "../observe/log-store-failures.ts";
import type { QuotaTally } from "../observe/tally.ts";
import { tellingFileFailures } from "../operator-error.ts";
import { openSequenceMemory, type SequenceMemory } from "../snapshot/sequence-memory.ts";
import { openFileStores } from "./open-file-stores.ts";
import { openRedisStores } from "./open-redis-stores.ts";
import type { KeysAndQuota, StoreWorld } from "./server-world.ts";
import { type StoreWatch, watchStores } from "./watch-stores.ts";

/** What a server keeps, in its home or in a Redis. */
export interface OpenStores extends Pick<KeysAndQuota, "quota" | "warnings" | "close"> {
  readonly lookup: KeyLookup;
  readonly memory: SequenceMemory;
  /** Whether keys and quota answer. */
  readonly watch: StoreWatch;
  /** Tells the log of a request that a store failed, and has the store looked at. */
  readonly onFailure: (where: StorePlace, error: unknown) => void;
}

/** Who hears of what the stores do. */
export interface StoreListeners {
  readonly log: Log;
  readonly quotaTally: QuotaTally;
  readonly onLineDropped: () => void;
}

/** Where the stores are. */
export interface StorePlaces {
  readonly home: string;
  /** The Redis that several hosts share; without it each store is a file in the home. */
  readonly redisUrl: string | undefined;
  readonly sequences: Parameters<typeof openSequenceMemory>[1];
}

/** Opens keys, quota and the highest sequence. */
export async function openStores(
  { home: directory, redisUrl, sequences }: StorePlaces,
  world: Omit<StoreWorld, "onCommit" | "onCommitError" | "onWarning">,
  { log, quotaTally, onLineDropped }: StoreListeners,
): Promise<OpenStores> {
  const { nowMs } = world;
  const home = openHome(directory);
  const memory = tellingFileFailures("highest-sequence in the home", () =>
    openSequenceMemory(home.directory, sequences),
  );
  const tellFailure = logStoreFailures(log, { nowMs, onDropped: onLineDropped });
  const onFailure = (where: StorePlace, error: unknown): void => {
    tellFailure(where, error);
    watch.suspect(where === "keys" ? "keys" : "quota");
  };
  const storeWorld: StoreWorld = {
    ...world,
    onCommit: quotaTally.units.observe,
    onCommitError: (error) => {
      quotaTally.failures += 1;
      onFailure("quota commit", error);
    },
    onWarning: (warning) => log.warn(warning),
  };
  const opened =
    redisUrl === undefined
      ? openFileStores(home, storeWorld)
      : await openRedisStores(redisUrl, home, storeWorld);
  const { keys, peppers, quota, probeQuota, warnings, close } = opened;
  const watch = watchStores({
    // A digest that no key has.
    probes: { keys: () => void keys.findByDigest(Buffer.alloc(32)), quota: probeQuota },
    onChange: (store, error) => {
      if (error === undefined) log.info({ store }, "store answers again");
      else log.error({ store, ...describeError(error) }, "store down: every request gets 503");
    },
  });
  // A name of a variable that was mistyped on one machine of many would otherwise be seen by its callers first.
  log.info({ keysAndQuota: redisUrl === undefined ? "files in the home" : "Redis" }, "stores opened");
  const lookup = createKeyLookup({ store: keys, pepper: peppers, nowMs });
  return { memory, lookup, quota, watch, onFailure, warnings, close };
}
