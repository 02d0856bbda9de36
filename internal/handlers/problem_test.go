package handlers_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/bff/internal/handlers"
	"example.com/bff/internal/page"
)

func TestProblems(t *testing.T) {
	tests := map[string]struct {
		err    error
		path   string
		status int
		slug   string
	}{
		"page not found":    {page.ErrNotFound, "/products/p", 404, "product-not-found"},
		"offer not found":   {fmt.Errorf("price: %w", page.ErrNoPrice), "/products/p/offer", 404, "product-not-found"},
		"page unavailable":  {unavailable, "/products/p", 503, "dependency-unavailable"},
		"offer unavailable": {fmt.Errorf("offer: %w", unavailable), "/products/p/offer", 503, "dependency-unavailable"},
		"defect":            {errors.New("dial tcp 10.0.0.7:6379: secret"), "/products/p", 500, "internal"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e := newEdge().failing(tt.err)
			w := e.get(tt.path + "?q=1")
			rec := e.served(t)
			p := problemIn(t, w)
			if w.Code != tt.status || p.Type != "/problems/"+tt.slug || p.Instance != tt.path {
				t.Errorf("%d %+v", w.Code, p)
			}
			if has503 := w.Header().Get("Retry-After") != ""; has503 != (tt.status == 503) {
				t.Errorf("Retry-After: %v", has503)
			}
			if (rec.Defect != "") != (tt.status == 500) || strings.Contains(w.Body.String(), "secret") {
				t.Errorf("defect %q, told: %s", rec.Defect, w.Body)
			}
		})
	}
}

func TestUnavailableTellsWhatAndWhen(t *testing.T) {
	tests := []struct {
		cooldown     time.Duration
		spread, want int
	}{
		{0, 0, 1}, {0, 1, 1}, {0, 2, 2}, {time.Nanosecond, 0, 1}, {4200 * ms, 0, 5}, {4200 * ms, 1, 6}, {5 * time.Second, 0, 5},
		{5 * time.Second, 2, 7}, {60 * time.Second, 1, 61}, {-time.Second, 0, 1},
	}
	for _, tt := range tests {
		e := newEdge(func(c *handlers.Config) { c.Spread = func() int { return tt.spread } })
		e.failing(&page.UnavailableError{RetryAfter: tt.cooldown, Dependencies: []page.FailedDependency{
			{Name: page.Price, Reason: page.BreakerOpen}, {Name: page.Stock, Reason: page.Timeout},
		}})
		w := e.get("/products/p")
		p := problemIn(t, w)
		if got := w.Header().Values("Retry-After"); len(got) != 1 || got[0] != strconv.Itoa(tt.want) || p.RetryAfter != tt.want {
			t.Errorf("%+v: %v and %d", tt, got, p.RetryAfter)
		}
		if got := fmt.Sprint(p.Dependencies); got != "[{price breaker_open} {stock timeout}]" {
			t.Errorf("dependencies: %s", got)
		}
	}
}

func TestRetryAfterIsSpread(t *testing.T) {
	e := newEdge(func(c *handlers.Config) { c.Spread = nil })
	e.failing(&page.UnavailableError{RetryAfter: 5 * time.Second})
	seen := map[int]bool{}
	for range 200 {
		seen[problemIn(t, e.get("/products/p")).RetryAfter] = true
	}
	if want := map[int]bool{5: true, 6: true, 7: true}; !maps.Equal(seen, want) {
		t.Errorf("told %v, want 5 s and 0 to 2 s more", seen)
	}
}

func TestPanicIsAProblem(t *testing.T) {
	for _, path := range []string{"/products/p", "/products/p/offer"} {
		e := newEdge()
		e.onPage = func(context.Context, *page.Query, *page.Record) (*page.Page, error) { panic("at 10.0.0.7:6379") }
		e.onOffer = func(context.Context, *page.Query, *page.Record) (page.Offer, error) { panic("at 10.0.0.7:6379") }
		w := e.get(path)
		p := problemIn(t, w)
		if w.Code != 500 || p.Type != "/problems/internal" || strings.Contains(w.Body.String(), "10.0.0.7") || strings.Contains(w.Body.String(), ".go") {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		rec := e.served(t)
		if rec.Result != page.Internal || rec.Status != 500 || !strings.Contains(rec.Defect, "10.0.0.7") || !strings.Contains(rec.Defect, "problem_test.go") {
			t.Errorf("%v, %d, defect %q", rec.Result, rec.Status, rec.Defect)
		}
	}
}

func TestAbortIsRespected(t *testing.T) {
	e := newEdge()
	e.onPage = func(context.Context, *page.Query, *page.Record) (*page.Page, error) { panic(http.ErrAbortHandler) }
	w := httptest.NewRecorder()
	if !aborts(func() { e.ServeHTTP(w, request(http.MethodGet, "/products/p")) }) || w.Body.Len() > 0 {
		t.Errorf("answered %d %s", w.Code, w.Body)
	}
	if rec := e.served(t); rec.Result != page.Internal {
		t.Errorf("%v", rec.Result)
	}
}

// breaksWriting is a connection that breaks in the middle of an answer.
type breaksWriting struct {
	*httptest.ResponseRecorder
	headers int
}

func (w *breaksWriting) WriteHeader(status int) {
	w.headers++
	w.ResponseRecorder.WriteHeader(status)
}

func (*breaksWriting) Write([]byte) (int, error) { panic("while writing") }

func TestPanicAfterTheHeadersAborts(t *testing.T) {
	e := newEdge()
	w := &breaksWriting{ResponseRecorder: httptest.NewRecorder()}
	if !aborts(func() { e.ServeHTTP(w, request(http.MethodGet, "/products/p")) }) || w.headers != 1 {
		t.Errorf("went on: %d headers", w.headers)
	}
	if rec := e.served(t); rec.Result != page.Internal || !strings.Contains(rec.Defect, "while writing") {
		t.Errorf("%v, defect %q", rec.Result, rec.Defect)
	}
}

func TestDefectsOutsideOfPagesAreLogged(t *testing.T) {
	var log bytes.Buffer
	e := newEdge(func(c *handlers.Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	aborts(func() {
		e.ServeHTTP(&breaksWriting{ResponseRecorder: httptest.NewRecorder()}, request(http.MethodGet, "/livez", "X-Request-Id", "r-1"))
	})
	for _, want := range []string{"level=ERROR", "r-1", "/livez", "while writing"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("lacks %s: %s", want, &log)
		}
	}
	log.Reset()
	e.failing(errors.New("broken")).get("/products/p")
	if log.Len() > 0 {
		t.Errorf("told in the record and again in the log: %s", &log)
	}
}
