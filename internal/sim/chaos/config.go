package chaos

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"example.com/bff/fakes"
)

// memory is how long after its end a trouble may still be felt: two cool-downs of a breaker, the longest. With a window
// of two cool-downs it is about the least: once a downstream is well, its failures can be half of the window, and open its
// breaker, for half of the window.
const memory = 2 * 5 * time.Second * 5 / 4

// What each client may ask, where rates are limited.
const (
	ratePerSecond = 40
	rateBurst     = 60
)

// config is how the service is configured in one run: narrow, so that limits are met. Breakers are left as they are.
type config struct {
	bulkhead  map[string]int
	retries   map[string]int
	hedge     map[string]string
	fresh     map[string]string
	timeout   map[string]time.Duration // the default ones
	ratio     float64
	staleFor  time.Duration
	inFlight  int
	coalesce  bool
	rateLimit bool
	redis     bool // prices are remembered in Redis, if there is one
}

func drawConfig(dice *rand.Rand) config {
	c := config{
		bulkhead: map[string]int{}, retries: map[string]int{}, hedge: map[string]string{}, fresh: map[string]string{},
		timeout: map[string]time.Duration{
			"catalog": 200 * ms, "price": 150 * ms, "stock": 150 * ms, "reviews": 150 * ms, "recommendations": 100 * ms,
		},
		ratio:     pick(dice, 0, 0.1, 0.1, 0.3),
		staleFor:  time.Duration(10+dice.IntN(50)) * time.Second,
		inFlight:  40 + dice.IntN(40),
		coalesce:  dice.IntN(4) > 0,
		rateLimit: dice.IntN(8) == 0,
	}
	for _, name := range fakes.Names() {
		c.bulkhead[name] = 8 + dice.IntN(24)
		switch {
		case dice.IntN(4) == 0:
			c.hedge[name] = pick(dice, "20ms", "50ms", "p95")
		case critical(name):
			c.retries[name] = dice.IntN(3)
		}
		if !critical(name) && dice.IntN(4) == 0 {
			c.fresh[name] = "3s"
		}
	}
	return c
}

func critical(downstream string) bool {
	return downstream != "reviews" && downstream != "recommendations"
}

func (c config) env() []string {
	env := []string{
		fmt.Sprintf("BFF_MAX_IN_FLIGHT=%d", c.inFlight), fmt.Sprintf("BFF_PRICE_STALE_FOR=%v", c.staleFor), "BFF_MARKETS=CH,GB",
	}
	if c.rateLimit {
		env = append(env, fmt.Sprintf("BFF_RATE_LIMIT=%d/s,burst=%d", ratePerSecond, rateBurst))
	}
	for _, name := range fakes.Names() {
		set := func(key string, value any) {
			env = append(env, fmt.Sprintf("BFF_%s_%s=%v", strings.ToUpper(name), key, value))
		}
		set("BULKHEAD", c.bulkhead[name])
		set("RETRY_BUDGET", c.ratio)
		set("COALESCE", c.coalesce)
		if after := c.hedge[name]; after != "" {
			set("HEDGE_AFTER", after)
		} else {
			set("RETRIES", c.retries[name])
		}
		if d := c.fresh[name]; d != "" {
			set("FRESH_FOR", d)
		}
	}
	return env
}

// atOnce is how many exchanges with a downstream there may be at once: a hedge runs beside the call that it is for.
func (c config) atOnce(downstream string) int {
	if c.hedge[downstream] != "" {
		return 2 * c.bulkhead[downstream]
	}
	return c.bulkhead[downstream]
}

// attempts is how many exchanges one call may make.
func (c config) attempts(downstream string) int {
	if c.hedge[downstream] != "" {
		return 2
	}
	return 1 + c.retries[downstream]
}
