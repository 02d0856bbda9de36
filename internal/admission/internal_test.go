package admission

import (
	"math"
	"testing"
	"time"

	"example.com/bff/internal/page"
)

// A process in distress runs its goroutines late, and so its timers.
func TestAWaiterThatIsTooOldIsNotAdmitted(t *testing.T) {
	a := &Admission{max: 8, limit: 8, inFlight: 8}
	old := a.queue.join(page.Default, time.Now().Add(-time.Second), page.ShedAge)
	young := a.queue.join(page.Default, time.Now().Add(time.Hour), page.ShedAge)
	a.release()
	wantTold(t, old, page.ShedAge)
	wantTold(t, young, page.NotShed)
	if a.inFlight != 8 || a.queue.length != 0 {
		t.Errorf("%d in flight, %d queued", a.inFlight, a.queue.length)
	}
}

func wantTold(t *testing.T, w *waiter, want page.ShedReason) {
	t.Helper()
	select {
	case got := <-w.told:
		if got != want {
			t.Errorf("told %q, want %q", got, want)
		}
	default:
		t.Errorf("not told anything, want %q", want)
	}
}

func TestP99IsTheLowerBoundOfItsBucket(t *testing.T) {
	bounds := []float64{math.Inf(-1), 0, 0.001, 0.020, 0.025, math.Inf(1)}
	for name, c := range map[string]struct {
		counts []uint64
		want   time.Duration
	}{
		"nothing":                        {[]uint64{0, 0, 0, 0, 0}, 0},
		"too few to tell":                {[]uint64{0, 0, 0, 0, 99}, 0},
		"a hundredth is slower":          {[]uint64{0, 0, 99, 0, 1}, time.Millisecond},
		"more than a hundredth is":       {[]uint64{0, 0, 98, 0, 2}, 25 * time.Millisecond},
		"added up over the slow buckets": {[]uint64{0, 198, 0, 2, 1}, 20 * time.Millisecond},
		"all below":                      {[]uint64{1000, 0, 0, 0, 0}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := p99(c.counts, bounds); got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

func TestSchedulingLatencyReadsTheRuntime(t *testing.T) {
	latency := SchedulingLatency()
	ping, pong := make(chan int), make(chan int)
	go func() {
		defer close(pong)
		for n := range ping {
			pong <- n
		}
	}()
	for n := range 20_000 {
		ping <- n
		<-pong
	}
	close(ping)
	<-pong
	if got := latency(); got <= 0 {
		t.Errorf("%v after 40,000 switches", got)
	}
	if got := latency(); got != 0 {
		t.Errorf("%v right after: what was told once counts no more", got)
	}
}

func TestMemoryForgetsWhoWasAwayLongest(t *testing.T) {
	m := newMemory(3)
	once := Allowance{PerSecond: 1e-9, Burst: 1}
	for i, c := range []struct {
		key     string
		refused bool
	}{
		{"a", false}, {"b", false}, {"c", false}, {"a", true}, // all three are known
		{"d", false}, {"b", false}, // b was forgotten for d, and c is for b
		{"a", true}, {"d", true}, {"c", false},
	} {
		if got, _ := m.Take(t.Context(), c.key, once); got.Refused != c.refused {
			t.Errorf("take %d, of %s: refused %v", i, c.key, got.Refused)
		}
	}
}
