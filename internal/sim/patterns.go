package sim

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/internal/pipenet"
	"example.com/bff/internal/world"
)

// The patterns' experiment: requests, one at each interval, to a downstream that has become slow.
const (
	patternRequests = 200
	patternInterval = 5 * ms
	slowLatency     = 800
	wellLatency     = 20
	patternTimeout  = 150 * ms
)

// Pattern is how one way of asking fares with a downstream that has become slow.
type Pattern struct {
	Name         string
	P50, P99     time.Duration
	MostInFlight int // at the downstream, which does not notice who hangs up
	Calls        int // that it got
	Outcomes     map[string]int
}

// NaivePatterns are the usual layers around a plain HTTP client, one by one.
func NaivePatterns(t testing.TB) []Pattern {
	timed := func(c call) call { return withTimeout(patternTimeout, c) }
	return []Pattern{
		naivePattern(t, "no timeout", func(c call) call { return c }),
		naivePattern(t, "timeout 150 ms", timed),
		naivePattern(t, "… and bulkhead 10", func(c call) call { return withBulkhead(10, timed(c)) }),
		naivePattern(t, "… and breaker (5 in a row, 300 ms)", func(c call) call { return withBreaker(5, 300*ms, timed(c)) }),
		naivePattern(t, "… and 3 retries, no back-off", func(c call) call { return withRetries(3, 0, timed(c)) }),
	}
}

func naivePattern(t testing.TB, name string, layers func(call) call) Pattern {
	network := pipenet.New()
	server := fakes.New(fakes.Options{Only: []string{"reviews"}, Workers: 10_000})
	must(t, server.Set("reviews", fakes.Fault{LatencyMs: new(slowLatency)}))
	network.Serve(t, "reviews:80", deaf("reviews", server))
	ask := layers(plain(plainClient(t, network), "http://reviews/reviews/"))
	var seen tally
	steady(patternInterval, patternRequests*patternInterval, func(i int) {
		start := time.Now()
		err := ask(context.Background(), fmt.Sprintf("p-%d", i))
		seen.add(outcomeOf(err), time.Since(start))
	})
	time.Sleep(time.Second) // until the downstream has done what nobody waits for
	return patternOf(name, &seen, server)
}

func patternOf(name string, seen *tally, server *fakes.Server) Pattern {
	stats := server.Stats()["reviews"]
	return Pattern{name, seen.percentile(50), seen.percentile(99), stats.MostInFlight, stats.Calls, seen.outcomes}
}

// OwnPattern is this service in the same place: pages while reviews, whose attempts may take 150 ms too, have become
// slow. wellFor is how long pages were asked for at the same rate before that. recovery is how long after the repair the
// last page that lacked its reviews was asked for.
func OwnPattern(t testing.TB, name string, wellFor time.Duration) (p Pattern, recovery time.Duration) {
	w := world.Setup{
		Wrap: deaf, Quiet: true,
		Fakes: fakes.Options{Workers: 10_000, Latency: func(downstream, _ string) time.Duration {
			return map[string]time.Duration{"reviews": wellLatency * ms}[downstream]
		}},
	}.Start(t)
	ask := func(seen *tally) func(int) {
		return func(i int) { seen.add(askReviews(w, fmt.Sprintf("/products/p-%d", i))) }
	}
	if wellFor > 0 {
		steady(patternInterval, wellFor, ask(&tally{}))
	}
	w.Fakes.ResetStats()
	w.Fault("reviews", fakes.Fault{LatencyMs: new(slowLatency)})
	var seen tally
	steady(patternInterval, patternRequests*patternInterval, ask(&seen))
	p = patternOf(name, &seen, w.Fakes)
	w.Heal("reviews")
	return p, recoveryOf(func(i int) bool {
		outcome, _ := askReviews(w, fmt.Sprintf("/products/p-%d", i))
		return outcome == "ok"
	})
}

// askReviews asks for a page and tells how its reviews are.
func askReviews(w *world.World, path string) (outcome string, took time.Duration) {
	a := w.Get(path)
	if a.Status != http.StatusOK {
		return "error", a.Took
	}
	s := a.Sections["reviews"]
	switch s.Reason {
	case "breaker_open", "bulkhead_full":
		return "refused", a.Took
	case "":
		return s.Status, a.Took
	}
	return s.Reason, a.Took
}

// recoveryOf asks for ten seconds and returns when, from their beginning, the last that was not well was asked for.
func recoveryOf(well func(i int) bool) time.Duration {
	start := time.Now()
	last := make(chan time.Duration, 1)
	last <- 0
	steady(50*ms, 10*time.Second, func(i int) {
		asked := time.Since(start)
		if !well(i) {
			last <- max(<-last, asked)
		}
	})
	return <-last
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
