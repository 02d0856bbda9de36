package handlers_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/internal/handlers"
	"example.com/bff/internal/page"
)

func formatInt(n int64) string { return strconv.FormatInt(n, 10) }

// admission is a queue as a func: how long it takes, and how it ends.
type admission func(ctx context.Context, p page.Priority) (func(), time.Duration, page.ShedReason)

func (a admission) Admit(ctx context.Context, p page.Priority) (func(), time.Duration, page.ShedReason) {
	return a(ctx, p)
}

// admits lets everybody in at once, and tells before.
func admits(tell func()) admission {
	return func(context.Context, page.Priority) (func(), time.Duration, page.ShedReason) {
		tell()
		return func() {}, 0, page.NotShed
	}
}

// queue keeps everybody waiting for d or until the request ends, then decides.
func queue(d time.Duration, refused page.ShedReason, left *int) admission {
	return func(ctx context.Context, _ page.Priority) (func(), time.Duration, page.ShedReason) {
		start := time.Now()
		select {
		case <-time.After(d):
		case <-ctx.Done():
			return nil, time.Since(start), page.ShedAge
		}
		return sync.OnceFunc(func() { *left++ }), d, refused
	}
}

func TestAdmission(t *testing.T) {
	tests := map[string]struct {
		header  []string
		wait    time.Duration
		refused page.ShedReason
		slug    string
		result  page.Result
		shed    page.ShedReason
		left    int // how often the place was given back
	}{
		"admitted at once":        {nil, 0, page.NotShed, "", page.Full, page.NotShed, 1},
		"admitted after a while":  {nil, 15 * ms, page.NotShed, "", page.Full, page.NotShed, 1},
		"full":                    {nil, 0, page.ShedFull, "overloaded", page.Shed, page.ShedFull, 0},
		"waited too long":         {nil, 20 * ms, page.ShedAge, "overloaded", page.Shed, page.ShedAge, 0},
		"an operator's wish":      {nil, 0, page.ShedOverride, "overloaded", page.Shed, page.ShedOverride, 0},
		"cannot suffice":          {[]string{"X-Request-Timeout-Ms", "20"}, 0, page.ShedDeadline, "deadline-exhausted", page.Deadline, page.NotShed, 0},
		"would have, at the door": {nil, 0, page.ShedDeadline, "deadline-exhausted", page.Shed, page.ShedDeadline, 0},
		"background":              {[]string{"X-Priority", "background"}, 0, page.ShedFull, "overloaded", page.ShedBackground, page.ShedFull, 0},
		"short, eaten by waiting": {[]string{"X-Request-Timeout-Ms", "30"}, 15 * ms, page.NotShed, "deadline-exhausted", page.Shed, page.ShedDeadline, 1},
		"short, enough is left":   {[]string{"X-Request-Timeout-Ms", "35"}, 15 * ms, page.NotShed, "", page.Full, page.NotShed, 1},
		"ended in the queue":      {[]string{"X-Request-Timeout-Ms", "25"}, time.Hour, page.NotShed, "overloaded", page.Shed, page.ShedAge, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var left int
				e := newEdge(func(c *handlers.Config) { c.Admission = queue(tt.wait, tt.refused, &left) })
				e.onPage = func(_ context.Context, q *page.Query, _ *page.Record) (*page.Page, error) {
					if left > 0 {
						t.Error("the place was given back before the page was made")
					}
					return full(q.ID), nil
				}
				w := e.get("/products/p", tt.header...)
				rec := e.served(t)
				if tt.slug != "" {
					if p := problemIn(t, w); p.Type != "/problems/"+tt.slug || w.Code != 503 || e.calls.Load() != 0 {
						t.Errorf("%d %+v after %d calls", w.Code, p, e.calls.Load())
					}
				}
				if rec.Result != tt.result || rec.Shed != tt.shed || left != tt.left || rec.Queued > tt.wait {
					t.Errorf("%v, %v, queued %v; left %d times", rec.Result, rec.Shed, rec.Queued, left)
				}
			})
		})
	}
}

func TestLeavingTheQueueIsNotShed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var left int
		e := newEdge(func(c *handlers.Config) { c.Admission = queue(time.Hour, page.NotShed, &left) })
		ctx, leave := context.WithTimeout(t.Context(), 10*ms)
		defer leave()
		e.ServeHTTP(httptest.NewRecorder(), request(http.MethodGet, "/products/p").WithContext(ctx))
		if rec := e.served(t); rec.Result != page.ClientLeft || rec.Shed != page.NotShed {
			t.Errorf("%v, %v", rec.Result, rec.Shed)
		}
	})
}

func TestPlaceIsGivenBackAfterAPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var left int
		e := newEdge(func(c *handlers.Config) { c.Admission = queue(0, page.NotShed, &left) })
		e.onPage = func(context.Context, *page.Query, *page.Record) (*page.Page, error) { panic("broken") }
		if e.get("/products/p"); left != 1 {
			t.Errorf("left %d times", left)
		}
	})
}

type rateLimit page.Rate

func (l rateLimit) Allow(*http.Request) page.Rate { return page.Rate(l) }

func TestRateLimit(t *testing.T) {
	for _, refused := range []bool{false, true} {
		e := newEdge(func(c *handlers.Config) {
			c.RateLimit = rateLimit{Refused: refused, Limit: 100, Remaining: 0, Reset: 1900 * ms, RetryAfter: 20 * ms}
			c.Admission = admits(func() {
				if refused {
					t.Error("asked to be admitted")
				}
			})
		})
		w := e.get("/products/p")
		rec := e.served(t)
		if !refused {
			if w.Code != http.StatusOK || w.Header().Get("RateLimit-Limit") != "" {
				t.Errorf("allowed: %d %v", w.Code, w.Header())
			}
			continue
		}
		p, h := problemIn(t, w), w.Header()
		if w.Code != 429 || p.Type != "/problems/rate-limited" || p.RetryAfter != 1 || h.Get("Retry-After") != "1" {
			t.Errorf("%d %v %+v", w.Code, h, p)
		}
		if h.Get("RateLimit-Limit") != "100" || h.Get("RateLimit-Remaining") != "0" || h.Get("RateLimit-Reset") != "2" {
			t.Errorf("%v", h)
		}
		if rec.Result != page.RateLimited || e.calls.Load() != 0 {
			t.Errorf("%v after %d calls", rec.Result, e.calls.Load())
		}
	}
}

func TestHealthIsNeitherLimitedNorShed(t *testing.T) {
	e := newEdge(func(c *handlers.Config) {
		c.RateLimit = rateLimit{Refused: true}
		c.Admission = queue(0, page.ShedFull, new(int))
	})
	for _, path := range []string{"/livez", "/readyz", "/problems/"} {
		if w := e.get(path); w.Code != http.StatusOK {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}
