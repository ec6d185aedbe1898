import { type RedisScript, redisScript } from "../../redis/redis-connection.ts";

/**
 * The keys of the book: the rows by field, the fields by the revision of their last change, what ties each commit's
 * revision to a random token, and the highest revision. One hash tag, so one slot of a cluster.
 */
export const BOOK_KEYS = [
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
export const READ_SCRIPT = redisScript(`${NAMES}
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
export const COMMIT_SCRIPT = redisScript(`${NAMES}
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
