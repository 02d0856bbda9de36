package slo

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"example.com/bff/internal/page"
)

// DownstreamState is what a scrape asks of a downstream's client.
type DownstreamState struct {
	Breaker  page.BreakerState
	InFlight int     // calls that hold a slot of the bulkhead
	Limit    int     // slots of the bulkhead
	Tokens   float64 // of the retry budget, 0 or more
}

// AdmissionState is what a scrape asks of admission.
type AdmissionState struct {
	InFlight int // pages and offers
	Limit    int // what it may be now
}

// OverrideState is what a scrape asks of an operator's overrides.
type OverrideState struct {
	Downstreams [page.NumDependencies]page.OverrideMode
	Shedding    bool
	Shed        page.Priority // and below; meaningful when Shedding
}

// RedisPoolState is what a scrape asks of the remembered price's connections to Redis.
type RedisPoolState struct {
	InUse, Idle            int    // connections
	Hits, Misses, Timeouts uint64 // asking for one: found idle, dialled, none came free in time
}

// WatchDownstream has every scrape ask read for the downstream's state. Until then its gauges are those of the zero
// DownstreamState. read must not block.
func (m *Metrics) WatchDownstream(d page.Dependency, read func() DownstreamState) {
	m.scraped.downstreams[d].Store(&read)
}

// WatchAdmission has every scrape ask read for admission's state.
func (m *Metrics) WatchAdmission(read func() AdmissionState) { m.scraped.admission.Store(&read) }

// WatchOverrides has every scrape ask read for what operators have ordered.
func (m *Metrics) WatchOverrides(read func() OverrideState) { m.scraped.overrides.Store(&read) }

// WatchRateLimit has every scrape ask read how many requests passed because their client's rate was not to be had.
func (m *Metrics) WatchRateLimit(read func() uint64) { m.scraped.passed.Store(&read) }

// WatchLog has every scrape ask read how many lines of the log were lost.
func (m *Metrics) WatchLog(read func() uint64) { m.scraped.lostLines.Store(&read) }

// WatchRedisPool has every scrape ask read for the connections to Redis. Without Redis its series stay at zero.
func (m *Metrics) WatchRedisPool(read func() RedisPoolState) { m.scraped.redisPool.Store(&read) }

// scraped collects the series that are read when they are asked for.
type scraped struct {
	downstreams [page.NumDependencies]atomic.Pointer[func() DownstreamState]
	admission   atomic.Pointer[func() AdmissionState]
	overrides   atomic.Pointer[func() OverrideState]
	passed      atomic.Pointer[func() uint64]
	lostLines   atomic.Pointer[func() uint64]
	redisPool   atomic.Pointer[func() RedisPoolState]

	breaker, bulkhead, bulkheadLimit, tokens, inFlight, limit, override, unlimited, lost, connections, gets *prometheus.Desc
}

func newScraped() *scraped {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, labels, nil)
	}
	return &scraped{
		breaker:       desc("bff_breaker_state", "1 for the state that a downstream's breaker is in.", "downstream", "state"),
		bulkhead:      desc("bff_bulkhead_in_flight", "Calls that hold a slot of a downstream's bulkhead.", "downstream"),
		bulkheadLimit: desc("bff_bulkhead_limit", "Slots of a downstream's bulkhead.", "downstream"),
		tokens:        desc("bff_retry_budget_tokens", "Retries and hedges that a downstream's budget still allows.", "downstream"),
		inFlight:      desc("bff_in_flight", "Pages and offers being answered."),
		limit:         desc("bff_in_flight_limit", "How many pages and offers may be answered at once, now."),
		override: desc("bff_override_active", "1 while an operator's override is in force. The mode of shed is the highest priority that is shed.",
			"target", "mode"),
		unlimited:   desc("bff_rate_limit_passed_total", "Requests that passed because their client's rate was not to be had from Redis."),
		lost:        desc("bff_log_lines_lost_total", "Lines of the log that were lost because standard output did not take them."),
		connections: desc("bff_redis_pool_connections", "Connections to Redis.", "state"),
		gets:        desc("bff_redis_pool_gets_total", "Requests for a connection to Redis, by what came of them.", "result"),
	}
}

// Describe implements prometheus.Collector.
func (s *scraped) Describe(descs chan<- *prometheus.Desc) { prometheus.DescribeByCollect(s, descs) }

// Collect implements prometheus.Collector.
func (s *scraped) Collect(metrics chan<- prometheus.Metric) {
	gauge := func(desc *prometheus.Desc, value float64, labels ...string) {
		metrics <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
	}
	counter := func(desc *prometheus.Desc, value uint64, labels ...string) {
		metrics <- prometheus.MustNewConstMetric(desc, prometheus.CounterValue, float64(value), labels...)
	}
	for i, d := range page.Dependencies {
		state := read(&s.downstreams[i])
		for b := range page.BreakerState(page.NumBreakerStates) {
			gauge(s.breaker, oneIf(b == state.Breaker), d.String(), b.String())
		}
		gauge(s.bulkhead, float64(state.InFlight), d.String())
		gauge(s.bulkheadLimit, float64(state.Limit), d.String())
		gauge(s.tokens, state.Tokens, d.String())
	}
	admission := read(&s.admission)
	gauge(s.inFlight, float64(admission.InFlight))
	gauge(s.limit, float64(admission.Limit))
	s.collectOverrides(gauge)
	counter(s.unlimited, read(&s.passed))
	counter(s.lost, read(&s.lostLines))

	pool := read(&s.redisPool)
	gauge(s.connections, float64(pool.InUse), "in_use")
	gauge(s.connections, float64(pool.Idle), "idle")
	counter(s.gets, pool.Hits, "hit")
	counter(s.gets, pool.Misses, "miss")
	counter(s.gets, pool.Timeouts, "timeout")
}

func (s *scraped) collectOverrides(gauge func(desc *prometheus.Desc, value float64, labels ...string)) {
	state := read(&s.overrides)
	for i, d := range page.Dependencies {
		for m := page.NotOverridden + 1; m < page.NumOverrideModes; m++ {
			gauge(s.override, oneIf(m == state.Downstreams[i]), d.String(), m.String())
		}
	}
	for p := range page.Priority(page.NumPriorities) {
		gauge(s.override, oneIf(state.Shedding && p == state.Shed), "shed", p.String())
	}
}

// read asks the source, if one is watched; else the state is zero.
func read[State any](source *atomic.Pointer[func() State]) (state State) {
	if f := source.Load(); f != nil {
		return (*f)()
	}
	return state
}

func oneIf(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
