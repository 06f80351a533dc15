/**
 * Everything the gateway does in Redis, each in one round trip. All of it may be lost: a missing
 * bucket is a full one, a missing version sends its asker to the database.
 */

/**
 * KEYS[1] is the bucket; ARGV tokens a millisecond (0: no limit), burst, and how many ask. Takes a
 * token for each, and has in `taken` what each of them is told; where none asks for a token, what
 * whoever only looks is told.
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

/** The bucket of what is no credential. */
export const bucketScript = `${takeTokens}
return taken[1]`;

/**
 * KEYS bucket, credential; ARGV also lease, how long one is held (ms), keep (ms). Takes tokens and
 * tells the version of the credential. Where that is not known, or not known to be fresh, one asker
 * at a time gets a lease: only who read the database after this moment may fill in the version, and
 * any change in between takes the lease away.
 */
export const gateScript = `${takeTokens}
local known = redis.call('HMGET', KEYS[2], 'version', 'fresh', 'lease', 'leased')
local fresh, leased = 0, 0
if known[1] and tonumber(known[2]) > now then
  fresh = 1
elseif not known[3] or tonumber(known[4]) + ARGV[5] < now then
  leased = 1
  redis.call('HSET', KEYS[2], 'lease', ARGV[4], 'leased', now)
  if not known[1] then redis.call('PEXPIRE', KEYS[2], ARGV[6]) end
end
return {known[1] or '', fresh, leased, taken}`;

/** KEYS credential; ARGV lease, version, fresh for (ms), keep (ms). Fills in what was read. */
export const fillScript = `
if redis.call('HGET', KEYS[1], 'lease') ~= ARGV[1] then return 0 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[1], 'version', ARGV[2], 'fresh', now + ARGV[3])
redis.call('HDEL', KEYS[1], 'lease')
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1`;

/** KEYS credential; ARGV version, fresh for (ms), keep (ms). A change: versions only ever grow. */
export const announceScript = `
redis.call('HDEL', KEYS[1], 'lease')
local known = tonumber(redis.call('HGET', KEYS[1], 'version'))
if known and known > tonumber(ARGV[1]) then return 0 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[1], 'version', ARGV[1], 'fresh', now + ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`;

/** KEYS counter; ARGV add (0 or 1), window (ms). Returns the count and the time left (ms). */
export const attemptsScript = `
local count = tonumber(redis.call('GET', KEYS[1])) or 0
if ARGV[1] == '1' then
  count = redis.call('INCR', KEYS[1])
  if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
end
return {count, math.max(0, redis.call('PTTL', KEYS[1]))}`;
