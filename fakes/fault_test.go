package fakes_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/fakes"
)

func TestLatency(t *testing.T) {
	inBubble(t, fakes.Options{}, func(t *testing.T, w world) {
		w.set("price", `{"latencyMs": 800}`)
		equal(t, "took", w.get("/price/p-1").took, 800*time.Millisecond)
		equal(t, "another downstream is as before", w.get("/stock/p-1").took < 40*time.Millisecond, true)
		w.set("price", `{"latencyMs": 0}`)
		equal(t, "took", w.get("/price/p-1").took, 0)
		w.clear("price")
		w.wellAgain("price")
	})
}

func TestLatencyDrawnFromPercentiles(t *testing.T) {
	times := func() (all []time.Duration) {
		inBubble(t, fakes.Options{Seed: 7}, func(t *testing.T, w world) {
			w.set("recommendations", `{"p50Ms": 40, "p99Ms": 200}`)
			for range 500 {
				all = append(all, w.get("/recommendations/p-1").took)
			}
		})
		return all
	}
	first, second := times(), times()
	equal(t, "the same again", slices.Equal(first, second), true)
	slices.Sort(first)
	p50, p99 := first[250], first[495]
	if p50 < 36*time.Millisecond || p50 > 44*time.Millisecond || p99 < 150*time.Millisecond || p99 > 260*time.Millisecond {
		t.Errorf("p50 %v, p99 %v", p50, p99)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		fault      string
		status     int
		share      float64
		retryAfter string
	}{
		{`{"status": 503}`, 503, 1, ""},
		{`{"status": 503, "errorRate": 0.3}`, 503, 0.3, ""},
		{`{"errorRate": 0.5}`, 500, 0.5, ""},
		{`{"status": 503, "errorRate": 0}`, 503, 0, ""},
		{`{"status": 429, "retryAfter": "Fri, 31 Dec 1999 23:59:59 GMT"}`, 429, 1, "Fri, 31 Dec 1999 23:59:59 GMT"},
		{`{"status": 503, "retryAfter": "3 or so"}`, 503, 1, "3 or so"},
		{`{"status": 204}`, 204, 1, ""},
		{`{"status": 304}`, 304, 1, ""},
	} {
		t.Run(c.fault, func(t *testing.T) {
			inBubble(t, fakes.Options{}, func(t *testing.T, w world) {
				w.set("catalog", c.fault)
				const calls = 200
				for range calls {
					if a := w.get("/catalog/p-1"); a.status == c.status {
						equal(t, "Retry-After", a.header.Get("Retry-After"), c.retryAfter)
					} else {
						equal(t, "the others' status", a.status, 200)
						equal(t, "their Retry-After", a.header.Get("Retry-After"), "")
					}
				}
				got := float64(w.settled("catalog").Answered[c.status]) / calls
				if math.Abs(got-c.share) > 0.08 || c.share == 1 && got != 1 || c.share == 0 && got != 0 {
					t.Errorf("a share of %v failed, want %v", got, c.share)
				}
				w.clear("catalog")
				w.wellAgain("catalog")
			})
		})
	}
}

// A redirect leads back here, so that one who follows it is seen.
func TestRedirect(t *testing.T) {
	inBubble(t, fakes.Options{}, func(t *testing.T, w world) {
		w.set("stock", `{"status": 302}`)
		if a := w.get("/stock/p-1"); a.err == nil {
			t.Error("Go's client follows ten redirects and gives up; this one did not")
		}
		s := w.settled("stock")
		equal(t, "path", s.LastPath, "/stock/moved")
		equal(t, "calls", s.Calls, 10)
	})
}

// What must never reach a customer is there to be found.
func TestErrorsTellTales(t *testing.T) {
	inBubble(t, fakes.Options{}, func(t *testing.T, w world) {
		w.set("price", `{"status": 500}`)
		contains(t, "body", w.get("/price/p-1").body, "price-7.internal:5432", "panic")
	})
}

func TestHang(t *testing.T) {
	inBubble(t, fakes.Options{Workers: 2, Queue: 1}, func(t *testing.T, w world) {
		w.withoutKeepAlive()
		w.set("reviews", `{"hang": true}`)
		a := w.within(10*time.Minute, "/reviews/p-1", "X-Request-Timeout-Ms", "150")
		if !errors.Is(a.err, context.DeadlineExceeded) {
			t.Errorf("a hang ended: %+v", a)
		}
		var group sync.WaitGroup
		for range 2 {
			group.Go(func() {
				if a := w.get("/reviews/p-1"); !errors.Is(a.err, io.EOF) || a.took != time.Hour {
					t.Errorf("hung %v, then %d %v; want to be dropped after an hour", a.took, a.status, a.err)
				}
			})
		}
		synctest.Wait()
		group.Go(func() {
			if a := w.get("/reviews/p-1"); a.status != 200 || a.took < time.Hour {
				t.Errorf("waited %v, then %d %v; want an answer once a worker has time for it", a.took, a.status, a.err)
			}
		})
		synctest.Wait()
		busy := w.settled("reviews")
		equal(t, "in flight", busy.InFlight, 2)
		equal(t, "queued", busy.Queued, 1)
		equal(t, "one more", w.get("/reviews/p-1").status, 503)
		time.Sleep(time.Hour)
		w.clear("reviews")
		group.Wait()
		s := w.settled("reviews")
		equal(t, "abandoned", s.Abandoned, 1)
		equal(t, "cut", s.Cut, 2)
		w.wellAgain("reviews")
	})
}

// What waits in the queue when a slow downstream becomes well is worked off at the speed of a well one.
func TestAQueueIsWorkedOffAsFastAsTheDownstreamThenIs(t *testing.T) {
	latency := func(string, string) time.Duration { return 10 * time.Millisecond }
	inBubble(t, fakes.Options{Workers: 1, Queue: 10, Latency: latency}, func(t *testing.T, w world) {
		w.set("stock", `{"latencyMs": 2000}`)
		var group sync.WaitGroup
		for range 11 {
			group.Go(func() {
				if a := w.get("/stock/p-1"); a.status != 200 || a.took > 2100*time.Millisecond {
					t.Errorf("took %v: %d %v", a.took, a.status, a.err)
				}
			})
		}
		time.Sleep(time.Second)
		w.clear("stock")
		group.Wait()
	})
}

// What was slow goes on being slow, and what hung is dropped as soon as anything else holds.
func TestAFaultBefallsWhatBeginsUnderIt(t *testing.T) {
	inBubble(t, fakes.Options{}, func(t *testing.T, w world) {
		w.withoutKeepAlive()
		w.set("price", `{"latencyMs": 8000}`)
		var group sync.WaitGroup
		group.Go(func() {
			a := w.get("/price/p-1")
			equal(t, "status", a.status, 200)
			equal(t, "took", a.took, 8*time.Second)
		})
		synctest.Wait()
		w.set("price", `{"hang": true}`)
		group.Go(func() {
			if a := w.get("/price/p-1"); a.err == nil || a.took != time.Second {
				t.Errorf("hung %v, then %d %v", a.took, a.status, a.err)
			}
		})
		time.Sleep(time.Second)
		w.set("price", `{"status": 500}`)
		group.Wait()
	})
}

func TestReset(t *testing.T) {
	inBubble(t, fakes.Options{}, func(t *testing.T, w world) {
		w.withoutKeepAlive()
		w.set("catalog", `{"reset": "headers", "latencyMs": 10}`)
		a := w.get("/catalog/p-1001")
		if !errors.Is(a.err, syscall.ECONNRESET) || a.status != 0 || a.took != 10*time.Millisecond {
			t.Errorf("before the headers: %+v", a)
		}
		w.set("catalog", `{"reset": "body"}`)
		a = w.get("/catalog/p-1001")
		if !errors.Is(a.err, syscall.ECONNRESET) || a.status != 200 || len(a.body) < 50 || json.Valid([]byte(a.body)) {
			t.Errorf("amid the body: %+v", a)
		}
		equal(t, "cut", w.settled("catalog").Cut, 2)
		w.clear("catalog")
		w.wellAgain("catalog")
	})
}

func TestDrip(t *testing.T) {
	inBubble(t, fakes.Options{}, func(t *testing.T, w world) {
		w.set("price", `{"dripMs": 45, "latencyMs": 20}`)
		a := w.get("/price/p-1001", "X-Request-Timeout-Ms", "150") // who drips knows no deadline
		equal(t, "body", a.body, `{"amount":"129.90","currency":"EUR","taxRate":"0.19"}`)
		equal(t, "took", a.took, time.Duration(20+45*len(a.body))*time.Millisecond)

		a = w.within(210*time.Millisecond, "/price/p-1001")
		if a.status != 200 || len(a.body) != 4 || !errors.Is(a.err, context.DeadlineExceeded) {
			t.Errorf("got %+v, want headers and four bytes", a)
		}
		equal(t, "abandoned", w.settled("price").Abandoned, 1)

		w.set("price", `{"dripMs": 45, "latencyMs": 0, "reset": "body"}`)
		a = w.get("/price/p-1001")
		if !errors.Is(a.err, syscall.ECONNRESET) || len(a.body) != 26 || a.took != 26*45*time.Millisecond {
			t.Errorf("dripped, then reset: %+v", a)
		}
		w.set("price", `{"dripMs": 600000}`)
		time.AfterFunc(time.Hour, func() { w.clear("price") })
		a = w.get("/price/p-1001")
		if a.status != 200 || len(a.body) != 5 || a.err == nil {
			t.Errorf("a fault that ended: %+v", a)
		}
		w.wellAgain("price")
	})
}

func TestEndless(t *testing.T) {
	inBubble(t, fakes.Options{}, func(t *testing.T, w world) {
		w.set("reviews", `{"endless": true}`)
		a := w.get("/reviews/p-1") // reads 2 MiB, and leaves
		equal(t, "read", len(a.body), patience)
		equal(t, "abandoned", w.settled("reviews").Abandoned, 1)

		w.set("reviews", `{"endless": true, "reset": "body"}`)
		a = w.get("/reviews/p-1")
		if !errors.Is(a.err, syscall.ECONNRESET) || len(a.body) != 64<<10 {
			t.Errorf("reset after %d bytes: %v", len(a.body), a.err)
		}
		w.set("reviews", `{"endless": true, "dripMs": 10, "latencyMs": 0}`)
		equal(t, "paced", len(w.within(time.Minute+5*time.Millisecond, "/reviews/p-1").body), 6000)
		synctest.Wait()

		resp, err := w.client.Get("http://fakes/reviews/p-1")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		w.set("reviews", `{"endless": true, "latencyMs": 0}`)
		stalled, err := w.client.Get("http://fakes/reviews/p-1") // nobody reads it
		if err != nil {
			t.Fatal(err)
		}
		defer stalled.Body.Close()
		w.clear("reviews")
		equal(t, "cut", w.settled("reviews").Cut, 3)
		equal(t, "HEAD", w.do(t.Context(), "HEAD", "/reviews/p-1", "").status, 200)
		w.wellAgain("reviews")
	})
}

func TestHeadOfWhatNeverEnds(t *testing.T) {
	inBubble(t, fakes.Options{}, func(t *testing.T, w world) {
		w.set("reviews", `{"endless": true}`)
		equal(t, "HEAD", w.do(t.Context(), "HEAD", "/reviews/p-1", "").status, 200)
	})
}

func TestOversize(t *testing.T) {
	inBubble(t, fakes.Options{}, func(t *testing.T, w world) {
		w.set("catalog", `{"oversize": true}`)
		a := w.get("/catalog/p-1")
		if a.status != 200 || a.err != nil || len(a.body) <= 1<<20 || !json.Valid([]byte(a.body)) {
			t.Errorf("%d, %d bytes, %v", a.status, len(a.body), a.err)
		}
		contains(t, "body", a.body, `{"id":"p-1","name":"`)
	})
}
