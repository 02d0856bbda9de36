-- Keeps the value ARGV[1] under KEYS[1] for ARGV[2] milliseconds, unless what is there was true later, or is a price
-- of the same instant as the absence of one. What claims to be from after the instant ARGV[3] is not believed. See
-- value.go. One key only, so that it works in a Cluster.
local function at(v)
  local ms = 0
  for i = 2, 9 do ms = ms * 256 + v:byte(i) end -- not v < w: that compares by the server's locale
  return ms
end
local new, last = ARGV[1], tonumber(ARGV[3])
local is = at(new)
if is > last then return 0 end
local old = redis.pcall('GETRANGE', KEYS[1], 0, 8) -- pcall: another type under the key is replaced
if type(old) == 'string' and #old == 9 and old:byte(1) == new:byte(1) then
  local was = at(old)
  if (was > is and was <= last) or (was == is and #new == 9) then return 0 end
end
redis.call('SET', KEYS[1], new, 'PX', ARGV[2])
return 1
