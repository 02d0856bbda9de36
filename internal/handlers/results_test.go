package handlers_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/internal/handlers"
	"example.com/bff/internal/page"
)

type pageFunc = func(context.Context, *page.Query, *page.Record) (*page.Page, error)

// after answers d after it was asked, whoever leaves meanwhile.
func after(d time.Duration, f pageFunc) pageFunc {
	return func(ctx context.Context, q *page.Query, rec *page.Record) (*page.Page, error) {
		time.Sleep(d)
		return f(ctx, q, rec)
	}
}

// untilEnd waits for ctx, as a page does whose downstreams hang.
func untilEnd(f pageFunc) pageFunc {
	return func(ctx context.Context, q *page.Query, rec *page.Record) (*page.Page, error) {
		<-ctx.Done()
		return f(ctx, q, rec)
	}
}

func isFull(_ context.Context, q *page.Query, _ *page.Record) (*page.Page, error) {
	return full(q.ID), nil
}

func isDegraded(_ context.Context, q *page.Query, _ *page.Record) (*page.Page, error) {
	return degraded(q.ID), nil
}

func isEnded(ctx context.Context, _ *page.Query, _ *page.Record) (*page.Page, error) {
	return nil, ctx.Err()
}

func fails(err error) pageFunc {
	return func(context.Context, *page.Query, *page.Record) (*page.Page, error) { return nil, err }
}

// priceTimedOut is a degraded page whose live price was given up at d.
func priceTimedOut(d time.Duration) pageFunc {
	return after(d, func(_ context.Context, q *page.Query, rec *page.Record) (*page.Page, error) {
		rec.Calls[page.Price] = page.Call{Asked: true, Outcome: page.Timeout, Start: rec.Start, Duration: d}
		return degraded(q.ID), nil
	})
}

var unavailable = &page.UnavailableError{Dependencies: []page.FailedDependency{{Name: page.Stock, Reason: page.Timeout}}}

func TestResults(t *testing.T) {
	const never = 0
	tests := map[string]struct {
		allows string // X-Request-Timeout-Ms
		leaves time.Duration
		pages  pageFunc
		want   page.Result
		status int
	}{
		"full":                            {"", never, isFull, page.Full, 200},
		"degraded":                        {"", never, isDegraded, page.Degraded, 200},
		"not found":                       {"", never, fails(page.ErrNotFound), page.NotFound, 404},
		"unavailable":                     {"", never, fails(unavailable), page.Unavailable, 503},
		"defect":                          {"", never, fails(errors.New("broken")), page.Internal, 500},
		"defect named like an end":        {"", never, fails(context.Canceled), page.Internal, 500},
		"our deadline, degraded":          {"", never, untilEnd(isDegraded), page.Degraded, 200},
		"our deadline, unavailable":       {"", never, untilEnd(fails(unavailable)), page.Unavailable, 503},
		"our deadline, nothing":           {"", never, untilEnd(isEnded), page.Unavailable, 503},
		"short, in time":                  {"200", never, after(150*ms, isFull), page.Full, 200},
		"short, full at the end":          {"200", never, untilEnd(isFull), page.Full, 200},
		"short, degraded at the end":      {"200", never, untilEnd(isDegraded), page.Deadline, 200},
		"short, unavailable at the end":   {"200", never, untilEnd(fails(unavailable)), page.Deadline, 503},
		"short, nothing at the end":       {"200", never, untilEnd(isEnded), page.Deadline, 503},
		"short, not found at the end":     {"200", never, untilEnd(fails(page.ErrNotFound)), page.NotFound, 404},
		"short, degraded before":          {"200", never, after(150*ms, isDegraded), page.Degraded, 200},
		"short, unavailable before":       {"200", never, after(150*ms, fails(unavailable)), page.Unavailable, 503},
		"short, price given up":           {"200", never, priceTimedOut(175 * ms), page.Deadline, 200},
		"short, price's own timeout":      {"200", never, priceTimedOut(150 * ms), page.Degraded, 200},
		"299 ms, degraded at the end":     {"299", never, untilEnd(isDegraded), page.Deadline, 200},
		"300 ms, degraded at the end":     {"300", never, untilEnd(isDegraded), page.Degraded, 200},
		"20 ms":                           {"20", never, after(5*ms, isFull), page.Full, 200},
		"left, page ended":                {"", 100 * ms, untilEnd(isEnded), page.ClientLeft, 0},
		"left, a page came all the same":  {"", 100 * ms, after(200*ms, isFull), page.ClientLeft, 200},
		"left, then unavailable":          {"", 100 * ms, after(200*ms, fails(unavailable)), page.ClientLeft, 503},
		"left, a defect":                  {"", 100 * ms, after(200*ms, fails(errors.New("broken"))), page.Internal, 500},
		"left short of a short deadline":  {"200", 199 * ms, untilEnd(isEnded), page.ClientLeft, 0},
		"left late, full":                 {"", 460 * ms, after(470*ms, isFull), page.Full, 200},
		"left late, degraded":             {"", 460 * ms, after(470*ms, isDegraded), page.Degraded, 200},
		"left late, unavailable":          {"", 460 * ms, after(470*ms, fails(unavailable)), page.Unavailable, 503},
		"left late, page ended":           {"", 460 * ms, after(470*ms, isEnded), page.Unavailable, 503},
		"left late, short":                {"200", 210 * ms, after(220*ms, isDegraded), page.Deadline, 200},
		"left after the answer was there": {"", 100 * ms, isFull, page.Full, 200},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := newEdge()
				e.onPage = tt.pages
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				if tt.leaves > 0 {
					defer time.AfterFunc(tt.leaves, leave).Stop()
				}
				r := request(http.MethodGet, "/products/p")
				if tt.allows != "" {
					r.Header.Set("X-Request-Timeout-Ms", tt.allows)
				}
				w := httptest.NewRecorder()
				aborted := aborts(func() { e.ServeHTTP(w, r.WithContext(ctx)) })
				rec := e.served(t)
				if rec.Result != tt.want || rec.Status != tt.status || aborted != (tt.status == 0) {
					t.Errorf("%v, status %d, aborted: %v; want %v, %d", rec.Result, rec.Status, aborted, tt.want, tt.status)
				}
				if !aborted && w.Code != tt.status {
					t.Errorf("answered %d", w.Code)
				}
				if rec.Duration != time.Since(rec.Start) {
					t.Errorf("took %v, tells %v", time.Since(rec.Start), rec.Duration)
				}
			})
		})
	}
}

// aborts tells whether f ends the connection without an answer.
func aborts(f func()) (aborted bool) {
	defer func() {
		if v := recover(); v != nil {
			aborted = v == http.ErrAbortHandler
			if !aborted {
				panic(v)
			}
		}
	}()
	f()
	return false
}

func TestDeadlineReachesThePages(t *testing.T) {
	tests := map[string]struct {
		header    []string
		allowed   time.Duration
		shortened bool
	}{
		"default":   {nil, deadline, false},
		"shortened": {[]string{"X-Request-Timeout-Ms", "120"}, 120 * ms, true},
		"longer":    {[]string{"X-Request-Timeout-Ms", "5000"}, deadline, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := newEdge()
				e.onPage = func(ctx context.Context, q *page.Query, rec *page.Record) (*page.Page, error) {
					if end, ok := ctx.Deadline(); !ok || !end.Equal(rec.Start.Add(tt.allowed)) {
						t.Errorf("the page ends %v after its start", end.Sub(rec.Start))
					}
					if q.Shortened != tt.shortened {
						t.Errorf("the query says shortened: %v", q.Shortened)
					}
					return full(q.ID), nil
				}
				e.get("/products/p", tt.header...)
				if rec := e.served(t); rec.Allowed != tt.allowed || rec.Shortened != tt.shortened {
					t.Errorf("the record says %v, %v", rec.Allowed, rec.Shortened)
				}
			})
		})
	}
}

func TestTooLateToBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		instant := func(d time.Duration) string { return formatInt(time.Now().Add(d).UnixMilli()) }
		for _, header := range [][]string{
			{"X-Request-Timeout-Ms", "0"}, {"X-Request-Timeout-Ms", "19"},
			{"X-Request-Deadline", instant(-time.Second)}, {"X-Request-Deadline", instant(19 * ms)},
			{"X-Request-Timeout-Ms", "400", "X-Request-Deadline", instant(0)},
		} {
			for _, path := range []string{"/products/p", "/products/p/offer"} {
				e := newEdge(func(c *handlers.Config) { c.Admission = admits(func() { t.Error("asked to be admitted") }) })
				w := e.get(path, header...)
				if p := problemIn(t, w); w.Code != 503 || p.Type != "/problems/deadline-exhausted" || p.RetryAfter != 1 {
					t.Errorf("%v: %d %+v", header, w.Code, p)
				}
				if rec := e.served(t); rec.Result != page.Deadline || rec.Duration != 0 || e.calls.Load() != 0 {
					t.Errorf("%v: %v after %v and %d calls", header, rec.Result, rec.Duration, e.calls.Load())
				}
			}
		}
	})
}
