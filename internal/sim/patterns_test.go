//go:build !race

// See experiments_test.go.

package sim_test

import (
	"math"
	"testing"
	"time"

	"example.com/bff/internal/sim"
)

const ms = time.Millisecond

// published is what another saw of this experiment, on Node.
var published = []struct {
	p50, p99            time.Duration
	mostInFlight, calls int
}{
	{803 * ms, 831 * ms, 163, 200},
	{151 * ms, 154 * ms, 163, 200},
	{0, 153 * ms, 56, 70},
	{0, 159 * ms, 66, 78},
	{602 * ms, 608 * ms, 593, 800},
}

func TestPatterns(t *testing.T) {
	all := bubble(t, func(t *testing.T) []sim.Pattern { return sim.NaivePatterns(t) })
	fewest := math.MaxInt
	for i, p := range all {
		want := published[i]
		if !near(p.P50, want.p50) || !near(p.P99, want.p99) || !near(p.MostInFlight, want.mostInFlight) || !near(p.Calls, want.calls) {
			t.Errorf("%+v is not of the published shape: %+v", p, want)
		}
		fewest = min(fewest, p.Calls)
	}
	type own struct {
		sim.Pattern
		recovery time.Duration
	}
	service := bubble(t, func(t *testing.T) own {
		p, recovery := sim.OwnPattern(t, "this service", 0)
		return own{p, recovery}
	})
	if service.Calls >= fewest || service.P50 != 0 || service.Outcomes["error"] > 0 {
		t.Errorf("%+v; the others made %d calls and more", service, fewest)
	}
	if longest := 5 * time.Second * 5 / 4; service.recovery > longest {
		t.Errorf("full service %v after the recovery, more than one cool-down", service.recovery)
	}
	busy := bubble(t, func(t *testing.T) sim.Pattern {
		p, _ := sim.OwnPattern(t, "this service, after 10 s of health at the same rate", 10*time.Second)
		return p
	})
	if busy.P99 > 150*ms || busy.Outcomes["error"] > 0 {
		t.Errorf("%+v", busy)
	}
	publish(t, sim.PatternsTable(append(all, service.Pattern, busy)))
}

// near allows a tenth.
func near[T int | time.Duration](a, b T) bool {
	return math.Abs(float64(a-b)) <= 0.1*float64(b)
}
