import type { AskedKeyStore } from "../key-lookup.ts";
import type { KeyStore } from "../key-store.ts";
import { type BookPoint, type KeyBook, KeyBookError, NO_POINT } from "./key-book.ts";
import { createMemoryBook, type MemoryBook } from "./memory-book.ts";

/** How often a proxy asks what changed. */
export const FOLLOW_EVERY_MS = 200;

/**
 * Counted from the moment the last good answer was asked for. A revocation takes effect within one second on every host,
 * also on one that is cut off: it answers nobody before the second is over.
 */
const TRUSTED_MS = 750;

/** A book as one proxy follows it. */
export interface FollowedKeyBook {
  /** The copy, to be asked at the start; it is as old as the last good answer. */
  readonly store: KeyStore;
  /** What requests ask. Throws `KeyBookError` while the copy is not known to be the book as it is. */
  readonly asked: AskedKeyStore;
  /** Asks what changed. Never rejects: a failure shows in `asked`. */
  readonly poll: () => Promise<void>;
}

/** What following needs. */
export interface FollowParts {
  readonly book: KeyBook;
  /** What this host saw last, before it was started; refused where the book's history does not hold it. */
  readonly known: BookPoint;
  /**
   * Clocks in milliseconds, all of which must agree that an answer is young: the wall's may be set back, and the other
   * may stand still while the machine sleeps.
   */
  readonly clocks: readonly (() => number)[];
  /** Called with the copy at each change; throws where it cannot be used. */
  readonly onChange: (store: KeyStore, point: BookPoint) => void;
}

/** Copies the book, and follows it from then on at each `poll`. Rejects where it cannot be copied whole. */
export async function followKeyBook(parts: FollowParts): Promise<FollowedKeyBook> {
  const { clocks } = parts;
  const copy = createMemoryBook();
  const readings = (): readonly number[] => clocks.map((clock) => clock());
  let askedAt: readonly number[] | undefined = readings();
  let point = await takeNews(parts, copy, NO_POINT, parts.known);
  let failure: unknown;
  let isAsking = false;

  const revision = (): number => {
    if (askedAt !== undefined && isYoung(askedAt, readings())) return point.revision;
    if (failure instanceof KeyBookError) throw new KeyBookError(failure.code, failure.message, failure.cause);
    throw new KeyBookError("KEYS_STALE", "Changes to the keys in Redis could not be read.", failure);
  };
  const poll = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    const atStart = readings();
    try {
      point = await takeNews(parts, copy, point, point);
      askedAt = atStart;
      failure = undefined;
    } catch (error) {
      failure = error;
      // It did answer, and not as it may: then what is known here holds no longer.
      if (error instanceof KeyBookError) askedAt = undefined;
    } finally {
      isAsking = false;
    }
  };
  return {
    store: copy.store,
    asked: {
      revision,
      findByDigest: (digest) => {
        revision();
        return copy.store.findByDigest(digest);
      },
      close: copy.store.close,
    },
    poll,
  };
}

async function takeNews(
  { book, onChange }: FollowParts,
  copy: MemoryBook,
  after: BookPoint,
  known: BookPoint,
): Promise<BookPoint> {
  const { point, rows } = await book.readSince(after, known);
  if (point.revision === after.revision) return point;
  copy.take(rows);
  onChange(copy.store, point);
  return point;
}

function isYoung(then: readonly number[], now: readonly number[]): boolean {
  return now.every((atMs, index) => {
    const ageMs = atMs - (then[index] ?? Number.NaN);
    return ageMs >= 0 && ageMs < TRUSTED_MS;
  });
}
