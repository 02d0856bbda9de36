package handlers_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"example.com/bff/internal/handlers"
	"example.com/bff/internal/page"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	ms       = time.Millisecond
	deadline = 450 * ms
)

// edge is the public handler over fakes: funcs stand for what it asks, and it keeps what it was told.
type edge struct {
	*handlers.Handlers
	http.Handler
	onPage  func(context.Context, *page.Query, *page.Record) (*page.Page, error)
	onOffer func(context.Context, *page.Query, *page.Record) (page.Offer, error)
	calls   atomic.Int32
	records chan *page.Record
}

func (e *edge) Page(ctx context.Context, q *page.Query, rec *page.Record) (*page.Page, error) {
	e.calls.Add(1)
	return e.onPage(ctx, q, rec)
}

func (e *edge) Offer(ctx context.Context, q *page.Query, rec *page.Record) (page.Offer, error) {
	e.calls.Add(1)
	return e.onOffer(ctx, q, rec)
}

// newEdge answers every page in full and every offer, unless changed.
func newEdge(changes ...func(*handlers.Config)) *edge {
	e := &edge{
		onPage: func(_ context.Context, q *page.Query, _ *page.Record) (*page.Page, error) { return full(q.ID), nil },
		onOffer: func(_ context.Context, q *page.Query, _ *page.Record) (page.Offer, error) {
			return page.NewOffer(q.ID, quote(), page.Answered(page.NewAvailability(true, 7))), nil
		},
		records: make(chan *page.Record, 1000),
	}
	c := handlers.Config{
		Pages: e, Deadline: deadline, Served: func(_ context.Context, r *page.Record) { e.records <- r },
		Clients: []string{"web", "mobile"}, Markets: []string{"de"}, Vary: []string{"Accept-Language", "x-market"},
		ServerTiming: true, Spread: func() int { return 0 },
	}
	for _, change := range changes {
		change(&c)
	}
	e.Handlers = handlers.New(c)
	e.Handler = e.Public()
	return e
}

// served is the one record that was told; there must be exactly one.
func (e *edge) served(t testing.TB) *page.Record {
	t.Helper()
	if n := len(e.records); n != 1 {
		t.Fatalf("Served was called %d times", n)
	}
	return <-e.records
}

// do sends one request; header is name, value, name, value.
func (e *edge) do(method, target string, header ...string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	e.ServeHTTP(w, request(method, target, header...))
	return w
}

func (e *edge) get(target string, header ...string) *httptest.ResponseRecorder {
	return e.do(http.MethodGet, target, header...)
}

func request(method, target string, header ...string) *http.Request {
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	return r
}

// failing makes every page and every offer end in err.
func (e *edge) failing(err error) *edge {
	e.onPage = func(context.Context, *page.Query, *page.Record) (*page.Page, error) { return nil, err }
	e.onOffer = func(context.Context, *page.Query, *page.Record) (page.Offer, error) { return page.Offer{}, err }
	return e
}

func quote() page.Quote {
	q, err := page.NewQuote("129.90", "EUR", time.UnixMilli(1_780_000_000_123))
	if err != nil {
		panic(err)
	}
	return q
}

func full(id page.ID) *page.Page {
	return &page.Page{
		ID: id, Product: page.Product(`{"id":"p","name":"Lamp"}`), Price: page.LivePrice(quote()),
		Stock: page.Answered(page.NewAvailability(true, 7)), Reviews: page.Have(page.ReviewSummary(`{}`)),
		Recommendations: page.Have(page.Items(`[]`)),
	}
}

func degraded(id page.ID) *page.Page {
	p := full(id)
	p.Price = page.StalePrice(quote().Shown(), page.Timeout, time.UnixMilli(1_780_000_061_357))
	p.Recommendations = page.Missing[page.Items](page.BreakerOpen)
	return p
}

// problem is a problem document.
type problem struct {
	Type, Title, Detail, Instance, RequestID string
	Status, RetryAfter                       int
	Dependencies                             []struct{ Name, Reason string }
}

// problemIn reads w's problem, and checks what holds for every one of them.
func problemIn(t testing.TB, w *httptest.ResponseRecorder) problem {
	t.Helper()
	h := w.Header()
	if got := h.Get("Content-Type"); got != "application/problem+json" {
		t.Fatalf("%d is %s: %s", w.Code, got, w.Body)
	}
	var p problem
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
		t.Fatalf("%v: %s", err, w.Body)
	}
	if p.Status != w.Code || p.RequestID != h.Get("X-Request-Id") || p.RequestID == "" || p.Title == "" || p.Detail == "" {
		t.Errorf("the answer was %d with %v, its problem says %+v", w.Code, h, p)
	}
	if h.Get("Cache-Control") != "no-store" || h.Get("Etag") != "" || h.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("a problem with %v", h)
	}
	return p
}
