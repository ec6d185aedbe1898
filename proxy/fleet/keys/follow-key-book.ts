import type { AskedKeyStore } from "../../keys/key-lookup.ts";
import type { KeyStore } from "../../keys/key-store.ts";
import { type BookPoint, type KeyBook, KeyBookError, NO_POINT } from "./key-book.ts";
import { createMemoryBook, type MemoryBook } from "./memory-book.ts";

/** How often a proxy asks what changed. */
export const FOLLOW_EVERY_MS = 200;

/**
 * How long the copy may be used, counted from the last poll that succeeded: from its start, not its reply. A revocation
 * takes effect within one second on every host; a host that is cut off stops accepting keys before that.
 */
const TRUSTED_MS = 750;

/** A copy of a book that one proxy keeps current. */
export interface FollowedKeyBook {
  /** The copy as of the last successful poll, for use at the start. */
  readonly store: KeyStore;
  /** The store for requests. Throws `KeyBookError` while the copy may be out of date. */
  readonly asked: AskedKeyStore;
  /** Reads what changed. Never rejects: if the book is invalid or failures last, `asked` throws. */
  readonly poll: () => Promise<void>;
}

export interface FollowParts {
  readonly book: KeyBook;
  /** The last state this host saw before its start; refused if the book's history does not contain it. */
  readonly known: BookPoint;
  /**
   * Clocks in milliseconds. All must agree that a reply is recent: the wall clock may be set back, and the monotonic
   * clock may stop while the machine sleeps.
   */
  readonly clocks: readonly (() => number)[];
  /** Called with the copy after each change; throws if the copy cannot be used. */
  readonly onChange: (store: KeyStore, point: BookPoint) => void;
}

/** Copies the book, and updates the copy at each `poll`. Rejects if the whole book cannot be copied. */
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
      // Redis did answer, but with an invalid book, so the copy is no longer valid.
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
