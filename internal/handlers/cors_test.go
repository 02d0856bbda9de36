package handlers_test

import (
	"net/http"
	"testing"

	"example.com/bff/internal/handlers"
)

func withOrigins(origins ...string) func(*handlers.Config) {
	return func(c *handlers.Config) { c.CORSOrigins = origins }
}

func TestCORS(t *testing.T) {
	const shop, evil = "https://shop.example", "https://evil.example"
	tests := map[string]struct {
		origins []string
		origin  string
		allowed string
		vary    string
	}{
		"off":                 {nil, shop, "", vary},
		"listed":              {[]string{"http://localhost:8000", shop}, shop, shop, vary + ", Origin"},
		"not listed":          {[]string{shop}, evil, "", vary + ", Origin"},
		"a longer name":       {[]string{shop}, shop + ".evil.example", "", vary + ", Origin"},
		"another scheme":      {[]string{shop}, "http://shop.example", "", vary + ", Origin"},
		"null":                {[]string{shop}, "null", "", vary + ", Origin"},
		"no origin":           {[]string{shop}, "", "", vary + ", Origin"},
		"everybody":           {[]string{"*"}, evil, "*", vary},
		"everybody, no other": {[]string{"*"}, "", "*", vary},
	}
	for name, tt := range tests {
		for _, target := range []string{"/products/p", "/products/p/offer", "/products/%2F"} {
			h := newEdge(withOrigins(tt.origins...)).get(target, "Origin", tt.origin).Header()
			if got := h.Get("Access-Control-Allow-Origin"); got != tt.allowed || h.Get("Timing-Allow-Origin") != tt.allowed {
				t.Errorf("%s: %s allows %q", name, target, got)
			}
			if (h.Get("Access-Control-Expose-Headers") != "") != (tt.allowed != "") || h.Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("%s: %s: %v", name, target, h)
			}
			if got := h.Values("Vary"); len(got) != 1 || got[0] != tt.vary {
				t.Errorf("%s: %s varies by %q", name, target, got)
			}
		}
	}
}

func TestPreflight(t *testing.T) {
	const shop = "https://shop.example"
	for origin, allowed := range map[string]bool{shop: true, "https://evil.example": false} {
		e := newEdge(withOrigins(shop))
		w := e.do(http.MethodOptions, "/products/p", "Origin", origin,
			"Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "x-request-timeout-ms")
		h := w.Header()
		if w.Code != 204 || w.Body.Len() > 0 || h.Get("Vary") != "Origin" || h.Get("Allow") != "GET, HEAD, OPTIONS" ||
			h.Get("X-Request-Id") == "" || h.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %v", origin, w.Code, h)
		}
		want := map[string]string{
			"Access-Control-Allow-Origin":  origin,
			"Access-Control-Allow-Methods": "GET, HEAD",
			"Access-Control-Allow-Headers": "If-None-Match, Traceparent, Tracestate, X-Client, X-Client-Id, X-Market, X-Priority, X-Request-Deadline, X-Request-Id, X-Request-Timeout-Ms, Accept-Language",
			"Access-Control-Max-Age":       "600",
		}
		for name, value := range want {
			if !allowed {
				value = ""
			}
			if h.Get(name) != value {
				t.Errorf("%s: %s is %q", origin, name, h.Get(name))
			}
		}
		if e.calls.Load() != 0 || len(e.records) != 0 {
			t.Errorf("%s: counted as a page", origin)
		}
	}
}

func TestMethodsWithCORS(t *testing.T) {
	e := newEdge(withOrigins("*"))
	if w := e.do(http.MethodPost, "/products/p"); w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD, OPTIONS" {
		t.Errorf("POST: %d %v", w.Code, w.Header())
	}
	if w := e.do(http.MethodOptions, "/nothing"); w.Code != 404 {
		t.Errorf("OPTIONS of nothing: %d", w.Code)
	}
}
