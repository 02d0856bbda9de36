package world_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/bff/internal/world"
)

// Scrapes are few at once: the places of those whose scraper does not read must come free again.
func TestAScraperThatDoesNotReadIsCutOff(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t)
		for range 4 {
			dialTo(t, w, world.Admin, "GET /metrics HTTP/1.1\r\nHost: admin\r\n\r\n")
		}
		scrape := func() world.Answer { return w.Do(context.Background(), http.MethodGet, world.Admin, "/metrics") }
		time.Sleep(time.Second)
		want(t, scrape(), 503)
		time.Sleep(10 * time.Second)
		want(t, scrape(), 200)
	})
}

func TestAProfileMayTakeLongerThanAnAnswer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t)
		a := w.Do(context.Background(), http.MethodGet, world.Admin, "/debug/pprof/goroutine?seconds=40")
		want(t, a, 200)
		if a.Took != 40*time.Second || len(a.Body) == 0 {
			t.Errorf("%d bytes after %v", len(a.Body), a.Took)
		}
	})
}

func TestEveryAdminRouteTellsWhichMethodsItKnows(t *testing.T) {
	allowed := map[string]string{"/override": "GET, HEAD", "/override/stock": "DELETE, PUT"}
	for _, path := range []string{
		"/", "/livez", "/readyz", "/metrics", "/slo", "/ops", "/ops/events", "/debug/pprof/", "/debug/pprof/heap", "/debug/pprof/cmdline",
		"/debug/pprof/profile", "/debug/pprof/symbol", "/debug/pprof/trace",
	} {
		allowed[path] = "GET, HEAD"
	}
	bubble(t, func(t *testing.T) {
		w := world.Start(t)
		for path, allow := range allowed {
			for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "FOO", "get"} {
				if strings.Contains(allow, method) {
					continue
				}
				a := w.Do(context.Background(), method, world.Admin, path)
				if a.Status != 405 || a.Header.Get("Allow") != allow || a.Header.Get("Content-Type") != "application/problem+json" {
					t.Errorf("%s %s: %d %v", method, path, a.Status, a.Header)
				}
			}
		}
		want(t, w.Do(context.Background(), "POST", world.Admin, "/nothing"), 404)
	})
}
