package world_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/internal/redistest"
	"example.com/bff/internal/world"
)

func TestAClientOverItsRateIsToldWhenToComeBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t, "BFF_RATE_LIMIT=2/s,burst=5")
		refused := 0
		for _, a := range w.All(12, func(i int) world.Answer { return w.Get(product(i)) }) {
			if a.Status == 200 {
				continue
			}
			want(t, a, 429)
			refused++
			for name, value := range map[string]string{
				"Retry-After": "1", "RateLimit-Limit": "5", "RateLimit-Remaining": "0", "RateLimit-Reset": "3",
				"Content-Type": "application/problem+json", "Cache-Control": "no-store",
			} {
				if got := a.Header.Get(name); got != value {
					t.Errorf("%s: %q, want %q", name, got, value)
				}
			}
			if a.Type != "/problems/rate-limited" || a.RetryAfter != 1 || a.Took != 0 {
				t.Errorf("took %v: %s", a.Took, a.Body)
			}
		}
		m := w.Scrape()
		if counted := m.Sum("bff_page_requests_total", `outcome="rate_limited"`); refused != 7 || counted != 7 || calls(w, "stock") != 5 {
			t.Errorf("of 12 %d were refused and %v counted; %d calls to stock", refused, counted, calls(w, "stock"))
		}
		if m.Sum("bff_shed_total") != 0 {
			t.Error("a request over its rate is counted as shed")
		}
		time.Sleep(time.Second) // as Retry-After says
		for _, status := range []int{200, 200, 429} {
			want(t, w.Get("/products/p-1/offer"), status)
		}
	})
}

// Guessing costs as much as asking.
func TestABadRequestTakesATokenToo(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t, "BFF_RATE_LIMIT=0.01/s,burst=1")
		want(t, w.Get("/products/a%20b"), 400)
		want(t, w.Get("/products/a%20b"), 429)
		want(t, w.Get("/products/p-1"), 429)
	})
}

func TestWhoAClientIsOnlyATrustedProxyMayTell(t *testing.T) {
	statuses := func(w *world.World) (statuses []int) {
		for i := range 4 {
			statuses = append(statuses, w.Get(product(i), "X-Client-Id", strconv.Itoa(i%2)).Status,
				w.Get(product(i), "X-Forwarded-For", fmt.Sprintf("192.0.2.%d", i%2)).Status)
		}
		return statuses
	}
	for env, expected := range map[string][]int{
		"BFF_TRUSTED_PROXIES=10.0.0.0/8":  {200, 429, 429, 429, 429, 429, 429, 429},
		"BFF_TRUSTED_PROXIES=127.0.0.0/8": {200, 200, 200, 200, 429, 429, 429, 429},
	} {
		bubble(t, func(t *testing.T) {
			w := world.Start(t, env, "BFF_RATE_LIMIT=0.01/s,burst=1")
			if got := statuses(w); fmt.Sprint(got) != fmt.Sprint(expected) {
				t.Errorf("%s: %v, want %v", env, got, expected)
			}
		})
	}
}

// startOnRedis starts a world outside of a bubble, where a real Redis can be reached.
func startOnRedis(t *testing.T, addr, limit string) *world.World {
	w := world.Setup{
		Env:   []string{"BFF_REDIS_URL=redis://" + addr, "BFF_RATE_LIMIT=" + limit},
		Fakes: fakes.Options{Latency: func(string, string) time.Duration { return 0 }},
	}.Start(t)
	redistest.Eventually(t, "it listens", func() bool { return w.Get("/readyz").Status == 200 })
	return w
}

func TestInstancesShareARateThroughRedis(t *testing.T) {
	redis := redistest.Start(t)
	if redis == nil {
		return
	}
	const burst = 20
	one, other := startOnRedis(t, redis.Addr, "0.001/s,burst=20"), startOnRedis(t, redis.Addr, "0.001/s,burst=20")
	served, i := 0, 0
	both := func(w *world.World) bool {
		i++
		status := w.Get(product(i)).Status
		if status == 200 {
			served++
		}
		return status == 429
	}
	redistest.Eventually(t, "both instances refuse", func() bool { return both(one) && both(other) })
	passed := int(one.Scrape()["bff_rate_limit_passed_total"] + other.Scrape()["bff_rate_limit_passed_total"])
	// On a busy machine some pass because Redis is late, whose word then counts all the same, or not.
	if let := served - passed; let > burst || let < burst-passed {
		t.Errorf("%d were served, of which %d without Redis' word: not %d", served, passed, burst)
	}
}

func TestARateWithoutRedisLetsEverybodyPass(t *testing.T) {
	w := startOnRedis(t, "127.0.0.1:"+redistest.FreePort(), "0.001/s,burst=1")
	for i := range 20 {
		want(t, w.Get(product(i)), 200)
	}
	if passed := w.Scrape()["bff_rate_limit_passed_total"]; passed != 20 {
		t.Errorf("%v of 20 are counted", passed)
	}
}
