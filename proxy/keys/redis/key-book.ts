import { z } from "zod";
import { openRememberedFile, type RememberedFile } from "../../durable-files.ts";
import { OperatorError } from "../../operator-error.ts";
import { RedisError, type RedisScript, redisScript } from "../../redis/redis-connection.ts";
import type { RedisCall, RedisLink } from "../../redis/redis-link.ts";

/** A state of the book: its revision, and the token that ties it to this one history of changes. */
export interface BookPoint {
  readonly revision: number;
  readonly token: string;
}

/** What is known of a book of which nothing is known, and the state of one that was never begun. */
export const NO_POINT: BookPoint = { revision: 0, token: "" };

/** One row of the book as it lies in Redis: `account:NAME`, `key:ID` or `pepper:N`, and its JSON. */
export interface BookRow {
  readonly field: string;
  readonly json: string;
}

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

/**
 * The keys of the book: the rows by field, the fields by the revision of their last change, what ties each commit's
 * revision to a random token, and the highest revision. One hash tag, so one slot of a cluster.
 */
const BOOK_KEYS = [
  "govdata:{keys}:rows",
  "govdata:{keys}:changed",
  "govdata:{keys}:commits",
  "govdata:{keys}:revision",
] as const;

/** What every script begins with. */
const NAMES = "local rows, changed, commits, revision = KEYS[1], KEYS[2], KEYS[3], KEYS[4]\n";

/**
 * What changed after ARGV[3], at most ARGV[4] rows, for one who knows revision ARGV[1] by its token ARGV[2] (0: nothing).
 * A token that is not that of the revision is of another history: an older file that was put back, or another book.
 */
const READ_SCRIPT = redisScript(`${NAMES}
local at = redis.call('GET', revision) or '0'
if redis.call('HLEN', rows) ~= redis.call('ZCARD', changed) then return {'lost'} end
if (redis.call('ZREVRANGE', changed, 0, 0, 'WITHSCORES')[2] or '0') ~= at then return {'lost'} end
if ARGV[1] ~= '0' and (redis.call('HGET', commits, ARGV[1]) or '') ~= ARGV[2] then return {'lost'} end
local fields = redis.call('ZRANGEBYSCORE', changed, '(' .. ARGV[3], '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[4])
local reply = {'ok', at, redis.call('HGET', commits, at) or '', fields[#fields] or ARGV[3]}
for i = 1, #fields, 2 do
  reply[#reply + 1] = fields[i]
  reply[#reply + 1] = redis.call('HGET', rows, fields[i]) or ''
end
return reply`);

/** Puts fields and their JSON (ARGV[4] and on) into the book that is at revision ARGV[1] by token ARGV[2]; ARGV[3] is the new token. */
const COMMIT_SCRIPT = redisScript(`${NAMES}
local at = redis.call('GET', revision) or '0'
if at ~= ARGV[1] or (redis.call('HGET', commits, at) or '') ~= ARGV[2] then return 'moved' end
local now = tonumber(at)
for i = 4, #ARGV, 2 do
  now = now + 1
  redis.call('HSET', rows, ARGV[i], ARGV[i + 1])
  redis.call('ZADD', changed, string.format('%d', now), ARGV[i])
end
now = string.format('%d', now)
redis.call('HSET', commits, now, ARGV[3])
redis.call('SET', revision, now)
return 'ok'`);

/** What a link must load before a book can be asked over it. */
export const KEY_BOOK_SCRIPTS: readonly RedisScript[] = [READ_SCRIPT, COMMIT_SCRIPT];

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
        "keys-point in the home, which records the last state seen of the keys in Redis, is damaged.",
        "Delete the file to accept the keys as they are in Redis now; check `key list` first.",
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
  throw new KeyBookError("KEYS_INVALID", "The list of keys in Redis does not end.");
}

/** In two parts: zod takes a second for a tuple of ten thousand rows. */
function readReply(reply: unknown) {
  if (Array.isArray(reply) && reply[0] === "lost") {
    throw new KeyBookError(
      "KEYS_LOST",
      "Redis does not hold the keys that it held before: it lost them, has an older copy, or is a different Redis.",
    );
  }
  const head = Head.safeParse(Array.isArray(reply) ? reply.slice(0, 4) : reply);
  const words = Words.safeParse(Array.isArray(reply) ? reply.slice(4) : reply);
  if (!head.success || !words.success) {
    throw new KeyBookError("KEYS_INVALID", "Redis returned something that is not a list of keys.");
  }
  const [, at, token, last] = head.data;
  return { at, token, last, words: words.data };
}

/** Why a book of keys answers nobody, or took no change. */
export type KeyBookErrorCode =
  /** No good answer for too long: what was revoked meanwhile is not known. */
  | "KEYS_STALE"
  /** Redis does not hold what it held: an older copy, an emptied one, or another Redis. */
  | "KEYS_LOST"
  /** What lies there is no row of this program. */
  | "KEYS_INVALID"
  /** The keys were stored under peppers that are not on this host. */
  | "KEYS_PEPPER";

/** A failure of the book of keys in Redis: a stable code, and a sentence without any key, digest or address. */
export class KeyBookError extends Error {
  override readonly name = "KeyBookError";
  readonly code: KeyBookErrorCode;

  constructor(code: KeyBookErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** Does some work with the book; what goes wrong with Redis becomes an `OperatorError`. */
export async function explainingBookFailures<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw operatorErrorOf(error);
  }
}

function operatorErrorOf(error: unknown): unknown {
  if (error instanceof RedisError) {
    const reason = error.reason === undefined ? "" : ` (${error.reason})`;
    const hint = "Check the Redis in GOVDATA_QUOTA, its log and its disk, and try again.";
    return new OperatorError("STORE_UNUSABLE", `${error.message}${reason}.`, hint, error);
  }
  if (!(error instanceof KeyBookError)) return error;
  if (error.code === "KEYS_LOST") {
    return new OperatorError(
      "KEYS_MISSING",
      error.message,
      "Put Redis' files back. Or accept what is there: keys that were revoked since may work again, so revoke them again, then delete keys-point in the home of each host and start it.",
      error,
    );
  }
  const hint = "Put Redis' files back. Only this program may write under govdata:{keys}.";
  return new OperatorError("STORE_UNUSABLE", error.message, hint, error);
}
