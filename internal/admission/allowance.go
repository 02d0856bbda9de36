package admission

import (
	"time"

	"example.com/bff/internal/page"
)

// Allowance is what each client may ask: a bucket of Burst tokens, of which each request takes one, and into which
// PerSecond come back.
type Allowance struct {
	PerSecond float64 // over 0
	Burst     int     // 1 or more
}

// longest is the most that a client is told to wait.
const longest = 24 * time.Hour

// Tell is what a client is told whose request took a token, so that these are left, or was refused because there was
// less than one.
func (a Allowance) Tell(taken bool, left float64) page.Rate {
	const almost = 1e-6 // 4.9999999 are 5
	r := page.Rate{
		Refused:   !taken,
		Limit:     a.Burst,
		Remaining: int(max(0, left+almost)),
		Reset:     a.refill(float64(a.Burst) - left),
	}
	if r.Refused {
		r.Remaining = 0
		r.RetryAfter = max(1, a.refill(1-left))
	}
	return r
}

// refill is how long it takes for so many tokens to come back, to the microsecond.
func (a Allowance) refill(tokens float64) time.Duration {
	seconds := min(max(0, tokens/a.PerSecond), longest.Seconds())
	return time.Duration(seconds * float64(time.Second)).Round(time.Microsecond)
}
