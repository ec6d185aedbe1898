import { redisScript } from "../../redis/redis-script.ts";

/** A proxy that was away for longer would close the day when it comes back; one that ended leaves a few bytes for so long. */
const OWN_SECONDS = 30 * 86_400;

/**
 * Counts a write of all in KEYS[1], and in KEYS[2] one of this process, of whose writes ARGV[1] were answered before. Where
 * there are fewer now they are lost, and nothing is counted: the writes of others cannot hide it, nor those of its own that
 * were never answered. Answers with the writes (-1: lost), the epoch, and the writes of this process.
 */
export const TICK = redisScript(`
local own = tonumber(redis.call('GET', KEYS[2]) or 0)
local epoch = redis.call('HGET', KEYS[1], 'epoch') or ''
if own < tonumber(ARGV[1]) then return {-1, epoch, own} end
redis.call('SET', KEYS[2], own + 1, 'EX', ${OWN_SECONDS})
return {redis.call('HINCRBY', KEYS[1], 'settled', 1), epoch, own + 1}
`);

/**
 * Says in which epoch is counted, and begins one where none is. ARGV: the epoch that was counted in (empty: none yet),
 * how many writes were seen in it, the name of a new one, how many writes of this process (KEYS[2]) were answered, and the latest day (-1: none) it
 * counted in, as whatever comes in the place of what is gone may have another clock. Where what was counted in is gone, a new epoch begins, in
 * which today is closed: no proxy may take it for the old one, and those that counted in the old one know it by `before`.
 * Answers with the epoch, the last closed day (-1: none), the writes, the time, and the writes of this process.
 */
export const GUARD = redisScript(`
local now = redis.call('TIME')
local at = now[1] * 1000 + math.floor(now[2] / 1000)
local day = math.floor(now[1] / 86400)
local found = redis.call('HMGET', KEYS[1], 'epoch', 'before', 'closed_through', 'settled')
local epoch, before = found[1], found[2] or ''
local closed, settled = tonumber(found[3] or -1), tonumber(found[4] or 0)
local counted_in, known, known_own = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[4])
local own = tonumber(redis.call('GET', KEYS[2]) or 0)

local function write()
  redis.call('HSET', KEYS[1], 'epoch', epoch, 'before', before, 'closed_through', closed, 'settled', settled)
end

local is_lost
if counted_in == '' then
  is_lost = false
  if not epoch then
    epoch = ARGV[3]
    write()
  end
elseif epoch == counted_in then
  is_lost = settled < known or own < known_own
else
  is_lost = not (epoch and string.find(' ' .. before .. ' ', ' ' .. counted_in .. ' ', 1, true))
end
if is_lost then
  before = before .. ' ' .. counted_in
  if epoch and epoch ~= counted_in then before = before .. ' ' .. epoch end
  -- Only who has slept through so many losses would not find its own any more, and closes the day once again.
  before = string.sub(before, -4096)
  epoch = ARGV[3]
  closed = math.max(closed, day, tonumber(ARGV[5]))
  settled = math.max(settled, known)
  write()
end
return {epoch, closed, settled, at, own}
`);
