package slo_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"example.com/bff/internal/world"
)

// flood asks the whole service for n ids, half as many unknown paths and a quarter as many invented methods, each from a
// client and for a market of its own.
func flood(t *testing.T, w *world.World, n int) {
	t.Helper()
	ask := func(method, path string, i int, status int) {
		word := fmt.Sprintf("x-%d", i)
		a := w.Do(context.Background(), method, world.Public, path, "X-Client", word, "X-Market", word, "X-Priority", word,
			"X-Request-Id", word, "User-Agent", word, "Traceparent", fmt.Sprintf("00-%032x-%016x-01", i+1, i+1))
		if a.Status != status {
			t.Fatalf("%s %s is answered with %d (%v)", method, path, a.Status, a.Err)
		}
	}
	for i := range n {
		ask(http.MethodGet, fmt.Sprintf("/products/p-%d", i), i, http.StatusOK)
	}
	for i := range n / 2 {
		ask(http.MethodGet, fmt.Sprintf("/unknown-%d", i), i, http.StatusNotFound)
	}
	for i := range n / 4 {
		ask(fmt.Sprintf("INVENTED%d", i), "/products/p", i, http.StatusMethodNotAllowed)
	}
}

// TestNoCallerAddsASeries scrapes the service as Prometheus does: nothing that a caller can say is in a label.
func TestNoCallerAddsASeries(t *testing.T) {
	scraped := func(n int) (m world.Metrics) {
		synctest.Test(t, func(t *testing.T) {
			w := world.Setup{Env: []string{"BFF_CLIENTS=web", "BFF_MARKETS=de"}, Quiet: true}.Start(t)
			w.Scrape() // the scrape counts itself from the second on
			flood(t, w, n)
			m = w.Scrape()
		})
		return m
	}
	small, large := scraped(4), scraped(2000)
	for name := range large {
		if _, there := small[name]; !there {
			t.Errorf("only a large run has %s", name)
		}
		if strings.Contains(name, "x-1") || strings.Contains(name, "INVENTED") || strings.Contains(name, "unknown-") {
			t.Errorf("a caller named %s", name)
		}
	}
	if len(small) != len(large) || len(large) < 1000 {
		t.Errorf("%d series after a small run, %d after a large one", len(small), len(large))
	}
	if n := large.Sum("bff_page_requests_total", `client="other"`, `market="other"`, `outcome="full"`); n != 2000 {
		t.Errorf("%v pages of strangers are counted, want 2000", n)
	}
}
