package chaos

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"example.com/bff/internal/world"
)

// queueAge is the longest that a request waits for admission, and the least time of its own with which it is admitted.
const queueAge = 20 * ms

// auditLimits holds admission and the rate limit to what callers saw of them.
func (r *run) auditLimits(m world.Metrics) {
	most := r.config.inFlight
	if n := r.unanswered(queueAge); n > most {
		r.stage.violate("in flight", "%d pages and offers are in flight, more than %d", n, most)
	}
	if n := r.unanswered(0); n > most+most/4 {
		r.stage.violate("in flight", "%d pages and offers are in flight or wait, more than %d and a quarter", n, most)
	}
	// A tenth at the least, and a twentieth more each second since.
	least := most
	if slices.ContainsFunc(r.Events, func(e Event) bool { return e.What == distress }) {
		least = most / 2
	}
	if limit := m["bff_in_flight_limit"]; limit < float64(least) || limit > float64(most) {
		r.stage.violate("the limit comes back", "it is %v, of %d", limit, most)
	}
	if r.config.rateLimit {
		r.auditRate()
	}
}

// unanswered is the most requests at once that had been sent for so long and not been answered.
func (r *run) unanswered(after time.Duration) (most int) {
	type step struct {
		at time.Time
		by int
	}
	var steps []step
	for i := range r.exchanges {
		if x := &r.exchanges[i]; x.Took > after {
			steps = append(steps, step{x.start.Add(after), 1}, step{x.end(), -1})
		}
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Or(a.at.Compare(b.at), a.by-b.by) })
	n := 0
	for _, s := range steps {
		n += s.by
		most = max(most, n)
	}
	return most
}

// auditRate follows the bucket of the one client that all callers are.
func (r *run) auditRate() {
	const rounding = 1e-3
	all := slices.Clone(r.exchanges)
	refused := func(x exchange) int {
		if x.Status == http.StatusTooManyRequests {
			return 1
		}
		return 0
	}
	slices.SortFunc(all, func(a, b exchange) int { return cmp.Or(a.start.Compare(b.start), refused(a)-refused(b)) })
	tokens, at := float64(rateBurst), r.start
	for i := range all {
		x := &all[i]
		tokens = min(rateBurst, tokens+x.start.Sub(at).Seconds()*ratePerSecond)
		at = x.start
		switch {
		case refused(*x) == 1 && tokens > 1+rounding:
			r.stage.violate("the rate limit", "refused with %v tokens left: %v", tokens, x)
		case refused(*x) == 0 && tokens < 1-rounding:
			r.stage.violate("the rate limit", "let through with %v tokens left: %v", tokens, x)
		}
		if refused(*x) == 0 {
			tokens = max(0, tokens-1)
		}
	}
}
