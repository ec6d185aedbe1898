import { type RedisScript, redisScript } from "../../redis/redis-connection.ts";

/** What the counter knows of itself: `epoch`, `before`, `closed_through`, `settled`. */
export const GUARD_KEY = "govdata:guard";

/** How many writes of one process were counted; `id` is its own. What stands in the braces keeps it beside the guard in a cluster. */
export function processKey(id: string): string {
  return `{${GUARD_KEY}}:process:${id}`;
}

const DAY_MS = 86_400_000;

/**
 * The hash of one account and day: `used`, and `set` where an operator has set the count. A cluster looks only at
 * what stands in the braces, so all days of an account lie on one node.
 */
export function countKey(account: string, day: string): string {
  return `govdata:quota:{${account}}:${day}`;
}

/** A day as Redis counts them, from 1970-01-01 on. */
export function dayNumberOf(day: string): number {
  return Math.floor(Date.parse(day) / DAY_MS);
}

/** The same day, spelt. */
export function dayOfNumber(number: number): string {
  return new Date(number * DAY_MS).toISOString().slice(0, 10);
}

/** The day before that in which the proxy believes, that day and the next: one of them is today by Redis' clock. */
const DAYS_TRIED = [-1, 0, 1] as const;

/** `KEYS[1..3]` of the scripts that look for the count of today, and `ARGV[1]`: the day number of the first. */
export function countsAround(
  account: string,
  day: string,
): { readonly keys: string[]; readonly firstDay: number } {
  const days = DAYS_TRIED.map((days) => dayNumberOf(day) + days);
  return { keys: days.map((number) => countKey(account, dayOfNumber(number))), firstDay: Math.min(...days) };
}

/**
 * Finds the count of the day it is by the clock of Redis, which is the same for all proxies; a key is never made up in a
 * script, as a cluster must know them before. ARGV[1]: the day number of KEYS[1].
 */
const TODAY = `
local now = redis.call('TIME')
local at = now[1] * 1000 + math.floor(now[2] / 1000)
local day = math.floor(now[1] / 86400)
local key = KEYS[day - ARGV[1] + 1]
if not key then return {at, -2, 0} end
`;

/** Two days after the end of its day nobody asks for a count any more: neither a refund nor a clock that is behind. */
const EXPIRE = `redis.call('EXPIREAT', key, (day + 3) * 86400)`;

/**
 * Grants up to ARGV[2] units within the limit ARGV[3]. Of a day that was closed, ARGV[4] being the last of them, only an
 * account whose count an operator has set since (in the epoch ARGV[5]; one set in another epoch is nothing to count on). Answers with the time, the count before
 * (-1: closed, -2: KEYS are not of this day) and how many were granted.
 */
export const GRANT = redisScript(`${TODAY}
local found = redis.call('HMGET', key, 'used', 'set')
if (found[2] or day <= tonumber(ARGV[4])) and found[2] ~= ARGV[5] then return {at, -1, 0} end
local used = tonumber(found[1] or 0)
local granted = math.max(0, math.min(tonumber(ARGV[2]), tonumber(ARGV[3]) - used))
if granted > 0 then
  redis.call('HINCRBY', key, 'used', granted)
  if not found[1] then ${EXPIRE} end
end
return {at, used, granted}
`);

/**
 * Gives ARGV[1] units back to KEYS[1], never below 0. Not where an operator has set the count in another epoch than
 * ARGV[2]: what is given back was counted in what is lost.
 */
export const REFUND = redisScript(`
local found = redis.call('HMGET', KEYS[1], 'used', 'set')
if found[2] and found[2] ~= ARGV[2] then return 0 end
local back = math.min(tonumber(ARGV[1]), tonumber(found[1] or 0))
if back > 0 then redis.call('HINCRBY', KEYS[1], 'used', -back) end
return back
`);

/** Sets the count of today to ARGV[2], in the epoch ARGV[3]; answers with the time, and what it was (-2: KEYS are not of this day). */
export const SET_COUNT = redisScript(`${TODAY}
local used = tonumber(redis.call('HGET', key, 'used') or 0)
redis.call('HSET', key, 'used', ARGV[2], 'set', ARGV[3])
${EXPIRE}
return {at, used, 1}
`);

/** One process that ended leaves a few bytes for so long. */
const OWN_SECONDS = 30 * 86_400;

const KEEP_OWN = `redis.call('SET', KEYS[2], own, 'EX', ${OWN_SECONDS})`;

/**
 * Reads the writes of this process (KEYS[2]), of which ARGV[1] were answered, at ARGV[2] in seconds the last. Who was away
 * for so long that the count went by itself, or whose Redis' clock leapt, lost nothing by that.
 */
const OWN = `
local now = redis.call('TIME')
local own, own_known = redis.call('GET', KEYS[2]), tonumber(ARGV[1])
if not own and ARGV[2] + ${OWN_SECONDS} <= tonumber(now[1]) then
  own = own_known
  ${KEEP_OWN}
end
own = tonumber(own or 0)
`;

/**
 * Counts a write of all in KEYS[1], and in KEYS[2] one of this process. Where of its own there are fewer than were answered,
 * they are lost, and nothing is counted: the writes of others cannot hide it, nor those of its own that were never
 * answered. Answers with the writes (-1: lost), the epoch, and the writes of this process.
 */
export const TICK = redisScript(`${OWN}
local epoch = redis.call('HGET', KEYS[1], 'epoch') or ''
if own < own_known then return {-1, epoch, own} end
own = own + 1
${KEEP_OWN}
return {redis.call('HINCRBY', KEYS[1], 'settled', 1), epoch, own}
`);

/**
 * Says in which epoch is counted, and begins one where none is. ARGV[3] and on: the epoch that was counted in (empty: none
 * yet), how many writes were seen in it, and the name of a new one. Where what was counted in is gone, a new epoch begins,
 * in which today is closed: no proxy may take it for the old one, and those that counted in the old one know it by
 * `before`. Tomorrow is closed too where it was counted in: what comes in the place of what is gone may have another clock.
 * Answers with the epoch, the last closed day (-1: none), the writes, the time, and the writes of this process.
 */
export const GUARD = redisScript(`${OWN}
local at = now[1] * 1000 + math.floor(now[2] / 1000)
local day = math.floor(now[1] / 86400)
local found = redis.call('HMGET', KEYS[1], 'epoch', 'before', 'closed_through', 'settled')
local epoch, before = found[1], found[2] or ''
local closed, settled = tonumber(found[3] or -1), tonumber(found[4] or 0)
local counted_in, known = ARGV[3], tonumber(ARGV[4])

local function write()
  redis.call('HSET', KEYS[1], 'epoch', epoch, 'before', before, 'closed_through', closed, 'settled', settled)
end

local is_lost
if counted_in == '' then
  is_lost = false
  if not epoch then
    epoch = ARGV[5]
    write()
  end
elseif epoch == counted_in then
  is_lost = settled < known or own < own_known
else
  is_lost = not (epoch and string.find(' ' .. before .. ' ', ' ' .. counted_in .. ' ', 1, true))
end
if is_lost then
  before = before .. ' ' .. counted_in
  if epoch and epoch ~= counted_in then before = before .. ' ' .. epoch end
  -- Only who has slept through so many losses would not find its own any more, and closes the day once again.
  before = string.sub(before, -4096)
  epoch = ARGV[5]
  closed = math.max(closed, day, math.min(math.floor(ARGV[2] / 86400), day + 1))
  settled = math.max(settled, known)
  write()
end
return {epoch, closed, settled, at, own}
`);

/** Every script of the counter: a link that counts loads them. */
export const QUOTA_SCRIPTS: readonly RedisScript[] = [GRANT, REFUND, SET_COUNT, GUARD, TICK];
