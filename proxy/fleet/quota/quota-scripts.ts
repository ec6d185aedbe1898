import { DAY_MS } from "../../../snapshots/base/days.ts";
import { dayOf } from "../../../snapshots/format/ids.ts";
import { type RedisScript, redisScript } from "../redis/redis-link.ts";

/** The hash with the counter's state: `epoch`, `before`, `closed_through`, `settled`. */
export const GUARD_KEY = "govdata:guard";

/** Key of the number of writes of process `id`. The braces keep it on the guard's node in a cluster. */
export function processKey(id: string): string {
  return `{${GUARD_KEY}}:process:${id}`;
}

/**
 * Key of the hash of one account and day: `used`, and `set`, the epoch in which an operator set the count, if
 * any. A cluster hashes only the text in the braces, so all days of an account are on one node.
 */
export function countKey(account: string, day: string): string {
  return `govdata:quota:{${account}}:${day}`;
}

/** The number of a day, counted from 1970-01-01, as the scripts use it. */
export const dayNumberOf = (day: string): number => Date.parse(day) / DAY_MS;

export const dayOfNumber = (number: number): string => dayOf(number * DAY_MS);

/**
 * `KEYS` for the scripts that find today's count, and `ARGV[1]`: the day number of the first. They are of the proxy's
 * day, the one before and the one after: one of them should be today by Redis' clock.
 */
export function countsAround(account: string, day: string) {
  const firstDay = dayNumberOf(day) - 1;
  return { keys: [0, 1, 2].map((after) => countKey(account, dayOfNumber(firstDay + after))), firstDay };
}

/**
 * Finds the key of today by the clock of Redis, which is the same for all proxies. Scripts never build a key,
 * as a cluster must know all keys beforehand. ARGV[1]: the day number of KEYS[1].
 */
const TODAY = `
local now = redis.call('TIME')
local at = now[1] * 1000 + math.floor(now[2] / 1000)
local day = math.floor(now[1] / 86400)
local key = KEYS[day - ARGV[1] + 1]
if not key then return {at, -2, 0} end
`;

/** Reads a count; nil for what is none, which a person or another program wrote. */
const COUNT_OF = `
local function count_of(text)
  local used = tonumber(text or 0)
  if used and used >= 0 and used < 2^53 and used == math.floor(used) then return used end
end
`;

/** A count expires two days after its day: by then neither a refund nor a clock that is behind needs it. */
const EXPIRE = `redis.call('EXPIREAT', key, (day + 3) * 86400)`;

/**
 * Grants up to ARGV[2] units within the limit ARGV[3]. ARGV[4] is the last closed day: up to it, units are
 * granted only to accounts whose count an operator set in the epoch ARGV[5]. A count set in another epoch is
 * not trusted. Returns the time, the count before (-1: closed, -2: KEYS lack today, -3: it is none) and the units
 * granted.
 */
export const GRANT = redisScript(`${TODAY}${COUNT_OF}
local found = redis.pcall('HMGET', key, 'used', 'set')
if found.err then return {at, -3, 0} end
if (found[2] or day <= tonumber(ARGV[4])) and found[2] ~= ARGV[5] then return {at, -1, 0} end
local used = count_of(found[1])
if not used then return {at, -3, 0} end
local granted = math.max(0, math.min(tonumber(ARGV[2]), tonumber(ARGV[3]) - used))
if granted > 0 then
  redis.call('HINCRBY', key, 'used', granted)
  if not found[1] then ${EXPIRE} end
end
return {at, used, granted}
`);

/**
 * Refunds ARGV[1] units to KEYS[1], never below 0. Does nothing if an operator has set the count in another
 * epoch than ARGV[2]: the refunded units were counted in the lost data. Returns the units refunded.
 */
export const REFUND = redisScript(`${COUNT_OF}
local found = redis.pcall('HMGET', KEYS[1], 'used', 'set')
if found.err or found[2] and found[2] ~= ARGV[2] then return 0 end
local back = math.min(tonumber(ARGV[1]), count_of(found[1]) or 0)
if back > 0 then redis.call('HINCRBY', KEYS[1], 'used', -back) end
return back
`);

/**
 * Sets today's count to ARGV[2], in epoch ARGV[3]; a higher one stays if ARGV[4] is 'raise'. Returns the time, the old
 * count (-2: KEYS lack today).
 */
export const SET_COUNT = redisScript(`${TODAY}${COUNT_OF}
if redis.call('TYPE', key).ok ~= 'hash' then redis.call('DEL', key) end
local before = count_of(redis.call('HGET', key, 'used')) or 0
local used = tonumber(ARGV[2])
if ARGV[4] == 'raise' then used = math.max(used, before) end
redis.call('HSET', key, 'used', string.format('%d', used), 'set', ARGV[3])
${EXPIRE}
return {at, before, 1}
`);

/** How long, in seconds, a process that ended leaves its key of a few bytes. A server writes each second. */
const OWN_SECONDS = 30 * 86_400;

/** How many writes of this process (KEYS[2]) are there, and how many were answered (ARGV[1]); and the time. */
const OWN = `
local own, own_known = tonumber(redis.call('GET', KEYS[2]) or 0), tonumber(ARGV[1])
local now = redis.call('TIME')
local at = now[1] * 1000 + math.floor(now[2] / 1000)
`;

/**
 * Counts one write in the total (KEYS[1]) and for this process (KEYS[2]). If some of its answered writes were lost,
 * nothing is counted. Neither writes of other processes nor unanswered ones of this process can hide that. Returns the
 * epoch, the total (-1: lost), the writes of this process and the time.
 */
export const TICK = redisScript(`${OWN}
local epoch = redis.call('HGET', KEYS[1], 'epoch') or ''
if own < own_known then return {epoch, -1, own, at} end
redis.call('SET', KEYS[2], own + 1, 'EX', ${OWN_SECONDS})
return {epoch, redis.call('HINCRBY', KEYS[1], 'settled', 1), own + 1, at}
`);

/**
 * Finds the current epoch, and begins one if there is none. ARGV[2] is the latest time, in seconds, that the caller ever read here;
 * ARGV[3..5] are its epoch (empty: none yet), how many writes it saw in it, and the name for a new one. If counts of the
 * caller's epoch are lost, a new epoch begins, in which today is closed. No proxy can mistake it for the old one, and
 * those that counted in the old one recognise it by `before`. Tomorrow is closed too if units of it were counted: a Redis
 * that replaces the lost one may have another clock. Returns the epoch, the total of writes, the writes of this process,
 * the time, and the last closed day (-1: none).
 */
export const GUARD = redisScript(`${OWN}
local day = math.floor(now[1] / 86400)
local found = redis.call('HMGET', KEYS[1], 'epoch', 'before', 'closed_through', 'settled')
local epoch, before = found[1], found[2] or ''
local closed, settled = tonumber(found[3] or -1), tonumber(found[4] or 0)
local counted_in, known = ARGV[3], tonumber(ARGV[4])

local is_lost = false
if epoch == counted_in then
  is_lost = settled < known or own < own_known
elseif counted_in ~= '' then
  is_lost = not (epoch and string.find(' ' .. before .. ' ', ' ' .. counted_in .. ' ', 1, true))
end
if is_lost then
  before = before .. ' ' .. counted_in
  if epoch and epoch ~= counted_in then before = before .. ' ' .. epoch end
  -- Only who has slept through so many losses would not find its own any more, and closes the day once again.
  before = string.sub(before, -4096)
  closed = math.max(closed, day, math.min(math.floor(ARGV[2] / 86400), day + 1))
  settled = math.max(settled, known)
end
if is_lost or not epoch then
  epoch = ARGV[5]
  redis.call('HSET', KEYS[1], 'epoch', epoch, 'before', before, 'closed_through', closed, 'settled', settled)
end
return {epoch, settled, own, at, closed}
`);

export const QUOTA_SCRIPTS: readonly RedisScript[] = [GRANT, REFUND, SET_COUNT, GUARD, TICK];
