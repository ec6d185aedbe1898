import { redisScript } from "../../redis/redis-script.ts";

/** What `KEYS[1..3]` of the scripts are: the day in the middle is the one that the proxy believes in. */
export const DAYS_TRIED = [-1, 0, 1] as const;

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
