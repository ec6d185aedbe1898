import { redisScript } from "../../redis/redis-script.ts";

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
