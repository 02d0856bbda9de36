package world_test

import (
	"net/http"
	"testing"

	"example.com/bff/internal/world"
)

const crawler = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"

// Which priority a request has shows in what counts it when all are refused.
func TestAPriorityIsLoweredByAnybodyAndRaisedByTrustedPeersAlone(t *testing.T) {
	const page, offer = "/products/p-1", "/products/p-1/offer"
	tests := []struct {
		path              string
		header            []string
		stranger, trusted string
	}{
		{page, nil, "default", "default"},
		{offer, nil, "critical", "critical"},
		{page, []string{"X-Priority", "critical"}, "default", "critical"},
		{page, []string{"X-Priority", "background"}, "background", "background"},
		{offer, []string{"X-Priority", "default"}, "default", "default"},
		{offer, []string{"X-Priority", "background"}, "background", "background"},
		{page, []string{"X-Priority", "highest"}, "default", "default"},
		{page, []string{"X-Priority", "CRITICAL"}, "default", "default"},
		{page, []string{"X-Priority", "critical", "X-Priority", "background"}, "default", "default"},
		{page, []string{"User-Agent", crawler}, "background", "background"},
		{offer, []string{"User-Agent", crawler}, "background", "background"},
		{page, []string{"User-Agent", crawler, "X-Priority", "critical"}, "background", "critical"},
		{page, []string{"X-Forwarded-For", "127.0.0.1", "X-Priority", "critical"}, "default", "critical"},
	}
	for peers, trusted := range map[string]bool{"10.0.0.0/8": false, "127.0.0.1": true} {
		bubble(t, func(t *testing.T) {
			w := world.Start(t, "BFF_TRUSTED_PROXIES="+peers)
			lever(t, w, http.MethodPut, "shed", `{"percent":100,"priority":"critical","for":"1h","reason":"r"}`)
			for _, tt := range tests {
				expected := tt.stranger
				if trusted {
					expected = tt.trusted
				}
				before := w.Scrape()
				want(t, w.Get(tt.path, tt.header...), 503)
				after := w.Scrape()
				for _, name := range []string{"background", "default", "critical"} {
					shed := `bff_shed_total{priority="` + name + `",reason="override"}`
					if counted := after[shed] - before[shed]; counted == 1 != (name == expected) {
						t.Errorf("%s %q from %s: counted %v times as %s, and is %s", tt.path, tt.header, peers, counted, name, expected)
					}
				}
			}
		})
	}
}

func TestHealthAndMetricsAreNeverShed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t, "BFF_MAX_IN_FLIGHT=1", "BFF_RATE_LIMIT=0.001/s,burst=1")
		lever(t, w, http.MethodPut, "shed", `{"percent":100,"priority":"critical","for":"1h","reason":"r"}`)
		want(t, w.Get("/products/p-1"), 503)
		want(t, w.Get("/products/p-1"), 429)
		for host, paths := range map[string][]string{
			world.Public: {"/livez", "/readyz", "/problems/overloaded"},
			world.Admin:  {"/livez", "/readyz", "/metrics", "/slo", "/override"},
		} {
			for _, path := range paths {
				for _, a := range w.All(3, func(int) world.Answer { return w.Do(t.Context(), http.MethodGet, host, path, "User-Agent", crawler) }) {
					want(t, a, 200)
				}
			}
		}
	})
}
