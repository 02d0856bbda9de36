-- Takes one token. KEYS[1]: the bucket. ARGV: microseconds per token, tokens when full.
-- Returns {1 if taken else 0, microseconds until the bucket is full}.
-- The key holds the instant at which the bucket will be full, in microseconds, and expires then.
local interval, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local empty = interval * burst
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

-- Never emptier than empty: a clock that was ahead, of another Redis or of this one before it was set right, may have
-- written the key. That is put right too, or nobody would be let in before that time has come.
local full = tonumber(redis.call('GET', KEYS[1]) or now)
local missing = math.min(math.max(full - now, 0), empty)

local rounding = 1
local taken = 0
if missing + interval <= empty + rounding then
  taken, missing = 1, missing + interval
end
if taken == 1 or missing < full - now then
  redis.call('SET', KEYS[1], string.format('%.2f', now + missing), 'PX', math.ceil(missing / 1000))
end
return {taken, string.format('%.2f', missing)}
