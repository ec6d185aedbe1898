import { statSync } from "node:fs";
import { LRUCache } from "lru-cache";
import { DAILY_REQUESTS } from "../../snapshots/format/limits.ts";
import type { AccessTier } from "../../snapshots/format/value-sets.ts";
import { isWellFormedKey } from "./key-format.ts";
import type { KeyTable, KeyWithAccount } from "./key-table.ts";
import { keyDigest, type Peppers } from "./peppers.ts";

/** Where accounts and keys are kept: in a file or in Redis. Every method throws or rejects if it cannot be used. */
export interface KeyStore {
  /**
   * Differs after every change; results from before it are then invalid. Throws while no result may be used, not even one
   * that was kept.
   */
  readonly revision: () => number;
  /** Finds a key by its digests, one for each pepper, newest first. A promise where the store is on another machine. */
  readonly find: (
    digests: readonly Buffer[],
  ) => KeyWithAccount | undefined | Promise<KeyWithAccount | undefined>;
  /**
   * Runs `work` on all accounts and keys as one change: all of it, or nothing if it throws. `work` may run twice, if
   * another program writes meanwhile.
   */
  readonly edit: <Result>(work: (table: KeyTable) => Result) => Promise<Result>;
  readonly close: () => void;
}

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

/** A change must take effect within one second; a slow request may use up the rest of it. */
const LOOK_EVERY_MS = 200;

/**
 * Opens the file of keys at `path`, and checks up to five times a second whether it was replaced or changed. Otherwise a
 * file restored while the server runs would never be read: the old one would stay open, and keys revoked in the new one
 * would still work. Throws while the file is missing or is not a store, so that nobody is let in.
 */
export function openKeyFile(path: string, open: () => KeyTable, nowMs: () => number): KeyStore {
  const fileId = (): string => {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  };
  let table: KeyTable | undefined = open();
  let openedId = fileId();
  let revision = 0;
  let tableRevision: number | undefined;
  let lookedAtMs = Number.NEGATIVE_INFINITY;

  const current = (): KeyTable => {
    const id = fileId();
    if (table !== undefined && id === openedId) return table;
    table?.close();
    table = undefined;
    table = open();
    openedId = id;
    tableRevision = undefined;
    return table;
  };
  return {
    revision: () => {
      const atMs = nowMs();
      const ageMs = atMs - lookedAtMs;
      // A clock set back makes the age negative: check again instead of trusting an old result for an hour.
      if (ageMs >= 0 && ageMs < LOOK_EVERY_MS) return revision;
      const latest = current().revision();
      if (latest !== tableRevision) revision += 1;
      tableRevision = latest;
      lookedAtMs = atMs;
      return revision;
    },
    find: (digests) => {
      const { findByDigest } = current();
      for (const digest of digests) {
        const record = findByDigest(digest);
        if (record !== undefined) return record;
      }
      return undefined;
    },
    edit: async (work) => {
      const opened = current();
      return opened.atomically(() => work(opened));
    },
    close: () => table?.close(),
  };
}
