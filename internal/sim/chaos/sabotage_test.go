package chaos

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/internal/world"
)

// only is a schedule of these events, all at the same time, and no others.
func only(events ...Event) Schedule {
	s := Schedule{Seed: 1, trouble: 8 * time.Second}
	s.config = New(1).config
	s.config.ratio, s.config.staleFor, s.config.rateLimit = 0, time.Second, false
	s.config.hedge, s.config.retries = nil, nil
	for i := range events {
		events[i].From, events[i].Long = 2*time.Second, 5*time.Second
	}
	s.Events = events
	return s
}

func faulty(name string, f fakes.Fault) Event {
	return Event{
		What: name, harms: name,
		begin: func(r *run) { r.w.Fault(name, f) },
		end:   func(r *run) { r.w.Heal(name) },
	}
}

// page lets a page that is whole be changed.
func page(change func(a *world.Answer)) func(time.Duration, *world.Answer) {
	return func(_ time.Duration, a *world.Answer) {
		if a.Status == 200 && len(a.Sections) > 0 && !a.Degraded && a.Price != nil {
			change(a)
		}
	}
}

func offer(change func(a *world.Answer)) func(time.Duration, *world.Answer) {
	return func(_ time.Duration, a *world.Answer) {
		if a.Status == 200 && len(a.Body) > 0 && a.Sections == nil {
			change(a)
		}
	}
}

// A rule that cannot be broken proves nothing.
func TestEachRuleCanBeBroken(t *testing.T) {
	slow := faulty("reviews", fakes.Fault{LatencyMs: new(140)})
	failing := only(faulty("stock", fakes.Fault{ErrorRate: new(0.8), Status: 503}))
	failing.trouble, failing.Events[0].Long = 45*time.Second, 40*time.Second
	crowded := Event{begin: func(r *run) { begin(r, 120) }, end: func(*run) {}, crowds: true}
	limited := func(s Schedule) Schedule {
		s.config.rateLimit = true
		return s
	}
	remembering := only(faulty("price", fakes.Fault{Status: 500}))
	remembering.config.redis = true
	redis := openStore(t)
	leaking := only()
	leaking.Seed = math.MaxUint64 // a label that no other run has: what leaks here stays
	for _, c := range []struct {
		rule     string
		schedule Schedule
		sabotage Sabotage
	}{
		{"every caller who waits is answered, within the deadline", only(),
			Sabotage{Answer: page(func(a *world.Answer) { a.Took += deadline })}},
		{"an answer is one of those that the contract knows", only(),
			Sabotage{Answer: page(func(a *world.Answer) { a.Status = 500 })}},
		{"no 5xx when only optional parts failed", only(slow), Sabotage{Answer: page(func(a *world.Answer) {
			a.Status, a.Type = 503, "/problems/dependency-unavailable"
			a.Dependencies = []struct{ Name, Reason string }{{"stock", "breaker_open"}}
		})}},
		{"nothing is refused without a crowd", only(), Sabotage{Answer: page(func(a *world.Answer) {
			a.Status, a.Type, a.RetryAfter = 503, "/problems/overloaded", 1
			a.Header.Set("Retry-After", "1")
		})}},
		{"a refusal is quick", only(crowded), Sabotage{Answer: func(_ time.Duration, a *world.Answer) {
			if a.Type == "/problems/overloaded" {
				a.Took += 21 * ms
			}
		}}},
		{"a section fails only when its downstream does", only(), Sabotage{Answer: page(func(a *world.Answer) {
			a.Sections["reviews"] = world.Section{Status: "unavailable", Reason: "timeout"}
		})}},
		{"degraded exactly when a section says so", only(), Sabotage{Answer: page(func(a *world.Answer) { a.Degraded = true })}},
		{"purchasable exactly when price and stock are live and it is available", only(),
			Sabotage{Answer: page(func(a *world.Answer) { a.Purchasable = !a.Purchasable })}},
		{"a price is the product's, in its market, and live or not too old", only(),
			Sabotage{Answer: page(func(a *world.Answer) { a.Price.Currency = "JPY" })}},
		{"a price is the product's, in its market, and live or not too old", only(),
			Sabotage{Answer: offer(func(a *world.Answer) { a.Price.AsOf = a.Price.AsOf.Add(-time.Minute) })}},
		{"a price is the product's, in its market, and live or not too old", only(faulty("price", fakes.Fault{Hang: true})),
			Sabotage{Env: []string{"BFF_PRICE_STALE_FOR=10m"}}},
		{"a price is the product's, in its market, and live or not too old", remembering,
			Sabotage{Env: []string{"BFF_PRICE_STALE_FOR=10m"}}},
		{"a section holds what the downstream says", only(),
			Sabotage{Answer: page(func(a *world.Answer) { a.Product = bytes.ToUpper(a.Product) })}},
		{"only a full page may be kept", only(slow),
			Sabotage{Answer: page(func(a *world.Answer) { a.Header.Set("Cache-Control", "public") })}},
		{"in flight", only(slow, Event{begin: func(r *run) { begin(r, 60) }, end: func(*run) {}, crowds: true}),
			Sabotage{Env: []string{"BFF_REVIEWS_BULKHEAD=1000"}}},
		{"in flight", only(slow, crowded), Sabotage{Env: []string{"BFF_MAX_IN_FLIGHT=1000"}}},
		{"the limit comes back", only(), Sabotage{Env: []string{"BFF_MAX_IN_FLIGHT=20"}}},
		{"the rate limit", limited(only(crowded)), Sabotage{Env: []string{"BFF_RATE_LIMIT=400/s,burst=600"}}},
		{"the rate limit", limited(only(crowded)), Sabotage{Env: []string{"BFF_RATE_LIMIT=40/s,burst=50"}}},
		{"what an operator orders is done", only(command{target: "reviews", mode: "open"}.event()), Sabotage{Deaf: true}},
		{"what an operator orders is done", only(faulty("stock", fakes.Fault{ErrorRate: new(0.8), Status: 503}), command{target: "stock", mode: "no-retry"}.event()),
			Sabotage{Deaf: true, Env: []string{"BFF_STOCK_RETRIES=1", "BFF_STOCK_BREAKER_MIN_CALLS=10000"}}},
		{"what an operator orders is done", only(command{target: "shed", percent: 30, priority: "default"}.event()), Sabotage{Deaf: true}},
		{"a call makes no more than its attempts", only(faulty("reviews", fakes.Fault{Status: 503})),
			Sabotage{Env: []string{"BFF_REVIEWS_RETRIES=1"}}},
		{"the retry budget", failing,
			Sabotage{Env: []string{"BFF_STOCK_RETRIES=1", "BFF_STOCK_RETRY_BUDGET=1", "BFF_STOCK_BREAKER_MIN_CALLS=10000"}}},
		{"every counter adds up", only(),
			Sabotage{Answer: page(func(a *world.Answer) { a.Status, a.Type = 404, "/problems/product-not-found" })}},
		{"clean within two cool-downs", only(faulty("reviews", fakes.Fault{Hang: true})),
			Sabotage{Env: []string{"BFF_REVIEWS_BREAKER_COOLDOWN=1h"}}},
		{"nothing leaks", leaking,
			Sabotage{Answer: page(func(a *world.Answer) { go func() { select {} }() })}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			violations := bubble(t, c.schedule, redis, c.sabotage).Violations
			if !slices.ContainsFunc(violations, func(v Violation) bool { return v.Rule == c.rule }) {
				t.Errorf("not noticed; what is: %.1000v", violations)
			}
		})
	}
}

func begin(r *run, n int) {
	for i := range n {
		r.send(request{id: "crowd-" + string(rune('a'+i%26)) + string(rune('a'+i/26)), client: "web"})
	}
}

func TestNothingIsWrongWithoutSabotage(t *testing.T) {
	s := only(faulty("reviews", fakes.Fault{Hang: true}))
	if violations := bubble(t, s, nil, Sabotage{}).Violations; len(violations) > 0 {
		t.Errorf("%v", violations)
	}
}

func TestAFailureShrinksToWhatItNeeds(t *testing.T) {
	crowd := Event{begin: func(r *run) { begin(r, 10) }, end: func(*run) {}, crowds: true}
	s := only(crowd, faulty("recommendations", fakes.Fault{Hang: true}), crowd, faulty("reviews", fakes.Fault{Status: 500}), crowd)
	sabotage := Sabotage{Answer: func(_ time.Duration, a *world.Answer) {
		if a.Sections["reviews"].Status == "unavailable" {
			a.Took += deadline
		}
	}}
	report := bubble(t, s, nil, sabotage)
	if len(report.Violations) == 0 {
		t.Fatal("nothing is wrong")
	}
	told := story(t, s, report, nil, sabotage, 100)
	if !strings.HasSuffix(told, "again: make chaos SEED=1 KEEP=3") || strings.Count(told, " s, for ") != 1 {
		t.Errorf("of %d events:\n%s", len(s.Events), told)
	}
}

func TestShrink(t *testing.T) {
	for _, needed := range [][]int{{}, {0}, {36}, {3, 17}, {1, 2, 3, 30}} {
		kept := Shrink(37, 1000, func(keep []int) bool {
			return !slices.ContainsFunc(needed, func(n int) bool { return !slices.Contains(keep, n) })
		})
		if !slices.Equal(kept, needed) {
			t.Errorf("kept %v of %v", kept, needed)
		}
	}
}

func TestASeedIsASchedule(t *testing.T) {
	for n := range uint64(50) {
		if a, b := New(n).String(), New(n).String(); a != b {
			t.Fatalf("%s\n%s", a, b)
		}
	}
}
