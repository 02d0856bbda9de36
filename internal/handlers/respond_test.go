package handlers_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/internal/handlers"
	"example.com/bff/internal/page"
)

const vary = "Accept, Accept-Language, X-Market"

func TestFullPage(t *testing.T) {
	e := newEdge()
	w := e.get("/products/p")
	h := w.Header()
	for name, want := range map[string]string{
		"Content-Type": "application/json", "Cache-Control": "private, no-cache", "Vary": vary, "X-Degraded": "",
		"X-Content-Type-Options": "nosniff", "Retry-After": "", "Connection": "",
	} {
		if got := h.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	id, _ := page.ParseID("p")
	body, etag := full(id).AppendJSONWithETag(nil)
	if w.Code != 200 || w.Body.String() != string(body) || h.Get("Etag") != etag {
		t.Errorf("%d %v %s", w.Code, h, w.Body)
	}
	if rec := e.served(t); rec.Result != page.Full || rec.Status != 200 || !rec.HasNotes || rec.Resource != page.PageResource {
		t.Errorf("%+v", rec)
	}
}

func TestDegradedPage(t *testing.T) {
	e := newEdge(func(c *handlers.Config) { c.PageCacheControl = "public, max-age=5" })
	e.onPage = isDegraded
	w := e.get("/products/p", "If-None-Match", "*")
	h := w.Header()
	if w.Code != 200 || h.Get("X-Degraded") != "price, recommendations" || h.Get("Cache-Control") != "no-store" || h.Get("Etag") != "" || h.Get("Vary") != vary {
		t.Errorf("%d %v", w.Code, h)
	}
	rec := e.served(t)
	if rec.Result != page.Degraded || rec.Notes[page.Price].Status != page.StatusStale || !rec.HasNotes {
		t.Errorf("%+v", rec)
	}
}

func TestOffer(t *testing.T) {
	e := newEdge()
	offer := e.onOffer
	e.onOffer = func(ctx context.Context, q *page.Query, rec *page.Record) (page.Offer, error) {
		if !q.Offer {
			t.Error("not asked as an offer")
		}
		return offer(ctx, q, rec)
	}
	w := e.get("/products/p/offer", "If-None-Match", "*")
	h := w.Header()
	if w.Code != 200 || h.Get("Cache-Control") != "no-store" || h.Get("Etag") != "" || h.Get("Content-Type") != "application/json" || h.Get("Vary") != vary {
		t.Errorf("%d %v", w.Code, h)
	}
	if want := `{"id":"p","price":{"amount":"129.90"`; !strings.HasPrefix(w.Body.String(), want) {
		t.Errorf("%s", w.Body)
	}
	if rec := e.served(t); rec.Result != page.Full || rec.Resource != page.OfferResource || rec.Priority != page.Critical {
		t.Errorf("%+v", rec)
	}
}

func TestNotModified(t *testing.T) {
	etag := newEdge().get("/products/p").Header().Get("Etag")
	strong := strings.TrimPrefix(etag, "W/")
	tests := map[string]bool{
		etag: true, strong: true, "*": true, ` "x" , ` + etag: true, `W/"x",` + strong + `,"y"`: true, `"a,b", ` + etag: true,
		" *": true,
		"":   false, `"x"`: false, `W/"x"`: false, strings.Trim(strong, `"`): false, `"` + etag + `"`: false, strings.TrimSuffix(etag, `"`): false,
		`"x" *`: false, `junk, ` + etag: false, `w/` + strong: false, strings.ToUpper(etag): false, `"`: false, `W/`: false, ",,,": false,
	}
	for header, want := range tests {
		e := newEdge(func(c *handlers.Config) { c.PageCacheControl = "private, max-age=5" })
		w := e.get("/products/p", "If-None-Match", header)
		rec := e.served(t)
		if !want {
			if w.Code != 200 || rec.Result != page.Full {
				t.Errorf("%s: %d, %v", header, w.Code, rec.Result)
			}
			continue
		}
		h := w.Header()
		if w.Code != 304 || w.Body.Len() > 0 || rec.Result != page.NotModified || rec.Status != 304 {
			t.Errorf("%s: %d %s, %v", header, w.Code, w.Body, rec.Result)
		}
		if h.Get("Etag") != etag || h.Get("Cache-Control") != "private, max-age=5" || h.Get("Vary") != vary || h.Get("Content-Length") != "" || h.Get("Content-Type") != "" {
			t.Errorf("%s: %v", header, h)
		}
	}
	if w := newEdge().get("/products/p", "If-None-Match", `"x"`, "If-None-Match", etag); w.Code != 304 {
		t.Errorf("in the second line: %d", w.Code)
	}
}

func TestServerTiming(t *testing.T) {
	calls := func(rec *page.Record) {
		rec.Calls[page.Catalog] = page.Call{Asked: true, Duration: 12_449 * time.Microsecond}
		rec.Calls[page.Price] = page.Call{Asked: true, Outcome: page.BreakerOpen, Duration: 40 * time.Microsecond}
		rec.Calls[page.Stock] = page.Call{Duration: time.Second}
		time.Sleep(20 * ms)
	}
	const want = `catalog;dur=12.4;desc="ok", price;dur=0.0;desc="breaker_open", total;dur=20.0`
	synctest.Test(t, func(t *testing.T) {
		for _, on := range []bool{true, false} {
			for _, err := range []error{nil, unavailable} {
				e := newEdge(func(c *handlers.Config) { c.ServerTiming = on })
				e.onPage = func(_ context.Context, q *page.Query, rec *page.Record) (*page.Page, error) {
					calls(rec)
					return full(q.ID), err
				}
				if got := e.get("/products/p").Header().Get("Server-Timing"); got != want && on || got != "" && !on {
					t.Errorf("%v: %s", on, got)
				}
			}
		}
		if got := newEdge().get("/livez").Header().Get("Server-Timing"); got != "" {
			t.Errorf("health: %s", got)
		}
	})
}

// TestBodiesDoNotMix is for the race detector as much as for itself: memory is used again.
func TestBodiesDoNotMix(t *testing.T) {
	e := newEdge()
	var wg sync.WaitGroup
	for range 8 {
		for _, id := range []string{"a", "bb", "ccc", strings.Repeat("d", 60)} {
			wg.Go(func() {
				for range 10 {
					if w := e.get("/products/" + id); !strings.HasPrefix(w.Body.String(), `{"id":"`+id+`",`) {
						t.Errorf("%s: %s", id, w.Body)
					}
				}
			})
		}
	}
	wg.Wait()
}

// keepsReading is a connection that was reset, whose writer is still at the bytes it was given.
type keepsReading struct {
	*httptest.ResponseRecorder
	given []byte
}

func (w *keepsReading) Write(b []byte) (int, error) {
	w.given = b
	return 0, errors.New("stream closed")
}

func TestBodyOfAFailedWriteIsNotUsedAgain(t *testing.T) {
	e := newEdge()
	for range 20 { // a pool may forget what it was given
		w := &keepsReading{ResponseRecorder: httptest.NewRecorder()}
		e.ServeHTTP(w, request(http.MethodGet, "/products/first"))
		if e.get("/products/other"); !strings.HasPrefix(string(w.given), `{"id":"first"`) {
			t.Fatalf("became %s", w.given)
		}
	}
}

func BenchmarkPage(b *testing.B) {
	e := newEdge(func(c *handlers.Config) { c.Served = nil })
	r := request(http.MethodGet, "/products/p-1001", "User-Agent", "Mozilla/5.0 (X11; Linux x86_64)", "Accept", "application/json")
	b.ReportAllocs()
	for b.Loop() {
		e.ServeHTTP(httptest.NewRecorder(), r)
	}
}
