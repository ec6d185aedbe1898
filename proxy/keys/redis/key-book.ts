import { z } from "zod";
import { openRememberedFile, type RememberedFile } from "../../durable-files.ts";
import { OperatorError } from "../../operator-error.ts";
import type { RedisCall, RedisLink } from "../../redis/redis-link.ts";
import type { BookRow } from "./book-row.ts";
import { BOOK_KEYS, COMMIT_SCRIPT, READ_SCRIPT } from "./book-scripts.ts";
import { KeyBookError } from "./key-book-error.ts";

/** A state of the book: its revision, and the token that ties it to this one history of changes. */
export interface BookPoint {
  readonly revision: number;
  readonly token: string;
}

/** What is known of a book of which nothing is known, and the state of one that was never begun. */
export const NO_POINT: BookPoint = { revision: 0, token: "" };

/** What changed, and the state it leads to. */
export interface BookNews {
  readonly point: BookPoint;
  readonly rows: readonly BookRow[];
}

/** The accounts and keys that lie in Redis for several hosts. Every method rejects with `RedisError` or `KeyBookError`. */
export interface KeyBook {
  /**
   * All rows that changed after a point, as they are now; all there are after `NO_POINT`. Refuses a book whose history
   * does not hold `known`, which is the same point unless given.
   */
  readonly readSince: (after: BookPoint, known?: BookPoint) => Promise<BookNews>;
  /** Writes rows as one commit, where the book is still at this point; false where it is not. The first, at `NO_POINT`, begins it. */
  readonly commit: (at: BookPoint, rows: readonly BookRow[], token: string) => Promise<boolean>;
}

/** Rows of one call: a few hundred kilobytes, which Redis gives within milliseconds. */
const ROWS_MAX = 1_000;

/** Far above the accounts and keys of any service; a reply that never ends is no book. */
const PAGES_MAX = 10_000;

const Count = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,15})$/)
  .transform(Number)
  .pipe(z.int());
const Token = z.string().regex(/^[0-9a-f]{0,64}$/);
const Head = z.tuple([z.literal("ok"), Count, Token, Count]);
const Words = z.array(z.string());

/** The book that lies behind a link which has loaded `KEY_BOOK_SCRIPTS`. */
export function createKeyBook(link: RedisLink): KeyBook {
  const ask = async (call: RedisCall): Promise<unknown> => (await link.call([call]))[0];
  return {
    readSince: (after, known = after) => readPages(ask, after, known),
    commit: async ({ revision, token: current }, rows, token) => {
      const words = rows.flatMap(({ field, json }) => [field, json]);
      return (await ask(COMMIT_SCRIPT.run(BOOK_KEYS, [revision, current, token, ...words]))) === "ok";
    },
  };
}

/** What a host saw last of the book, over its restarts: without it an older copy of Redis would pass for the newest. */
export function openPointMemory(path: string): RememberedFile<BookPoint> {
  return openRememberedFile({
    path,
    read: (line) => {
      const [, revision, token] = /^([1-9][0-9]{0,14}) ([0-9a-f]{1,64})$/.exec(line) ?? [];
      return token === undefined ? undefined : { revision: Number(revision), token };
    },
    write: ({ revision, token }) => `${revision} ${token}`,
    damaged: () =>
      new OperatorError(
        "HOME_UNUSABLE",
        "keys-point in the home, which says what was seen last of the keys in Redis, is damaged.",
        "Delete the file to accept the keys as they are in Redis now; look at `key list` first.",
      ),
  });
}

/**
 * A field that changes between two pages comes again on a later one, so when the last page has come, what was read is
 * the book as it was at that moment.
 */
async function readPages(
  ask: (call: RedisCall) => Promise<unknown>,
  after: BookPoint,
  known: BookPoint,
): Promise<BookNews> {
  const rows = new Map<string, string>();
  let from = after.revision;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const reply = await ask(READ_SCRIPT.run(BOOK_KEYS, [known.revision, known.token, from, ROWS_MAX]));
    const { at, token, last, words } = readReply(reply);
    for (let index = 0; index < words.length; index += 2)
      rows.set(words[index] ?? "", words[index + 1] ?? "");
    if (last >= at || words.length === 0) {
      return { point: { revision: at, token }, rows: [...rows].map(([field, json]) => ({ field, json })) };
    }
    from = last;
  }
  throw new KeyBookError("KEYS_INVALID", "The book of keys in Redis has no end.");
}

/** In two parts: zod takes a second for a tuple of ten thousand rows. */
function readReply(reply: unknown) {
  if (Array.isArray(reply) && reply[0] === "lost") {
    throw new KeyBookError(
      "KEYS_LOST",
      "The Redis does not hold the keys that it held before: it lost them, holds an older copy, or is another one.",
    );
  }
  const head = Head.safeParse(Array.isArray(reply) ? reply.slice(0, 4) : reply);
  const words = Words.safeParse(Array.isArray(reply) ? reply.slice(4) : reply);
  if (!head.success || !words.success) {
    throw new KeyBookError("KEYS_INVALID", "Redis did not answer as a book of keys does.");
  }
  const [, at, token, last] = head.data;
  return { at, token, last, words: words.data };
}
