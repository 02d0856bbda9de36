package handlers_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/bff/internal/page"
)

func TestHeadIsGetWithoutABody(t *testing.T) {
	for _, target := range []string{
		"/products/p", "/products/p/offer", "/products/%2F", "/nothing", "/livez", "/readyz", "/problems/", "/problems/internal",
	} {
		e := newEdge()
		get, head := e.get(target, "X-Request-Id", "r"), e.do(http.MethodHead, target, "X-Request-Id", "r")
		if get.Header().Get("Content-Length") == "" || get.Body.Len() == 0 {
			t.Errorf("GET %s: %v", target, get.Header())
		}
		get.Header().Del("Server-Timing")
		head.Header().Del("Server-Timing")
		if head.Code != get.Code || !maps.EqualFunc(head.Header(), get.Header(), equal) || head.Body.Len() > 0 {
			t.Errorf("HEAD %s: %d %v %q\nGET: %d %v", target, head.Code, head.Header(), head.Body, get.Code, get.Header())
		}
	}
}

func equal(a, b []string) bool { return strings.Join(a, "\n") == strings.Join(b, "\n") }

func TestOtherMethods(t *testing.T) {
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "FOO", "get"} {
		for _, target := range []string{"/products/p", "/products/p/offer", "/products/", "/livez", "/readyz", "/problems/", "/problems/internal"} {
			e := newEdge()
			w := e.do(method, target)
			if p := problemIn(t, w); w.Code != 405 || p.Type != "/problems/method-not-allowed" || w.Header().Get("Allow") != "GET, HEAD" {
				t.Errorf("%s %s: %d %v", method, target, w.Code, w.Header())
			}
			if e.calls.Load() != 0 || len(e.records) != 0 {
				t.Errorf("%s %s: %d calls, %d records", method, target, e.calls.Load(), len(e.records))
			}
		}
		if w := newEdge().do(method, "/nothing"); w.Code != 404 || w.Header().Get("Allow") != "" {
			t.Errorf("%s /nothing: %d", method, w.Code)
		}
	}
}

func TestBodies(t *testing.T) {
	for _, length := range []int64{-1, 1, 1 << 40} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			e := newEdge()
			r := httptest.NewRequest(method, "/products/p", strings.NewReader("x"))
			r.ContentLength = length
			w := httptest.NewRecorder()
			e.ServeHTTP(w, r)
			if rec := e.served(t); w.Code != 400 || rec.Result != page.Invalid || e.calls.Load() != 0 {
				t.Errorf("%s of %d bytes: %d, %v", method, length, w.Code, rec.Result)
			}
		}
	}
}

func TestAccept(t *testing.T) {
	tests := map[string]bool{
		"": true, "*/*": true, "application/*": true, "application/json": true, "APPLICATION/JSON": true, " application/json ; q=0.1": true,
		"application/json;charset=utf-8": true, "text/html, application/json;q=0.5": true, "text/html,application/xhtml+xml,*/*;q=0.8": true,
		"application/json;q=0, */*": false, "application/json;q=0.000": false, "*/*;q=0": false, "application/*;q=0, */*": false,
		"application/*;q=0, application/json": true, "*/*;q=0, application/json;q=0.001": true, "application/json, application/json;q=0": true,
		"text/html": false, "text/*": false, "application/xml": false, "application/problem+json": false, "image/webp, text/html;q=1": false,
		"text/html, *; q=.2": true, "json": true, ";;;": true, "q=0": true, ", ,": true, "text/html, %%%": false, "/": true,
		"application/json;q=x": true, "application/json;q=-1": true, "application/json;q=7": true, "application/json;q=": true, "application/json; Q=0": false,
		"application/json;q=NaN": true, "application/json; v=1; q=0": false, "application/json;q=0, application/*": false,
	}
	for accept, want := range tests {
		for _, target := range []string{"/products/p", "/products/p/offer"} {
			e := newEdge()
			w := e.get(target, "Accept", accept)
			if got := w.Code == http.StatusOK; got != want {
				t.Errorf("%s with %q: %d", target, accept, w.Code)
			}
			if rec := e.served(t); !want && (problemIn(t, w).Type != "/problems/not-acceptable" || w.Code != 406 || rec.Result != page.Invalid || e.calls.Load() != 0) {
				t.Errorf("%s with %q: %d %v", target, accept, w.Code, rec.Result)
			}
		}
	}
	if w := newEdge().get("/products/p"); w.Code != http.StatusOK {
		t.Errorf("without Accept: %d", w.Code)
	}
	if w := newEdge().get("/products/p", "Accept", "text/html", "Accept", "application/json"); w.Code != http.StatusOK {
		t.Errorf("in two lines: %d", w.Code)
	}
}
