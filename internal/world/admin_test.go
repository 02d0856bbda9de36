package world_test

import (
	"context"
	"net/http"
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
