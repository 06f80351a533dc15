/**
 * Everything the gateway does in Redis, each in one round trip. All of it may be lost: a missing
 * bucket counts as full, and a missing version is read from the database.
 */

/**
 * KEYS[1] is the bucket; ARGV tokens per millisecond (0: no limit), burst, and how many tokens are
 * asked for. Takes as many as there are; `taken` has the reply to each, or one reply for a read
 * that asks for no token.
 */
const takeTokens = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local rate, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local tokens, taken = burst, {}
if rate > 0 then
  local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'at')
  tokens = tonumber(bucket[1]) or burst
  tokens = math.min(burst, tokens + math.max(0, now - (tonumber(bucket[2]) or now)) * rate)
end
for asker = 1, tonumber(ARGV[3]) do
  local allowed, full, one = 1, 0, 0
  if rate > 0 then
    if tokens >= 1 then
      tokens = tokens - 1
    else
      allowed = 0
      one = math.ceil((1 - tokens) / rate)
    end
    full = math.ceil((burst - tokens) / rate)
  end
  taken[asker] = {allowed, math.floor(tokens), full, one}
end
if #taken == 0 then
  local full = 0
  if rate > 0 then full = math.ceil((burst - tokens) / rate) end
  taken[1] = {1, math.floor(tokens), full, 0}
end
if rate > 0 then
  redis.call('HSET', KEYS[1], 'tokens', tokens, 'at', now)
  redis.call('PEXPIRE', KEYS[1], math.ceil((burst - tokens) / rate) + 1000)
end`;

/** A bucket that belongs to no credential. */
export const bucketScript = `${takeTokens}
return taken[1]`;

/**
 * KEYS bucket, credential; ARGV also lease, its length (ms), keep (ms), fresh for (ms). Takes
 * tokens and returns the version of the credential. Where that is missing or not fresh, one caller
 * at a time gets a lease, which permits it to write the version it reads from the database after
 * this. Any change in between takes the lease away, so an outdated read is never written. What is
 * further away than it can be was written before the clock was set back, and counts as over.
 */
export const gateScript = `${takeTokens}
local known = redis.call('HMGET', KEYS[2], 'version', 'fresh', 'lease', 'leased')
local fresh, leased = 0, 0
local left = (tonumber(known[2]) or now) - now
if known[1] and left > 0 and left <= tonumber(ARGV[7]) then
  fresh = 1
elseif not known[3] or math.abs(now - known[4]) > tonumber(ARGV[5]) then
  leased = 1
  redis.call('HSET', KEYS[2], 'lease', ARGV[4], 'leased', now)
  if not known[1] then redis.call('PEXPIRE', KEYS[2], ARGV[6]) end
end
return {known[1] or '', fresh, leased, taken}`;

/** KEYS credential; ARGV lease, version, fresh for (ms), keep (ms). Writes what was read. */
export const fillScript = `
if redis.call('HGET', KEYS[1], 'lease') ~= ARGV[1] then return 0 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[1], 'version', ARGV[2], 'fresh', now + ARGV[3])
redis.call('HDEL', KEYS[1], 'lease')
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1`;

/**
 * KEYS credential; ARGV version, keep (ms). A change: versions only ever grow. Whoever asks next
 * reads the database, since there may be a later version, of which this one knows nothing if it was
 * held up on its way. A credential that nobody asked for stays unknown.
 */
export const announceScript = `
redis.call('HDEL', KEYS[1], 'lease')
local known = tonumber(redis.call('HGET', KEYS[1], 'version'))
if not known or known >= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'version', ARGV[1], 'fresh', 0)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`;

/** KEYS counter; ARGV add (0 or 1), window (ms). Returns the count and the time left (ms). */
export const attemptsScript = `
local count = tonumber(redis.call('GET', KEYS[1])) or 0
if ARGV[1] == '1' then
  count = redis.call('INCR', KEYS[1])
  if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
end
return {count, math.max(0, redis.call('PTTL', KEYS[1]))}`;
