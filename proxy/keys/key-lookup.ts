import { timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import { DAILY_REQUESTS } from "../../snapshots/format/limits.ts";
import type { AccessTier } from "../../snapshots/format/value-sets.ts";
import { keyDigest, type Pepper, type Peppers } from "./key-digest.ts";
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
  readonly store: Pick<KeyStore, "findByDigest"> & {
    /**
     * Which state of the store answers now: once it is another one, nothing remembered of it holds. Throws where no
     * answer may be given, remembered or not.
     */
    readonly revision?: () => number;
  };
  /** One, or several while one takes the place of another. */
  readonly pepper: Pepper | Peppers;
  readonly nowMs: () => number;
}

/** A change takes effect within one second (proxy.md §4); half of it leaves room for a slow request. */
const REMEMBERED_MS = 500;

/** A key that opened is not digested again for this long. With the above, a change takes effect within three quarters of a second. */
const OPENED_MS = 250;

/** Opened keys lie here in clear text, and for no longer than they are of use. */
const FORGOTTEN_EVERY_MS = 1_000;

/** Bounds the memory that a flood of made-up keys can take. */
const REMEMBERED_MAX = 10_000;

interface Remembered {
  readonly record: KeyWithAccount;
  readonly readAtMs: number;
}

interface Opened {
  readonly holder: KeyHolder;
  readonly expiresAtMs: number;
  readonly openedAtMs: number;
}

/** Stands where there is no record, so that unknown keys take the same steps to the same nothing. */
const NO_RECORD: KeyWithAccount = {
  keyId: "",
  account: "",
  environment: "live",
  digest: Buffer.alloc(32),
  createdAtMs: 0,
  expiresAtMs: null,
  revokedAtMs: 0,
  successorId: null,
  pepperId: 0,
  tier: "free",
  dailyLimit: null,
};

/**
 * Finds keys by digest, under each pepper. Unknown, revoked, expired and malformed keys and those with a wrong checksum
 * take the same steps and give the same nothing: the checksum spares nobody a question to the store.
 */
export function createKeyLookup({ store, pepper, nowMs }: KeyLookupParts): KeyLookup {
  const peppers: readonly Pepper[] = typeof pepper === "string" ? [pepper] : pepper;
  const remembered = new LRUCache<string, Remembered>({ max: REMEMBERED_MAX });

  const opened = new LRUCache<string, Opened>({ max: REMEMBERED_MAX });
  let forgottenAtMs = Number.NEGATIVE_INFINITY;

  const holderOf = (presented: string, record: KeyWithAccount, atMs: number): KeyHolder => {
    const { keyId, account, tier } = record;
    const holder = { keyId, account, tier, dailyLimit: record.dailyLimit ?? DAILY_REQUESTS[tier] };
    opened.set(presented, { holder, expiresAtMs: endOf(record), openedAtMs: atMs });
    return holder;
  };

  const find = (digest: Buffer, atMs: number): KeyWithAccount => {
    const name = digest.toString("base64");
    const known = remembered.get(name);
    if (known !== undefined && isYoung(atMs - known.readAtMs, REMEMBERED_MS)) return known.record;
    const record = store.findByDigest(digest) ?? NO_RECORD;
    remembered.set(name, { record, readAtMs: atMs });
    return record;
  };

  let revision = store.revision?.();
  const forgetOldRevision = (): void => {
    const current = store.revision?.();
    if (current === revision) return;
    remembered.clear();
    opened.clear();
    revision = current;
  };

  return (presented) => {
    const atMs = nowMs();
    forgetOldRevision();
    if (!isYoung(atMs - forgottenAtMs, FORGOTTEN_EVERY_MS)) {
      opened.clear();
      forgottenAtMs = atMs;
    }
    const known = opened.get(presented);
    if (known !== undefined && isYoung(atMs - known.openedAtMs, OPENED_MS) && known.expiresAtMs > atMs) {
      return known.holder;
    }
    const isWellFormed = isWellFormedKey(presented);
    let holder: KeyWithAccount | undefined;
    for (const each of peppers) {
      const digest = keyDigest(each, presented);
      const record = find(digest, atMs);
      const isSame = timingSafeEqual(record.digest, digest);
      const isEnded = record.revokedAtMs !== null || endOf(record) <= atMs;
      if (isWellFormed && isSame && !isEnded) holder = record;
    }
    return holder === undefined ? undefined : holderOf(presented, holder, atMs);
  };
}

/** A clock set back gives a negative age: ask again rather than trust an old answer for an hour. */
function isYoung(ageMs: number, mostMs: number): boolean {
  return ageMs >= 0 && ageMs < mostMs;
}

function endOf({ expiresAtMs }: KeyWithAccount): number {
  return expiresAtMs ?? Number.POSITIVE_INFINITY;
}
