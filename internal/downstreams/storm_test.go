package downstreams_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.com/bff/internal/downstreams"
	"example.com/bff/internal/page"
)

// storm is a downstream that does anything, and counts.
type storm struct {
	mu        sync.Mutex
	draw      *rand.Rand
	now, most int
}

func (s *storm) n(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.draw.IntN(n)
}

// runs counts n exchanges that begin, or end, and tells how many there are and were at most.
func (s *storm) runs(n int) (now, most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now += n
	s.most = max(s.most, s.now)
	return s.now, s.most
}

func (s *storm) answers(req *http.Request) (*http.Response, error) {
	s.runs(1)
	defer s.runs(-1)
	if err := pause(req.Context(), time.Duration(s.n(200))*ms); err != nil {
		return nil, err
	}
	switch s.n(12) {
	case 0:
		return nil, syscall.ECONNRESET
	case 1:
		return respond(http.StatusServiceUnavailable, "", "Retry-After", "0"), nil
	case 2:
		return respond(http.StatusInternalServerError, ""), nil
	case 3:
		return respond(http.StatusNotFound, ""), nil
	case 4:
		return respond(http.StatusOK, ""), nil
	case 5:
		panic("boom")
	case 6:
		return hang(req)
	}
	return respond(http.StatusOK, req.URL.Path+"?"+req.Header.Get("X-Market")), nil
}

// asksSomehow makes one call as callers do, and checks what must hold of every one.
func (s *storm) asksSomehow(r *rig) {
	q := query(fmt.Sprint(s.n(4)), header("X-Market", fmt.Sprint(s.n(2))))
	q.Offer = s.n(4) == 0
	left := time.Duration(20+s.n(430)) * ms
	q.Shortened = left < 100*ms
	ctx, cancel := context.WithTimeout(r.Context(), left)
	defer cancel()
	if s.n(4) == 0 {
		defer time.AfterFunc(time.Duration(s.n(100))*ms, cancel).Stop()
	}
	v, call := r.client.Ask(ctx, q)
	want := fmt.Sprintf("/things/%s?%s", q.ID, q.Header.Get("X-Market"))
	if call.Outcome == page.OK && v != want {
		r.Errorf("asked for %s, got %s", want, v)
	}
	if call.Duration > left {
		r.Errorf("%v with %v left", call.Duration, left)
	}
	if len(call.Attempts) > 2 || (len(call.Attempts) == 0 && (call.Outcome < page.BreakerOpen && call.Outcome != page.Timeout)) {
		r.Errorf("%v after %d attempts", call.Outcome, len(call.Attempts))
	}
}

// Whatever callers and the downstream do to each other: values are never mixed, nobody waits past a deadline, no limit
// is exceeded, the budget holds, and in the end all is as it was.
func TestStorm(t *testing.T) {
	for seed := range uint64(12) {
		limit := 4 << (seed % 3)
		change := func(s *downstreams.Settings) {
			s.Bulkhead, s.BreakerCooldown = limit, 100*ms
			if seed%2 == 1 {
				s.HedgeAfter.Delay = 30 * ms
			}
		}
		s := &storm{draw: rand.New(rand.NewPCG(seed, 1))}
		inBubble(t, page.Stock, s.answers, change, func(r *rig) {
			start := time.Now()
			var wg sync.WaitGroup
			for range 400 {
				wg.Go(func() { s.asksSomehow(r) })
				time.Sleep(time.Duration(s.n(5)) * ms)
			}
			wg.Wait()
			time.Sleep(time.Second)
			exchanges := 2 * limit
			if seed%2 == 0 {
				exchanges = limit
			}
			now, most := s.runs(0)
			if now != 0 || most > exchanges {
				r.Errorf("seed %d: %d exchanges are left of up to %d, want 0 of up to %d", seed, now, most, exchanges)
			}
			first := r.madeAs(page.First)
			allowed := first + first/10 + 11 + int(time.Since(start).Seconds())
			if n := r.made(); n > allowed {
				r.Errorf("seed %d: %d calls made %d exchanges", seed, first, n)
			}
			r.becomes(ok)
			time.Sleep(11 * time.Second) // the breaker's window
			for range 3 {
				r.ask(pageDeadline, query("p"))
			}
			r.wantsBreaker(page.StateClosed)
			if got := r.client.State(); got.InFlight != 0 {
				r.Errorf("seed %d: %+v", seed, got)
			}
		})
	}
}
