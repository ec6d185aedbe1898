import { LRUCache } from "lru-cache";
import { DAILY_REQUESTS } from "../../snapshots/format/limits.ts";
import type { AccessTier } from "../../snapshots/format/value-sets.ts";
import { isWellFormedKey } from "./key-format.ts";
import type { KeyStore } from "./key-store.ts";
import type { KeyWithAccount } from "./key-table.ts";
import { keyDigest, type Peppers } from "./peppers.ts";

/** The holder of a valid key, and what its account may do. */
export interface KeyHolder {
  readonly keyId: string;
  readonly account: string;
  readonly tier: AccessTier;
  readonly dailyLimit: number;
}

/**
 * Returns the holder of a presented key, undefined for an invalid key; a promise if the store has to be asked and is on
 * another machine. Throws or rejects if the store cannot be read.
 */
export type KeyLookup = (presented: string) => KeyHolder | undefined | Promise<KeyHolder | undefined>;

/** The cache contains keys in clear text, so it is cleared after a short time. */
const CLEARED_EVERY_MS = 5_000;

/** Limits the memory that a flood of invented keys can use. */
const CACHED_MAX = 10_000;

/** The cached result for a well-formed key. */
interface CachedHolder {
  readonly holder: KeyHolder | undefined;
  readonly endsAtMs: number;
}

/** The result for an unknown or revoked key. */
const NOBODY: CachedHolder = { holder: undefined, endsAtMs: Number.NEGATIVE_INFINITY };

/** Finds keys by their digest under each pepper. Caches results briefly, until the store changes at the latest. */
export function createKeyLookup({
  store,
  peppers,
  nowMs,
}: {
  readonly store: Pick<KeyStore, "revision" | "find">;
  readonly peppers: Peppers;
  readonly nowMs: () => number;
}): KeyLookup {
  const cache = new LRUCache<string, CachedHolder>({ max: CACHED_MAX });
  // Not read yet: a busy host may start while what it knows of the keys is no longer recent.
  let revision: number | undefined;
  let clearedAtMs = nowMs();

  const clearOutdated = (atMs: number): void => {
    const latest = store.revision();
    const ageMs = atMs - clearedAtMs;
    if (latest === revision && ageMs >= 0 && ageMs < CLEARED_EVERY_MS) return;
    cache.clear();
    revision = latest;
    clearedAtMs = atMs;
  };
  const holderNow = ({ holder, endsAtMs }: CachedHolder, atMs: number) =>
    endsAtMs > atMs ? holder : undefined;

  return (presented) => {
    const atMs = nowMs();
    clearOutdated(atMs);
    const cached = cache.get(presented);
    if (cached !== undefined) return holderNow(cached, atMs);
    if (!isWellFormedKey(presented)) return undefined;
    const askedRevision = revision;
    const record = store.find(peppers.map((pepper) => keyDigest(pepper, presented)));
    const keep = (found: KeyWithAccount | undefined): KeyHolder | undefined => {
      const result = resultOf(found);
      // A change noticed while the store was asked may have come after its reply: such a reply is not kept.
      if (revision === askedRevision) cache.set(presented, result);
      return holderNow(result, nowMs());
    };
    if (!(record instanceof Promise)) return keep(record);
    return record.then((found) => {
      clearOutdated(nowMs());
      return keep(found);
    });
  };
}

function resultOf(record: KeyWithAccount | undefined): CachedHolder {
  if (record === undefined || record.revokedAtMs !== null) return NOBODY;
  const { keyId, account, tier, dailyLimit, expiresAtMs } = record;
  const holder = { keyId, account, tier, dailyLimit: dailyLimit ?? DAILY_REQUESTS[tier] };
  return { holder, endsAtMs: expiresAtMs ?? Number.POSITIVE_INFINITY };
}
