package downstreams

import (
	"errors"
	"time"

	"example.com/bff/internal/page"
)

// Settings is one row of the table of downstreams. Every row sets every field; nothing is inherited. The env tags are
// the names of docs/configuration.md, after BFF_X_.
type Settings struct {
	Dependency page.Dependency `env:"-"`

	URL                string        `env:"URL"`                  // a template with {id} as one whole path segment; http or https
	Timeout            time.Duration `env:"TIMEOUT"`              // of one attempt, body included; under the page's deadline
	Bulkhead           int           `env:"BULKHEAD"`             // calls at once, 1 or more
	Retries            int           `env:"RETRIES"`              // after the first attempt, 0 to 5
	HedgeAfter         HedgeAfter    `env:"HEDGE_AFTER"`          // off, a duration, or p95; excludes retries
	RetryBudget        float64       `env:"RETRY_BUDGET"`         // tokens earned per call, 0 to 1
	BreakerFailureRate float64       `env:"BREAKER_FAILURE_RATE"` // over 0, up to 1
	BreakerMinCalls    int           `env:"BREAKER_MIN_CALLS"`    // attempts in the window before it can open, 1 or more
	BreakerWindow      time.Duration `env:"BREAKER_WINDOW"`       // sliding
	BreakerCooldown    time.Duration `env:"BREAKER_COOLDOWN"`     // times uniform[1, 1.25]
	BreakerProbes      int           `env:"BREAKER_PROBES"`       // at once while half-open, and successes in a row that close it
	Coalesce           bool          `env:"COALESCE"`             // identical concurrent questions share one call
	FreshFor           time.Duration `env:"FRESH_FOR"`            // serve a good answer again for so long without asking; never price or stock
	ForwardHeaders     []string      `env:"FORWARD_HEADERS"`      // request headers passed on, and part of every key
}

// HedgeAfter is when a second attempt is sent beside the first. The zero value is never.
type HedgeAfter struct {
	P95   bool          // after the sliding 95th percentile of attempt durations
	Delay time.Duration // or after this long
}

// On tells whether to hedge at all.
func (h HedgeAfter) On() bool { return h.P95 || h.Delay > 0 }

// Table is what holds unless configuration says otherwise: all but the URLs.
func Table() [page.NumDependencies]Settings {
	row := func(d page.Dependency, timeout time.Duration, bulkhead, retries int, forward ...string) Settings {
		return Settings{
			Dependency: d, Timeout: timeout, Bulkhead: bulkhead, Retries: retries, RetryBudget: 0.1,
			BreakerFailureRate: 0.5, BreakerMinCalls: 20, BreakerWindow: 10 * time.Second,
			BreakerCooldown: 5 * time.Second, BreakerProbes: 3, Coalesce: true, ForwardHeaders: forward,
		}
	}
	const ms = time.Millisecond
	return [page.NumDependencies]Settings{
		row(page.Catalog, 200*ms, 256, 1, "Accept-Language", "X-Market"),
		row(page.Price, 150*ms, 256, 1, "X-Market"),
		row(page.Stock, 150*ms, 256, 1, "X-Market"),
		row(page.Reviews, 150*ms, 128, 0, "Accept-Language", "X-Market"),
		row(page.Recommendations, 100*ms, 64, 0, "Accept-Language", "X-Market"),
	}
}

// check tells what no client can work with. Configuration says it better, and earlier.
func (s Settings) check() error {
	switch {
	case s.Dependency >= page.NumDependencies:
		return errors.New("there is no such downstream")
	case s.Timeout <= 0, s.Bulkhead < 1, s.Retries < 0, s.Retries > 5, s.HedgeAfter.Delay < 0:
		return errors.New("timeout, bulkhead, retries or hedge is out of range")
	case !(s.RetryBudget >= 0 && s.RetryBudget <= 1), !(s.BreakerFailureRate > 0 && s.BreakerFailureRate <= 1):
		return errors.New("a ratio is out of range")
	case s.BreakerMinCalls < 1, s.BreakerProbes < 1, s.BreakerWindow < 10*time.Millisecond, s.BreakerCooldown <= 0:
		return errors.New("the breaker's window, cool-down, calls or probes are out of range")
	case s.FreshFor < 0, s.FreshFor > 0 && (s.Dependency == page.Price || s.Dependency == page.Stock):
		return errors.New("price and stock are always asked for")
	}
	return nil
}
