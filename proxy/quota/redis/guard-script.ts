import { redisScript } from "../../redis/redis-script.ts";

/**
 * Says in which epoch is counted, and begins one where none is. ARGV: the epoch that was counted in (empty: none yet),
 * how many writes were seen in it, and the name of a new one. Where what was counted in is gone, a new epoch begins, in
 * which today is closed: no proxy may take it for the old one, and those that counted in the old one know it by `before`.
 * Answers with the epoch, the last closed day (-1: none), the writes, and the time.
 */
export const GUARD = redisScript(`
local now = redis.call('TIME')
local at = now[1] * 1000 + math.floor(now[2] / 1000)
local day = math.floor(now[1] / 86400)
local found = redis.call('HMGET', KEYS[1], 'epoch', 'before', 'closed_through', 'settled')
local epoch, before = found[1], found[2] or ''
local closed, settled = tonumber(found[3] or -1), tonumber(found[4] or 0)
local own, known = ARGV[1], tonumber(ARGV[2])

local function write()
  redis.call('HSET', KEYS[1], 'epoch', epoch, 'before', before, 'closed_through', closed, 'settled', settled)
end

local is_lost
if own == '' then
  is_lost = false
  if not epoch then
    epoch = ARGV[3]
    write()
  end
elseif epoch == own then
  is_lost = settled < known
else
  is_lost = not (epoch and string.find(' ' .. before .. ' ', ' ' .. own .. ' ', 1, true))
end
if is_lost then
  before = before .. ' ' .. own
  if epoch and epoch ~= own then before = before .. ' ' .. epoch end
  -- Only who has slept through so many losses would not find its own any more, and closes the day once again.
  before = string.sub(before, -4096)
  epoch = ARGV[3]
  closed = math.max(closed, day)
  settled = math.max(settled, known)
  write()
end
return {epoch, closed, settled, at}
`);
