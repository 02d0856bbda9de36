package fakes_test

import (
	"testing"

	"example.com/bff/fakes"
)

func TestPagesOfThisMachineMayUseTheControls(t *testing.T) {
	inBubble(t, fakes.Options{}, func(t *testing.T, w world) {
		for origin, allowed := range map[string]bool{
			"http://localhost:8000": true, "http://127.0.0.1:8000": true, "https://127.9.9.9": true, "http://[::1]:3000": true,
			"http://example.com": false, "http://127.0.0.1.example.com": false, "http://localhost.example.com": false,
			"file://localhost": false, "null": false, "": false, "http://10.0.0.1": false, "http://user@example.com:80#localhost": false,
		} {
			want := ""
			if allowed {
				want = origin
			}
			for method, path := range map[string]string{"GET": "/_stats", "PUT": "/_fault/price", "DELETE": "/_fault/price", "OPTIONS": "/_fault/price"} {
				a := w.do(t.Context(), method, path, `{}`, "Origin", origin)
				equal(t, method+" for "+origin, a.header.Get("Access-Control-Allow-Origin"), want)
				equal(t, "Vary", a.header.Get("Vary"), "Origin")
			}
		}
		for _, path := range []string{"/_fault/price", "/_stats"} {
			a := w.do(t.Context(), "OPTIONS", path, "", "Origin", "http://localhost:8000", "Access-Control-Request-Method", "PUT")
			equal(t, "preflight", a.status, 204)
			contains(t, "methods", a.header.Get("Access-Control-Allow-Methods"), "GET", "PUT", "DELETE")
			equal(t, "headers", a.header.Get("Access-Control-Allow-Headers"), "Content-Type")
		}
		equal(t, "data for pages", w.get("/price/p-1", "Origin", "http://localhost:8000").header.Get("Access-Control-Allow-Origin"), "")
	})
}

func TestUnknownDownstreamsHaveNoFaults(t *testing.T) {
	inBubble(t, fakes.Options{}, func(t *testing.T, w world) {
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			a := w.do(t.Context(), method, "/_fault/prize", `{}`)
			equal(t, method, a.status, 404)
			contains(t, method, a.body, "catalog, price, stock, reviews, recommendations")
		}
	})
}
