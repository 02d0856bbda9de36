package world_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/internal/pipenet"
	"example.com/bff/internal/world"
)

func TestAHangOpensTheBreakerAndTheRecoveryClosesIt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t)
		w.Fault("stock", fakes.Fault{Hang: true})
		w.Every(50*ms, 2*time.Second, func(i int) world.Answer { return w.Get(product(i)) })
		if got := w.Scrape().Breaker("stock"); got != "open" {
			t.Fatalf("after hangs to our own timeout the breaker is %s", got)
		}

		// Probes of callers who leave, and of callers without time, give their places back.
		time.Sleep(7 * time.Second)
		for range 4 {
			w.All(5, func(i int) world.Answer {
				ctx, cancel := context.WithTimeout(t.Context(), 20*ms)
				defer cancel()
				return w.Do(ctx, http.MethodGet, world.Public, product(i), "X-Request-Timeout-Ms", "30")
			})
			time.Sleep(7 * time.Second)
		}
		w.Heal("stock")
		time.Sleep(7 * time.Second)
		for i := range 3 {
			want(t, w.Get(product(i)), 200)
		}
		idle(t, w)
	})
}

func TestNoMoreProbesThanConfigured(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t, "BFF_STOCK_BREAKER_PROBES=2", "BFF_STOCK_HEDGE_AFTER=10ms")
		w.Fault("stock", fakes.Fault{Status: 500})
		w.All(30, func(i int) world.Answer { return w.Get(product(i)) })
		w.Fault("stock", fakes.Fault{LatencyMs: new(140)})
		time.Sleep(7 * time.Second)
		w.Fakes.ResetStats()
		w.All(50, func(i int) world.Answer { return w.Get(product(i)) })
		if got := w.Fakes.Stats()["stock"]; got.MostInFlight > 2 || got.Calls > 2 {
			t.Errorf("%d calls, %d at once, with the breaker half-open", got.Calls, got.MostInFlight)
		}
	})
}

func TestAFullBulkheadIsNoFailureOfTheDownstream(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Setup{
			Env:   []string{"BFF_REVIEWS_BULKHEAD=5", "BFF_STOCK_BULKHEAD=8"},
			Fakes: fakes.Options{Latency: func(string, string) time.Duration { return 60 * ms }},
		}.Start(t)
		answers := w.All(100, func(i int) world.Answer { return w.Get(product(i)) })
		reasons := map[string]int{}
		for _, a := range answers {
			if a.Status == 200 {
				reasons["reviews "+a.Sections["reviews"].Reason]++
			} else {
				reasons[a.Dependencies[0].Name+" "+a.Dependencies[0].Reason]++
			}
		}
		if reasons["stock bulkhead_full"] != 94 { // 8 slots, of which 2 are kept for offers
			t.Errorf("%v", reasons)
		}
		stats := w.Fakes.Stats()
		if got := stats["stock"]; got.Calls != 6 || got.MostInFlight != 6 {
			t.Errorf("stock: %d calls, %d at once", got.Calls, got.MostInFlight)
		}
		if got := stats["reviews"]; got.MostInFlight > 5 {
			t.Errorf("reviews: %d at once", got.MostInFlight)
		}
		idle(t, w)
	})
}

func TestAQuarterIsKeptForOffers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Setup{
			Env:   []string{"BFF_STOCK_BULKHEAD=8", "BFF_PRICE_BULKHEAD=8"},
			Fakes: fakes.Options{Latency: func(string, string) time.Duration { return 100 * ms }},
		}.Start(t)
		go w.All(50, func(i int) world.Answer { return w.Get(product(i)) })
		time.Sleep(30 * ms)
		for _, a := range w.All(2, func(i int) world.Answer { return w.Get(fmt.Sprintf("/products/o-%d/offer", i)) }) {
			want(t, a, 200)
		}
		time.Sleep(time.Second)
	})
}

// exactly fails the test unless exactly n calls to reviews can be in flight.
func exactly(t *testing.T, w *world.World, n int) {
	t.Helper()
	w.Fault("reviews", fakes.Fault{LatencyMs: new(100)})
	w.Fakes.ResetStats()
	w.All(4*n, func(i int) world.Answer { return w.Get(fmt.Sprintf("/products/x-%d", i)) })
	if got := w.Fakes.Stats()["reviews"]; got.MostInFlight != n {
		t.Errorf("%d calls in flight, not %d", got.MostInFlight, n)
	}
}

func TestSlotsComeBackAfterAnything(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const slots = 7
		w := world.Start(t, fmt.Sprintf("BFF_REVIEWS_BULKHEAD=%d", slots), "BFF_REVIEWS_BREAKER_MIN_CALLS=100000")
		exactly(t, w, slots)
		abuses := []fakes.Fault{
			{Hang: true}, {Reset: fakes.ResetHeaders}, {Reset: fakes.ResetBody}, {DripMs: 45}, {Endless: true},
			{Oversize: true}, {Garbage: "bomb"}, {Garbage: "html"}, {Status: 500}, {Status: 302},
		}
		for _, abuse := range abuses {
			w.Fault("reviews", abuse)
			w.All(30, func(i int) world.Answer {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(20*(i%5+1))*ms)
				if i%2 == 0 {
					ctx = t.Context()
				}
				defer cancel()
				return w.Do(ctx, http.MethodGet, world.Public, product(i))
			})
		}
		time.Sleep(time.Second)
		idle(t, w)
		exactly(t, w, slots)
	})
}

func TestAttemptsAreBoundedAsASum(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t)
		for _, name := range fakes.Names() {
			w.Fault(name, fakes.Fault{Status: 503})
		}
		w.Get("/products/p-1")
		total := 0
		for _, s := range w.Fakes.Stats() {
			total += s.Calls
		}
		if total > 8 { // one each, and one retry for each of the three critical ones
			t.Errorf("one page made %d attempts", total)
		}
	})
}

func TestAFleetOfFailuresIsNotAmplified(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Setup{
			Env:   []string{"BFF_CATALOG_BREAKER_MIN_CALLS=100000"},
			Fakes: fakes.Options{Latency: func(string, string) time.Duration { return 0 }},
		}.Start(t)
		w.Fault("catalog", fakes.Fault{Status: 503})
		w.All(200, func(i int) world.Answer { return w.Get(product(i)) })
		if calls := w.Fakes.Stats()["catalog"].Calls; calls > 200*11/10+10 || calls < 201 {
			t.Errorf("200 pages made %d calls", calls)
		}
	})
}

// hostile are answers that no page can use, by the reason that the page tells.
func hostile(downstream string) map[string]fakes.Fault {
	all := map[string]fakes.Fault{
		"reset in the headers upstream_error": {Reset: fakes.ResetHeaders},
		"reset in the body upstream_error":    {Reset: fakes.ResetBody},
		"redirect upstream_error":             {Status: 302},
		"error upstream_error":                {Status: 418},
		"hang timeout":                        {Hang: true},
		"drip timeout":                        {DripMs: 45},
		"endless invalid_response":            {Endless: true},
		"oversize invalid_response":           {Oversize: true},
	}
	for _, name := range fakes.GarbageNames(downstream) {
		if name != "no-content" && !strings.HasPrefix(name, "valid-") {
			all[name+" invalid_response"] = fakes.Fault{Garbage: name}
		}
	}
	return all
}

func TestHostileAnswersSpoilTheirOwnSectionAlone(t *testing.T) {
	for _, name := range fakes.Names() {
		for what, fault := range hostile(name) {
			t.Run(name+" "+what, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					w := world.Start(t)
					reason := what[strings.LastIndexByte(what, ' ')+1:]
					before := liveMemory()
					w.Fault(name, fault)
					a := w.Get("/products/p-1001", "X-Request-Id", "r") // one made here could have EOF in it
					synctest.Wait()
					if grown := int64(liveMemory()) - int64(before); grown > 16<<20 {
						t.Errorf("%d MiB more are in use", grown>>20)
					}
					if a.Took > deadline {
						t.Errorf("took %v", a.Took)
					}
					if name == "reviews" || name == "recommendations" {
						want(t, a, 200)
						if got := a.Sections[name]; got.Reason != reason || a.Header.Get("X-Degraded") != name {
							t.Errorf("%+v, X-Degraded %q", got, a.Header.Get("X-Degraded"))
						}
						return
					}
					want(t, a, 503)
					if len(a.Dependencies) != 1 || a.Dependencies[0].Name != name || a.Dependencies[0].Reason != reason {
						t.Errorf("%s", a.Body)
					}
					for _, inside := range []string{name + ":80", "pipenet", "dial", "EOF", "http:", "html", "0x", "goroutine"} {
						if strings.Contains(string(a.Body), inside) {
							t.Errorf("the problem tells %q: %s", inside, a.Body)
						}
					}
				})
			})
		}
	}
}

func liveMemory() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// liveGoroutines counts them while the world stands still: runtime.NumGoroutine is some 30 off while it moves ended ones
// from one of its lists to another.
func liveGoroutines() int {
	stacks := make([]byte, 4<<20)
	return bytes.Count(stacks[:runtime.Stack(stacks, true)], []byte("\n\ngoroutine ")) + 1
}

func TestNoContentIsAbsent(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t)
		for _, name := range []string{"reviews", "recommendations", "stock", "price"} {
			w.Fault(name, fakes.Fault{Garbage: "no-content"})
			a := w.Get("/products/p-1001")
			want(t, a, 200)
			if a.Degraded || a.Sections[name].Status != "absent" {
				t.Errorf("%s: %s", name, a.Body)
			}
			w.Heal(name)
		}
		w.Fault("catalog", fakes.Fault{Garbage: "no-content"})
		want(t, w.Get("/products/p-1001"), 404)
	})
}

func TestErrorsCostNoConnectionEach(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t, "BFF_REVIEWS_BREAKER_MIN_CALLS=100000")
		for _, status := range []int{404, 429, 500, 503} {
			w.Fault("reviews", fakes.Fault{Status: status})
			before := w.Net.Dials("reviews:80")
			for i := range 20 {
				w.Get(product(i))
			}
			if dialled := w.Net.Dials("reviews:80") - before; dialled > 1 {
				t.Errorf("20 answers with %d cost %d connections", status, dialled)
			}
		}
	})
}

func TestNoExchangeIsMadeBehindOurBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t, "BFF_REVIEWS_BREAKER_MIN_CALLS=100000")
		w.All(60, func(i int) world.Answer { return w.Get(product(i)) }) // connections to be reset while kept
		w.Fakes.ResetStats()
		attempts := func() float64 { return w.Scrape().Sum("bff_downstream_attempts_total", `downstream="reviews"`) }
		before := attempts()
		w.Fault("reviews", fakes.Fault{Reset: fakes.ResetHeaders})
		w.All(60, func(i int) world.Answer { return w.Get(product(i)) })
		if seen, counted := w.Fakes.Stats()["reviews"].Calls, int(attempts()-before); seen != 60 || counted != 60 {
			t.Errorf("60 pages made %d attempts, of which reviews saw %d", counted, seen)
		}
	})
}

// A page that ends with an open breaker asks nobody else: it would only hang up on them.
func TestAnOpenBreakerCostsTheHealthyNoConnections(t *testing.T) {
	for _, broken := range []string{"catalog", "stock", "price"} { // no price was ever remembered
		bubble(t, func(t *testing.T) {
			w := world.Start(t, "BFF_"+strings.ToUpper(broken)+"_RETRIES=0")
			w.Fault(broken, fakes.Fault{Status: 500})
			for i := range 20 {
				want(t, w.Get(product(i)), 503)
			}
			if got := w.Scrape().Breaker(broken); got != "open" {
				t.Fatalf("the breaker of %s is %s", broken, got)
			}
			time.Sleep(time.Second)
			before := w.Fakes.Stats()
			for _, a := range w.Every(20*ms, 2*time.Second, func(i int) world.Answer { return w.Get(product(i)) }) {
				want(t, a, 503)
				if a.Took != 0 || len(a.Dependencies) != 1 || a.Dependencies[0].Name != broken || a.Dependencies[0].Reason != "breaker_open" {
					t.Fatalf("after %v: %s", a.Took, a.Body)
				}
			}
			for name, now := range w.Fakes.Stats() {
				if now.Calls != before[name].Calls {
					t.Errorf("with the breaker of %s open, %s was asked %d times", broken, name, now.Calls-before[name].Calls)
				}
			}
		})
	}
}

func TestRequestsHaveNoBody(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t)
		w.Get("/products/p-1")
		for _, name := range []string{"Content-Length", "Transfer-Encoding", "Expect"} {
			if v, has := w.Fakes.Stats()["catalog"].LastHeaders[name]; has {
				t.Errorf("catalog sees %s: %s", name, v)
			}
		}
	})
}

func TestARestartedDownstreamCostsNoPage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t)
		w.All(20, func(i int) world.Answer { return w.Get(product(i)) })
		for _, name := range fakes.Names() {
			w.StopDownstream(name)
			w.StartDownstream(name)
		}
		synctest.Wait() // until the closed connections are noticed
		for _, a := range w.All(20, func(i int) world.Answer { return w.Get(product(i)) }) {
			want(t, a, 200)
			if a.Degraded {
				t.Errorf("%s", a.Body)
			}
		}
	})
}

func TestAfterAMinuteOfResetsAndHangingDialsAllIsAsBefore(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t)
		w.All(20, func(i int) world.Answer { return w.Get(product(i)) })
		w.Client.CloseIdleConnections()
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		goroutines := liveGoroutines()

		w.Fault("price", fakes.Fault{Reset: fakes.ResetHeaders})
		w.Net.SetFault("reviews:80", pipenet.Fault{Hang: true})
		w.Net.Reset("reviews:80")
		w.Every(100*ms, time.Minute, func(i int) world.Answer { return w.Get(product(i)) })
		w.Heal("price")
		w.Net.SetFault("reviews:80", pipenet.Fault{})
		time.Sleep(10 * time.Second)
		for i := range 5 {
			w.Get(product(i))
		}
		for _, a := range w.All(20, func(i int) world.Answer { return w.Get(product(i)) }) {
			want(t, a, 200)
			if a.Degraded {
				t.Fatalf("%s", a.Body)
			}
		}
		idle(t, w)
		w.Client.CloseIdleConnections()
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		if now := liveGoroutines(); now > goroutines+2 {
			t.Errorf("%d goroutines, then %d", goroutines, now)
		}
	})
}
