/**
 * KEYS one list for each question: the times (ms) of an agent's decisions, newest first. ARGV four
 * for each: the time of the decision, the window (ms), the count, and whether the decision is to be
 * added ('add'), was added before ('in'), or never will be ('out').
 *
 * The decisions within the window are more than the count just if the one that is `count` places
 * before this one is within it: so one look at the list tells. Returns for each question 0, or from
 * when on (ms) one more decision would not be one too many.
 *
 * What is beyond that place and not within the window is of no use to anybody. Where the count is
 * never reached, the older half of a list goes once all of it is out of the window: so a list is no
 * longer than twice what was within the window, and a little.
 */
export const windowScript = `
local again = {}
for i, list in ipairs(KEYS) do
  local at, window, count, how = unpack(ARGV, i * 4 - 3, i * 4)
  local since, place = at - window, tonumber(count)
  local length
  if how == 'add' then
    length = redis.call('LPUSH', list, at)
  else
    length = redis.call('LLEN', list)
  end
  if how == 'out' then place = place - 1 else redis.call('PEXPIRE', list, window) end
  again[i] = 0
  if length > place then
    if tonumber(redis.call('LINDEX', list, place)) > since then
      again[i] = redis.call('LINDEX', list, count - 1) + window
    elseif how == 'add' then
      redis.call('LTRIM', list, 0, place - 1)
    end
  end
  if how == 'add' and length % 128 == 0 then
    local half = redis.call('LINDEX', list, length / 2)
    if half and tonumber(half) <= since then redis.call('LTRIM', list, 0, length / 2) end
  end
end
return again`;
