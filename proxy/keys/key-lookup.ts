import { statSync } from "node:fs";
import { LRUCache } from "lru-cache";
import { DAILY_REQUESTS } from "../../snapshots/format/limits.ts";
import type { AccessTier } from "../../snapshots/format/value-sets.ts";
import { isWellFormedKey } from "./key-format.ts";
import type { KeyStore, KeyWithAccount } from "./key-store.ts";
import { keyDigest, type Peppers } from "./peppers.ts";

/** The holder of a valid key, and what its account may do. */
export interface KeyHolder {
  readonly keyId: string;
  readonly account: string;
  readonly tier: AccessTier;
  readonly dailyLimit: number;
}

/** Returns the holder of a presented key, undefined for an invalid key. Throws if the store cannot be read. */
export type KeyLookup = (presented: string) => KeyHolder | undefined;

export interface KeyLookupParts {
  readonly store: AskedKeyStore;
  readonly peppers: Peppers;
  readonly nowMs: () => number;
}

/** The part of a store that a server uses. */
export interface AskedKeyStore extends Pick<KeyStore, "findByDigest" | "close"> {
  /**
   * The current revision of the store. When it changes, all cached results are invalid. Throws while no result may be
   * returned, not even a cached one.
   */
  readonly revision: () => number;
}

/** The cache contains keys in clear text, so it is cleared after a short time. */
const FORGOTTEN_EVERY_MS = 5_000;

/** Limits the memory that a flood of invented keys can use. */
const REMEMBERED_MAX = 10_000;

/** The cached result for a well-formed key. */
interface Found {
  readonly holder: KeyHolder | undefined;
  readonly endsAtMs: number;
}

/** The result for an unknown or revoked key. */
const NOBODY: Found = { holder: undefined, endsAtMs: Number.NEGATIVE_INFINITY };

/** Finds keys by their digest under each pepper. Caches results briefly, until the store changes at the latest. */
export function createKeyLookup({ store, peppers, nowMs }: KeyLookupParts): KeyLookup {
  const remembered = new LRUCache<string, Found>({ max: REMEMBERED_MAX });
  let revision = store.revision();
  let forgottenAtMs = nowMs();

  const forget = (atMs: number): void => {
    const current = store.revision();
    const ageMs = atMs - forgottenAtMs;
    if (current === revision && ageMs >= 0 && ageMs < FORGOTTEN_EVERY_MS) return;
    remembered.clear();
    revision = current;
    forgottenAtMs = atMs;
  };
  const find = (presented: string): Found => {
    for (const pepper of peppers) {
      const record = store.findByDigest(keyDigest(pepper, presented));
      if (record !== undefined) return record.revokedAtMs === null ? foundIn(record) : NOBODY;
    }
    return NOBODY;
  };

  return (presented) => {
    const atMs = nowMs();
    forget(atMs);
    let found = remembered.get(presented);
    if (found === undefined) {
      if (!isWellFormedKey(presented)) return undefined;
      found = find(presented);
      remembered.set(presented, found);
    }
    return found.endsAtMs > atMs ? found.holder : undefined;
  };
}

function foundIn({ keyId, account, tier, dailyLimit, expiresAtMs }: KeyWithAccount): Found {
  const holder = { keyId, account, tier, dailyLimit: dailyLimit ?? DAILY_REQUESTS[tier] };
  return { holder, endsAtMs: expiresAtMs ?? Number.POSITIVE_INFINITY };
}

/** What following a file of keys needs. */
export interface FollowParts {
  readonly path: string;
  readonly first: AskedKeyStore;
  readonly open: () => AskedKeyStore;
  readonly nowMs: () => number;
}

/** A change must take effect within one second; a slow request may use up the rest of it. */
const LOOK_EVERY_MS = 200;

/**
 * Reads the store at `path`, and checks up to five times a second whether the file was replaced or changed. Otherwise a
 * file restored while the server runs would never be read: the old one would stay open, and keys revoked in the new one
 * would still work. Throws while the file is missing or is not a store, so that nobody is let in.
 */
export function followKeyStore({ path, first, open, nowMs }: FollowParts): AskedKeyStore {
  const idOf = (): string => {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  };
  let store: AskedKeyStore | undefined = first;
  let openedId = idOf();
  let revision = 0;
  let revisionOfStore: number | undefined;
  let lookedAtMs = Number.NEGATIVE_INFINITY;

  const openedNow = (): AskedKeyStore => {
    const id = idOf();
    if (store !== undefined && id === openedId) return store;
    store?.close();
    store = undefined;
    store = open();
    openedId = id;
    revisionOfStore = undefined;
    return store;
  };
  return {
    revision: () => {
      const atMs = nowMs();
      const ageMs = atMs - lookedAtMs;
      // A clock set back makes the age negative: check again instead of trusting an old result for an hour.
      if (ageMs >= 0 && ageMs < LOOK_EVERY_MS) return revision;
      const current = openedNow().revision();
      if (current !== revisionOfStore) revision += 1;
      revisionOfStore = current;
      lookedAtMs = atMs;
      return revision;
    },
    findByDigest: (digest) => openedNow().findByDigest(digest),
    close: () => store?.close(),
  };
}
