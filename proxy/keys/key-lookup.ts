import { timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import { DAILY_REQUESTS } from "../../snapshots/format/limits.ts";
import type { AccessTier } from "../../snapshots/format/value-sets.ts";
import { keyDigest, type Pepper } from "./key-digest.ts";
import { isWellFormedKey } from "./key-format.ts";
import type { KeyStore, KeyWithAccount } from "./key-store.ts";

/** Who presents a valid key, and what the account behind it may do. */
export interface KeyHolder {
  readonly keyId: string;
  readonly account: string;
  readonly tier: AccessTier;
  readonly dailyLimit: number;
}

/** The holder of a presented key; undefined for every key that opens nothing. Throws where the store cannot be asked. */
export type KeyLookup = (presented: string) => KeyHolder | undefined;

/** What a lookup needs. */
export interface KeyLookupParts {
  readonly store: Pick<KeyStore, "findByDigest">;
  readonly pepper: Pepper;
  readonly nowMs: () => number;
}

/** A change takes effect within one second (proxy.md §4); half of it leaves room for a slow request. */
const REMEMBERED_MS = 500;

/** Bounds the memory that a flood of made-up keys can take. */
const REMEMBERED_MAX = 10_000;

/** Compared against where there is no record, so that unknown keys take the same steps. */
const NO_DIGEST = Buffer.alloc(32);

/**
 * Finds keys by digest. Unknown, revoked, expired and malformed keys take the same steps and give the same
 * nothing; only the checksum, which anybody can compute, spares the database a question.
 */
export function createKeyLookup({ store, pepper, nowMs }: KeyLookupParts): KeyLookup {
  const remembered = new LRUCache<string, { record: KeyWithAccount | undefined; readAtMs: number }>({
    max: REMEMBERED_MAX,
  });

  const find = (digest: Buffer): KeyWithAccount | undefined => {
    const name = digest.toString("base64");
    const known = remembered.get(name);
    const ageMs = known === undefined ? Number.POSITIVE_INFINITY : nowMs() - known.readAtMs;
    // A clock set back gives a negative age: ask again rather than trust an old answer for an hour.
    if (known !== undefined && ageMs >= 0 && ageMs < REMEMBERED_MS) return known.record;
    const record = store.findByDigest(digest);
    remembered.set(name, { record, readAtMs: nowMs() });
    return record;
  };

  return (presented) => {
    const digest = keyDigest(pepper, presented);
    const record = isWellFormedKey(presented) ? find(digest) : undefined;
    const isSame = timingSafeEqual(record?.digest ?? NO_DIGEST, digest);
    const isRevoked = (record?.revokedAtMs ?? null) !== null;
    const isExpired = (record?.expiresAtMs ?? Number.POSITIVE_INFINITY) <= nowMs();
    if (record === undefined || !isSame || isRevoked || isExpired) return undefined;
    return {
      keyId: record.keyId,
      account: record.account,
      tier: record.tier,
      dailyLimit: record.dailyLimit ?? DAILY_REQUESTS[record.tier],
    };
  };
}
