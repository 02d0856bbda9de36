package fakes_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/fakes"
)

// slow is one worker that takes a second, and a queue of two.
var slow = fakes.Options{
	Workers: 1, Queue: 2,
	Latency: func(string, string) time.Duration { return time.Second },
}

func TestWorkersAndQueueAreBounded(t *testing.T) {
	inBubble(t, slow, func(t *testing.T, w world) {
		var group sync.WaitGroup
		answers := make([]answer, 5)
		for i := range answers {
			group.Go(func() { answers[i] = w.get(fmt.Sprintf("/price/p-%d", i)) })
			synctest.Wait() // they come one after the other
		}
		busy := w.settled("price")
		equal(t, "in flight", busy.InFlight, 1)
		equal(t, "queued", busy.Queued, 2)
		group.Wait()
		for i, want := range []answer{{status: 200, took: time.Second}, {status: 200, took: 2 * time.Second}, {status: 200, took: 3 * time.Second}, {status: 503}, {status: 503}} {
			equal(t, fmt.Sprintf("status %d", i), answers[i].status, want.status)
			equal(t, fmt.Sprintf("time of %d", i), answers[i].took, want.took)
		}
		s := w.settled("price")
		equal(t, "calls", s.Calls, 5)
		equal(t, "most in flight", s.MostInFlight, 1)
		equal(t, "most queued", s.MostQueued, 2)
		equal(t, "refused", s.Refused, 2)
		equal(t, "answered 200", s.Answered[200], 3)
		equal(t, "answered 503", s.Answered[503], 2)
		equal(t, "in flight at rest", s.InFlight+s.Queued, 0)
		equal(t, "another downstream's calls", w.settled("stock").Calls, 0)
	})
}

func TestWorkOfCallersWhoLeftIsDropped(t *testing.T) {
	inBubble(t, slow, func(t *testing.T, w world) {
		var group sync.WaitGroup
		for i, patience := range []time.Duration{500 * time.Millisecond, 200 * time.Millisecond, time.Hour} {
			group.Go(func() {
				a := w.within(patience, "/price/p-1")
				if i < 2 && !errors.Is(a.err, context.DeadlineExceeded) {
					t.Errorf("%d got %+v", i, a)
				}
				if i == 2 { // the first left the worker at 500 ms; the second was never worked on
					equal(t, "who stayed, after", a.took, 1500*time.Millisecond)
				}
			})
			synctest.Wait()
		}
		time.Sleep(300 * time.Millisecond)
		equal(t, "queued behind the second", w.settled("price").Queued, 1)
		group.Wait()
		s := w.settled("price")
		equal(t, "abandoned", s.Abandoned, 2)
		equal(t, "answered", s.Answered[200], 1)
	})
}

func TestWorkPastItsDeadlineIsDropped(t *testing.T) {
	in := func(d time.Duration) string { return strconv.FormatInt(time.Now().Add(d).UnixMilli(), 10) }
	for name, c := range map[string]struct {
		headers func() []string
		free    time.Duration // when the worker is; 0: it finishes
	}{
		"timeout":              {func() []string { return []string{"X-Request-Timeout-Ms", "300"} }, 300 * time.Millisecond},
		"deadline":             {func() []string { return []string{"X-Request-Deadline", in(400 * time.Millisecond)} }, 400 * time.Millisecond},
		"the earlier, timeout": {func() []string { return []string{"X-Request-Timeout-Ms", "300", "X-Request-Deadline", in(time.Minute)} }, 300 * time.Millisecond},
		"the earlier, deadline": {func() []string {
			return []string{"X-Request-Timeout-Ms", "900", "X-Request-Deadline", in(400 * time.Millisecond)}
		}, 400 * time.Millisecond},
		"long enough":         {func() []string { return []string{"X-Request-Timeout-Ms", "2000"} }, 0},
		"malformed":           {func() []string { return []string{"X-Request-Timeout-Ms", "-5", "X-Request-Deadline", "soon"} }, 0},
		"larger than can be":  {func() []string { return []string{"X-Request-Timeout-Ms", "99999999999999999999"} }, 0},
		"as long as there is": {func() []string { return []string{"X-Request-Timeout-Ms", "999999999"} }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, slow, func(t *testing.T, w world) {
				var first answer
				var group sync.WaitGroup
				group.Go(func() { first = w.get("/price/p-1", c.headers()...) })
				synctest.Wait()
				behind := w.get("/price/p-2")
				group.Wait()
				if c.free == 0 {
					equal(t, "status", first.status, 200)
					equal(t, "who queued, after", behind.took, 2*time.Second)
					return
				}
				equal(t, "who queued, after", behind.took, c.free+time.Second)
				equal(t, "status of who stayed", first.status, 504)
				equal(t, "a second late", first.took, c.free+time.Second)
				equal(t, "abandoned", w.settled("price").Abandoned, 1)
			})
		})
	}
}

func TestWorkThatComesTooLateIsNotBegun(t *testing.T) {
	inBubble(t, slow, func(t *testing.T, w world) {
		past := strconv.FormatInt(time.Now().Add(-time.Millisecond).UnixMilli(), 10)
		equal(t, "status", w.get("/price/p-1", "X-Request-Deadline", past).status, 504)

		var group sync.WaitGroup
		group.Go(func() { w.get("/price/p-1") })
		synctest.Wait()
		equal(t, "queued too long", w.get("/price/p-2", "X-Request-Timeout-Ms", "100").status, 504)
		group.Wait()
		s := w.settled("price")
		equal(t, "abandoned", s.Abandoned, 2)
		equal(t, "answered", s.Answered[200], 1)
		equal(t, "answered otherwise", len(s.Answered), 1)
	})
}

func TestStatsTellTheLastRequestAndStartAgain(t *testing.T) {
	inBubble(t, fakes.Options{}, func(t *testing.T, w world) {
		w.get("/price/a%20b", "X-Request-Id", "first", "Cookie", "a=b")
		headers := []string{"X-Request-Id", "second", "Traceparent", "00-1", "Accept-Language", "de", "X-Long", fmt.Sprintf("%0300d", 7)}
		for i := range 100 {
			headers = append(headers, fmt.Sprintf("Z-%d", i), "z")
		}
		w.get("/price/a%2Fb", headers...)
		s := w.settled("price")
		equal(t, "path", s.LastPath, "/price/a%2Fb")
		for name, want := range map[string]string{"X-Request-Id": "second", "Traceparent": "00-1", "Accept-Language": "de", "Host": "fakes", "Cookie": ""} {
			equal(t, name, s.LastHeaders[name], want)
		}
		equal(t, "length of a long value", len(s.LastHeaders["X-Long"]), 256)
		equal(t, "headers", len(s.LastHeaders), 64)

		equal(t, "DELETE", w.do(t.Context(), "DELETE", "/_stats", "").status, 204)
		s = w.settled("price")
		equal(t, "calls", s.Calls+s.MostInFlight+len(s.Answered)+len(s.LastHeaders), 0)
		contains(t, "stats of nothing", w.get("/_stats").body, `"answered":{},"lastPath":"","lastHeaders":{}`)
	})
}

func TestInFlightOutlivesAReset(t *testing.T) {
	inBubble(t, slow, func(t *testing.T, w world) {
		var group sync.WaitGroup
		for range 2 {
			group.Go(func() { w.get("/price/p-1") })
		}
		synctest.Wait()
		w.ResetStats()
		s := w.settled("price")
		equal(t, "calls", s.Calls, 0)
		equal(t, "in flight", s.InFlight, 1)
		equal(t, "most in flight", s.MostInFlight, 1)
		equal(t, "queued", s.MostQueued, 1)
		group.Wait()
		equal(t, "answered", w.settled("price").Answered[200], 2)
	})
}
