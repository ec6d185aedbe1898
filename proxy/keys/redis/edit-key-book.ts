import { type OperatorFailure, operatorFailure } from "../../operator-error.ts";
import { RedisError } from "../../redis/redis-connection.ts";
import type { RandomBytes } from "../key-format.ts";
import type { KeyStore } from "../key-store.ts";
import { type BookPoint, type BookRow, type KeyBook, NO_POINT } from "./key-book.ts";
import { createMemoryBook, type MemoryBook, TAKEN_BACK } from "./memory-book.ts";

/** People type commands, so this many concurrent changes in a row are no coincidence. */
const TRIES_MAX = 8;

const TOKEN_BYTES = 16;

/** A copy of the book, and the state that was copied. */
export interface LoadedBook {
  readonly copy: MemoryBook;
  readonly point: BookPoint;
}

/** Copies the whole book. The copy is empty if no book was begun. */
export async function loadKeyBook(book: KeyBook): Promise<LoadedBook> {
  const { point, rows } = await book.readSince(NO_POINT);
  const copy = createMemoryBook();
  copy.take(rows);
  return { copy, point };
}

/** Writes rows as one commit, with a token unlike that of any other; false if the book is no longer at `point`. */
export function commitBook(
  book: KeyBook,
  point: BookPoint,
  rows: readonly BookRow[],
  randomBytes: RandomBytes,
): Promise<boolean> {
  const token = Buffer.from(randomBytes(TOKEN_BYTES)).toString("hex");
  return explainingDoubt(book.commit(point, rows, token));
}

/**
 * Runs `work` on a copy of the book, and writes its changes as one commit if nobody wrote meanwhile. Otherwise it runs
 * again on a fresh copy, so that neither of two commands undoes the other.
 */
export async function editKeyBook<Result>(
  book: KeyBook,
  { randomBytes, mayBegin }: { readonly randomBytes: RandomBytes; readonly mayBegin: boolean },
  work: (store: KeyStore) => Result,
): Promise<Result> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const { copy, point } = await loadKeyBook(book);
    try {
      if (point.revision === 0 && !mayBegin) throw notBegun();
      const before = copy.rows();
      const result = work(copy.store);
      const changes = changesOf(before, copy.rows());
      if (changes.length === 0 || (await commitBook(book, point, changes, randomBytes))) return result;
    } finally {
      copy.store.close();
    }
  }
  throw operatorFailure(
    "STORE_UNUSABLE",
    "Other commands kept changing the keys in Redis, so nothing was changed.",
    "Try again when they have finished.",
  );
}

/** The error for a Redis without a book: a command that only reads takes it for the wrong Redis. */
export function notBegun(): OperatorFailure {
  return operatorFailure(
    "KEYS_MISSING",
    "There are no keys in the Redis that GOVDATA_QUOTA names.",
    "Check its address and database number. If Redis lost its keys, put its files back, or `restore` a backup. If there never were any, `key create` or `account create` starts (delete keys-point first if this home has seen keys there), or `restore` brings those of a backup.",
  );
}

/** Explains that a write without a reply may have been done. It is not sent again. */
async function explainingDoubt<Result>(written: Promise<Result>): Promise<Result> {
  try {
    return await written;
  } catch (error) {
    if (!(error instanceof RedisError) || error.code === "REDIS_REFUSED") throw error;
    throw operatorFailure(
      "STORE_UNUSABLE",
      `${error.message} while the change was being written, so it is not known whether it was made.`,
      "When Redis is back, check `key list` and `account list`, and repeat the command if the change is missing. Revoke a new key that was not shown.",
      error,
    );
  }
}

function changesOf(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): BookRow[] {
  const changed = [...after].filter(([field, json]) => before.get(field) !== json);
  const gone = [...before.keys()].filter((field) => !after.has(field));
  return [
    ...changed.map(([field, json]) => ({ field, json })),
    ...gone.map((field) => ({ field, json: TAKEN_BACK })),
  ];
}
