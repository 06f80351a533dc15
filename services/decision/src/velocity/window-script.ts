/**
 * KEYS: per question the list of an agent's decision times in milliseconds, newest first, each with
 * the mark of its decision as fraction. ARGV: five values per question, namely the time of this
 * decision, the window in milliseconds, the maximum count, whether this decision is to be added
 * ('add'), has been added before ('in') or is a simulation that is never added ('out'), and its
 * mark.
 *
 * A mark that one of the newest entries has is not added again: then a call between the services
 * was repeated, and the first one may still be under way.
 *
 * The window contains more than `count` decisions if and only if the entry `count` places before
 * this decision lies within it, so a single LINDEX suffices. Returns per question 0, or the time
 * in milliseconds from which another decision would no longer exceed the count.
 *
 * Entries beyond that place that are older than the window are trimmed. In a list that never
 * reaches the count, every 128th insertion removes the older half if all of it is older than the
 * window, so that a list has at most about twice as many entries as were ever within the window.
 */
export const windowScript = `
local again = {}
for i, list in ipairs(KEYS) do
  local at, window, count, how, mark = unpack(ARGV, i * 5 - 4, i * 5)
  local since, place = at - window, tonumber(count)
  local length
  if how == 'add' then
    for _, entry in ipairs(redis.call('LRANGE', list, 0, 7)) do
      if string.sub(entry, -#mark) == mark then how = 'in' end
    end
  end
  if how == 'add' then
    length = redis.call('LPUSH', list, at .. mark)
  else
    length = redis.call('LLEN', list)
  end
  if how == 'out' then place = place - 1 else redis.call('PEXPIRE', list, window) end
  again[i] = 0
  if length > place then
    if math.floor(redis.call('LINDEX', list, place)) > since then
      again[i] = redis.call('LINDEX', list, count - 1) + window
    elseif how == 'add' then
      redis.call('LTRIM', list, 0, place - 1)
    end
  end
  if how == 'add' and length % 128 == 0 then
    local half = redis.call('LINDEX', list, length / 2)
    if half and math.floor(half) <= since then redis.call('LTRIM', list, 0, length / 2) end
  end
end
return again`;
