package slo_test

import (
	"testing"
	"time"

	"example.com/bff/internal/page"
	"example.com/bff/internal/slo"
)

// expect compares the named series; all others of ours that are not buckets or sums must be as they were before.
func expect(t *testing.T, m *slo.Metrics, before map[string]float64, want map[string]float64) {
	t.Helper()
	after := ours(scrape(t, m))
	for name, value := range want {
		if after[name] != value {
			t.Errorf("%s is %v, want %v", name, after[name], value)
		}
	}
	for name, value := range after {
		if _, named := want[name]; !named && value != before[name] {
			t.Errorf("%s went from %v to %v", name, before[name], value)
		}
	}
}

func TestACallCountsForEachThatWaited(t *testing.T) {
	m := newMetrics()
	before := scrape(t, m)
	r := &page.Record{Client: "web", Market: "fr"}
	r.Calls[page.Catalog] = page.Call{Asked: true}
	r.Calls[page.Price] = page.Call{Asked: true, Outcome: page.BulkheadFull}
	r.Calls[page.Reviews] = page.Call{Asked: false, Outcome: page.Timeout}
	m.Served(r)
	after := scrape(t, m)
	for name, want := range map[string]float64{
		`bff_downstream_calls_total{downstream="catalog",outcome="ok"}`:          1,
		`bff_downstream_calls_total{downstream="price",outcome="bulkhead_full"}`: 1,
		`bff_downstream_calls_total{downstream="reviews",outcome="timeout"}`:     0,
		`bff_page_requests_total{client="web",market="fr",outcome="full"}`:       1,
	} {
		if got := after[name] - before[name]; got != want {
			t.Errorf("%s rose by %v, want %v", name, got, want)
		}
	}
}

func TestDownstreamEvents(t *testing.T) {
	m := newMetrics()
	before := ours(scrape(t, m))
	m.Attempted(page.Price, page.Attempt{Kind: page.Retry, Duration: 45 * time.Millisecond})
	m.BreakerMoved(page.Stock, page.StateHalfOpen)
	m.Coalesced(page.Reviews)
	m.PriceMemory(page.MemoryGet, page.MemoryExpired)
	want := map[string]float64{
		`bff_downstream_attempts_total{downstream="price",kind="retry"}`:                1,
		`bff_downstream_attempt_duration_seconds_count{downstream="price"}`:             1,
		`bff_downstream_attempt_duration_seconds_sum{downstream="price"}`:               .045,
		`bff_breaker_transitions_total{downstream="stock",to="half_open"}`:              1,
		`bff_coalesced_total{downstream="reviews"}`:                                     1,
		`bff_price_memory_total{op="get",result="expired"}`:                             1,
		`bff_downstream_attempt_duration_seconds_bucket{downstream="price",le="0.025"}`: 0,
	}
	for _, le := range []string{"0.05", "0.075", "0.1", "0.125", "0.15", "0.2", "0.25", "0.3", "0.45", "+Inf"} {
		want[`bff_downstream_attempt_duration_seconds_bucket{downstream="price",le="`+le+`"}`] = 1
	}
	expect(t, m, before, want)
}

func TestStatesAreReadWhenScraped(t *testing.T) {
	m := newMetrics()
	state := slo.DownstreamState{Breaker: page.StateOpen, InFlight: 3, Limit: 64, Tokens: 2.5}
	m.WatchDownstream(page.Recommendations, func() slo.DownstreamState { return state })
	m.WatchAdmission(func() slo.AdmissionState { return slo.AdmissionState{InFlight: 7, Limit: 1000} })
	overrides := slo.OverrideState{Shedding: true, Shed: page.Default}
	overrides.Downstreams[page.Stock] = page.OverrideNoRetry
	m.WatchOverrides(func() slo.OverrideState { return overrides })
	m.WatchRateLimit(func() uint64 { return 6 })
	m.WatchRedisPool(func() slo.RedisPoolState {
		return slo.RedisPoolState{InUse: 1, Idle: 2, Hits: 3, Misses: 4, Timeouts: 5}
	})
	before := ours(scrape(t, newMetrics()))
	want := map[string]float64{
		`bff_breaker_state{downstream="recommendations",state="closed"}`:    0,
		`bff_breaker_state{downstream="recommendations",state="open"}`:      1,
		`bff_breaker_state{downstream="recommendations",state="half_open"}`: 0,
		`bff_bulkhead_in_flight{downstream="recommendations"}`:              3,
		`bff_bulkhead_limit{downstream="recommendations"}`:                  64,
		`bff_retry_budget_tokens{downstream="recommendations"}`:             2.5,
		`bff_in_flight`:       7,
		`bff_in_flight_limit`: 1000,
		`bff_override_active{mode="no-retry",target="stock"}`: 1,
		`bff_override_active{mode="default",target="shed"}`:   1,
		`bff_rate_limit_passed_total`:                         6,
		`bff_redis_pool_connections{state="in_use"}`:          1,
		`bff_redis_pool_connections{state="idle"}`:            2,
		`bff_redis_pool_gets_total{result="hit"}`:             3,
		`bff_redis_pool_gets_total{result="miss"}`:            4,
		`bff_redis_pool_gets_total{result="timeout"}`:         5,
	}
	expect(t, m, before, want)

	state.Breaker = page.StateHalfOpen
	want[`bff_breaker_state{downstream="recommendations",state="open"}`] = 0
	want[`bff_breaker_state{downstream="recommendations",state="half_open"}`] = 1
	expect(t, m, before, want)
}

func TestAGaugeThatPanicsDoesNotCostTheCounters(t *testing.T) {
	m := newMetrics()
	m.WatchAdmission(func() slo.AdmissionState { panic("no") })
	m.Served(&page.Record{Client: "web", Market: "de"})
	if got := scrape(t, m)[`bff_page_requests_total{client="web",market="de",outcome="full"}`]; got != 1 {
		t.Errorf("the page was counted %v times", got)
	}
}

func TestShedAndStale(t *testing.T) {
	m := newMetrics()
	before := scrape(t, m)
	m.Served(&page.Record{Client: "web", Market: "de", Result: page.ShedBackground, Shed: page.ShedAge, Priority: page.Background})
	stale := &page.Record{Client: "web", Market: "de", Result: page.Degraded, HasNotes: true}
	stale.Notes[page.Price] = page.Note{Status: page.StatusStale, Reason: page.Timeout, Age: 61 * time.Second}
	m.Served(stale)
	stale.HasNotes = false // notes without a page say nothing
	m.Served(stale)
	after := scrape(t, m)
	for name, want := range map[string]float64{
		`bff_shed_total{priority="background",reason="age"}`:  1,
		`bff_shed_total{priority="background",reason="full"}`: 0,
		`bff_stale_price_age_seconds_count`:                   1,
		`bff_stale_price_age_seconds_sum`:                     61,
		`bff_stale_price_age_seconds_bucket{le="60"}`:         0,
		`bff_stale_price_age_seconds_bucket{le="120"}`:        1,
	} {
		if got := after[name] - before[name]; got != want {
			t.Errorf("%s rose by %v, want %v", name, got, want)
		}
	}
}
