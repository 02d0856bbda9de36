package handlers

import (
	"net/http"
	"strconv"
	"time"
)

// clockSkew is how far from now an absolute deadline may be to be believed.
const clockSkew = 24 * time.Hour

// allowed is how long the answer to a request that came at now may take, and whether its caller made that shorter than
// limit. It is not negative. Values that are malformed, or told more than once, say nothing.
func allowed(h http.Header, now time.Time, limit time.Duration) (d time.Duration, shortened bool) {
	d = limit
	if ms, ok := digits(h.Values("X-Request-Timeout-Ms"), 9); ok {
		d = min(d, time.Duration(ms)*time.Millisecond)
	}
	if ms, ok := digits(h.Values("X-Request-Deadline"), 15); ok {
		if left := time.UnixMilli(ms).Sub(now); left.Abs() <= clockSkew {
			d = min(d, left)
		}
	}
	return max(d, 0), d < limit
}

// digits is the value of a header that was told once and is 1 to most decimal digits.
func digits(values []string, most int) (int64, bool) {
	if len(values) != 1 || len(values[0]) > most {
		return 0, false
	}
	n, err := strconv.ParseUint(values[0], 10, 63) // no sign
	return int64(n), err == nil
}
