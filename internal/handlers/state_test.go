package handlers_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"example.com/bff/internal/handlers"
	"example.com/bff/internal/page"
)

func TestLife(t *testing.T) {
	e := newEdge()
	steps := []struct {
		do                   func()
		state                handlers.State
		connection           string
		livez, readyz, pages int
	}{
		{func() {}, handlers.Serving, "", 200, 200, 200},
		{e.Drain, handlers.Draining, "close", 200, 503, 200},
		{e.Drain, handlers.Draining, "close", 200, 503, 200},
		{e.Stop, handlers.Stopped, "close", 200, 503, 503},
		{e.Drain, handlers.Stopped, "close", 200, 503, 503},
	}
	for _, s := range steps {
		s.do()
		if e.State() != s.state {
			t.Fatalf("%v, want %v", e.State(), s.state)
		}
		for path, status := range map[string]int{
			"/livez": s.livez, "/readyz": s.readyz, "/products/p": s.pages, "/products/p/offer": s.pages, "/nothing": 404,
		} {
			w := e.get(path)
			if w.Code != status || w.Header().Get("Connection") != s.connection {
				t.Errorf("%v: %s: %d %v", s.state, path, w.Code, w.Header())
			}
			if status != http.StatusServiceUnavailable {
				continue
			}
			if p := problemIn(t, w); p.Type != "/problems/shutting-down" || p.RetryAfter != 1 {
				t.Errorf("%v: %s: %+v", s.state, path, p)
			}
		}
		for range 2 {
			if rec := <-e.records; (rec.Result == page.Shed) != (s.state == handlers.Stopped) || rec.Shed != page.NotShed {
				t.Errorf("%v: %v, %v", s.state, rec.Result, rec.Shed)
			}
		}
	}
	if calls := e.calls.Load(); calls != 6 {
		t.Errorf("%d calls", calls)
	}
}

func TestHealthOnAnotherListener(t *testing.T) {
	e := newEdge()
	mux := http.NewServeMux()
	mux.Handle("/livez", e.Livez())
	mux.Handle("/readyz", e.Readyz())
	e.Drain()
	for path, status := range map[string]int{"/livez": 200, "/readyz": 503} {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, request(http.MethodGet, path))
		if w.Code != status || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %v", path, w.Code, w.Header())
		}
	}
}
