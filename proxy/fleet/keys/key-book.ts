import { z } from "zod";
import { openRememberedFile, type RememberedFile } from "../../../snapshots/base/durable-files.ts";
import { operatorFailure } from "../../operator-error.ts";
import { RedisError, type RedisScript, redisScript } from "../redis/redis-connection.ts";
import type { RedisCall, RedisLink } from "../redis/redis-link.ts";

/** A state of the book: its revision, and the token that identifies the history it belongs to. */
export interface BookPoint {
  readonly revision: number;
  readonly token: string;
}

/** The state of a book that was never begun; also used if no state is known. */
export const NO_POINT: BookPoint = { revision: 0, token: "" };

/** One row of the book as stored in Redis: `account:NAME`, `key:ID` or `pepper:N`, and its JSON. */
export interface BookRow {
  readonly field: string;
  readonly json: string;
}

/** The rows that changed, and the state after the changes. */
export interface BookNews {
  readonly point: BookPoint;
  readonly rows: readonly BookRow[];
}

/** Accounts and keys in Redis, shared by several hosts. Methods reject with `RedisError` or `KeyBookError`. */
export interface KeyBook {
  /**
   * Reads the current content of all rows that changed since `after`; with `NO_POINT`, of all rows. Rejects if the
   * history of the book does not contain `known`, which defaults to `after`.
   */
  readonly readSince: (after: BookPoint, known?: BookPoint) => Promise<BookNews>;
  /** Writes rows as one commit; false if the book is no longer at `at`. A first commit, at `NO_POINT`, begins it. */
  readonly commit: (at: BookPoint, rows: readonly BookRow[], token: string) => Promise<boolean>;
}

/**
 * The Redis keys of the book: rows by field, fields by the revision of their last change, the random token of each
 * commit by its revision, and the highest revision. All share one hash tag, and so one slot of a cluster.
 */
const BOOK_KEYS = [
  "govdata:{keys}:rows",
  "govdata:{keys}:changed",
  "govdata:{keys}:commits",
  "govdata:{keys}:revision",
] as const;

/** The first line of every script. */
const NAMES = "local rows, changed, commits, revision = KEYS[1], KEYS[2], KEYS[3], KEYS[4]\n";

/**
 * Returns at most ARGV[4] rows that changed after revision ARGV[3]. The caller knows revision ARGV[1] (0: none) and its
 * token ARGV[2]. A different token means a different history: a restored older file, or another book.
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

/** Writes fields and JSON (from ARGV[4]) if the book is at revision ARGV[1], token ARGV[2]. ARGV[3]: new token. */
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

/** The scripts that a link must load before a book can use it. */
export const KEY_BOOK_SCRIPTS: readonly RedisScript[] = [READ_SCRIPT, COMMIT_SCRIPT];

/** Rows per call: a few hundred kilobytes, which Redis returns within milliseconds. */
const ROWS_MAX = 1_000;

/** Pages per read: far more than the accounts and keys of any service. Beyond it, the list would not end. */
const PAGES_MAX = 10_000;

const Count = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,15})$/)
  .transform(Number)
  .pipe(z.int());
const Token = z.string().regex(/^[0-9a-f]{0,64}$/);
const Head = z.tuple([z.literal("ok"), Count, Token, Count]);
const Words = z.array(z.string());

/** The book that is reached over a link; the link must have loaded `KEY_BOOK_SCRIPTS`. */
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

/** Keeps the last state a host saw across restarts. Without it, an older copy of Redis would pass as current. */
export function openPointMemory(path: string): RememberedFile<BookPoint> {
  return openRememberedFile({
    path,
    read: (line) => {
      const [, revision, token] = /^([1-9][0-9]{0,14}) ([0-9a-f]{1,64})$/.exec(line) ?? [];
      return token === undefined ? undefined : { revision: Number(revision), token };
    },
    write: ({ revision, token }) => `${revision} ${token}`,
    damaged: () =>
      operatorFailure(
        "HOME_UNUSABLE",
        "keys-point in the home, which records the last state seen of the keys in Redis, is damaged.",
        "Delete the file to accept the keys as they are in Redis now; check `key list` first.",
      ),
  });
}

/**
 * Reads page by page. A field that changes meanwhile appears again on a later page, so the result is the book as of the
 * last page.
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

/** Parses the reply in two parts, because zod takes a second for a tuple of ten thousand rows. */
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

/** Why a key book cannot be read, or was not changed. */
export type KeyBookErrorCode =
  /** No successful read for too long, so revocations since then are not known. */
  | "KEYS_STALE"
  /** Redis no longer contains what it did: it is an older copy, an emptied one, or another Redis. */
  | "KEYS_LOST"
  /** Redis contains something that is not a row of this program. */
  | "KEYS_INVALID"
  /** The keys were stored under peppers that are not on this host. */
  | "KEYS_PEPPER";

/** A failure of the key book in Redis: a stable code, and a message without any key, digest or address. */
export class KeyBookError extends Error {
  override readonly name = "KeyBookError";
  readonly code: KeyBookErrorCode;

  constructor(code: KeyBookErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** Runs `work` with the book. Turns `RedisError` and `KeyBookError` into `OperatorFailure`. */
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
    return operatorFailure("STORE_UNUSABLE", `${error.message}${reason}.`, hint, error);
  }
  if (!(error instanceof KeyBookError)) return error;
  if (error.code === "KEYS_LOST") {
    return operatorFailure(
      "KEYS_MISSING",
      error.message,
      "Put Redis' files back. Or accept what is there: keys that were revoked since may work again, so revoke them again, then delete keys-point in the home of each host and start it.",
      error,
    );
  }
  const hint = "Put Redis' files back. Only this program may write under govdata:{keys}.";
  return operatorFailure("STORE_UNUSABLE", error.message, hint, error);
}
