package world_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/internal/world"
)

func steady(d time.Duration) fakes.Options {
	return fakes.Options{Latency: func(string, string) time.Duration { return d }}
}

// lowestLimit reads the limit on what is in flight each second for so long.
func lowestLimit(w *world.World, long time.Duration) <-chan float64 {
	lowest := make(chan float64, 1)
	go func() {
		low := w.Scrape()["bff_in_flight_limit"]
		for range long / time.Second {
			time.Sleep(time.Second)
			low = min(low, w.Scrape()["bff_in_flight_limit"])
		}
		lowest <- low
	}()
	return lowest
}

// The failure that this service exists to prevent: pages shed because something that they can do without is slow. The
// breaker is out of the way, so that every page waits for recommendations as long as an attempt may take.
func TestSlowRecommendationsShedNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const perSecond, limit = 300, 36
		w := world.Setup{
			Env:   []string{"BFF_MAX_IN_FLIGHT=36", "BFF_RECOMMENDATIONS_BREAKER_MIN_CALLS=100000"},
			Fakes: steady(10 * ms), Quiet: true,
		}.Start(t)
		w.Fault("recommendations", fakes.Fault{LatencyMs: new(8000)})
		lowest := lowestLimit(w, 2*time.Second)
		for i, a := range w.Every(time.Second/perSecond, 2*time.Second, func(i int) world.Answer { return w.Get(product(i)) }) {
			want(t, a, 200)
			if s := a.Sections["recommendations"]; a.Took < 100*ms || s.Reason != "timeout" {
				t.Fatalf("page %d took %v: %+v", i, a.Took, s)
			}
		}
		if low, shed := <-lowest, w.Scrape().Sum("bff_shed_total"); low != limit || shed != 0 {
			t.Errorf("the limit fell to %v, %v pages were shed", low, shed)
		}
	})
}

func TestNothingButOwnDistressLowersTheLimit(t *testing.T) {
	all := func(f fakes.Fault) func(*world.World) {
		return func(w *world.World) {
			for _, name := range fakes.Names() {
				w.Fault(name, f)
			}
		}
	}
	get := func(w *world.World, i int) world.Answer { return w.Get(product(i)) }
	leave := func(w *world.World, i int) world.Answer {
		ctx, cancel := context.WithTimeout(w.T.Context(), 30*ms)
		defer cancel()
		return w.Do(ctx, http.MethodGet, world.Public, product(i))
	}
	for name, c := range map[string]struct {
		begin func(*world.World)
		ask   func(*world.World, int) world.Answer
	}{
		"every downstream hangs": {all(fakes.Fault{Hang: true}), get},
		"every downstream fails": {all(fakes.Fault{Status: 500}), get},
		"every client leaves":    {func(*world.World) {}, leave},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w := world.Setup{Env: []string{"BFF_MAX_IN_FLIGHT=50"}, Fakes: steady(100 * ms), Quiet: true}.Start(t)
				c.begin(w)
				lowest := lowestLimit(w, 2*time.Second)
				w.Every(10*ms, 2*time.Second, func(i int) world.Answer { return c.ask(w, i) })
				if low, shed := <-lowest, w.Scrape().Sum("bff_shed_total"); low != 50 || shed != 0 {
					t.Errorf("the limit fell to %v, %v pages were shed", low, shed)
				}
			})
		})
	}
}

func TestDistressLowersTheLimitAndItComesBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var latency atomic.Int64
		w := world.Setup{
			Env: []string{"BFF_MAX_IN_FLIGHT=50"}, Fakes: steady(100 * ms), Quiet: true,
			Distress: func() time.Duration { return time.Duration(latency.Load()) },
		}.Start(t)
		limit := func() float64 { synctest.Wait(); return w.Scrape()["bff_in_flight_limit"] }
		served := func() (n int) {
			for _, a := range w.All(80, func(i int) world.Answer { return w.Get(product(i)) }) {
				if a.Status == 200 {
					n++
				}
			}
			return n
		}
		if n := served(); n != 50 {
			t.Errorf("%d of 80 at once are served", n)
		}
		latency.Store(int64(30 * ms))
		before := limit()
		for range 6 {
			time.Sleep(5 * time.Second)
			if now := limit(); now > before || now < 5 {
				t.Errorf("in distress the limit goes from %v to %v", before, now)
			} else {
				before = now
			}
		}
		if n := served(); before != 5 || n != 5 {
			t.Errorf("after half a minute of distress the limit is %v, and %d of 80 at once are served", before, n)
		}
		latency.Store(0)
		for range 5 {
			time.Sleep(5 * time.Second)
			if now := limit(); now < before {
				t.Errorf("afterwards the limit goes from %v to %v", before, now)
			} else {
				before = now
			}
		}
		if n := served(); before != 50 || n != 50 {
			t.Errorf("25 s later the limit is %v, and %d of 80 at once are served", before, n)
		}
	})
}
