package livecheck

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/internal/app"
	"example.com/bff/internal/world"
)

// environment gives calls seconds where production gives them tenths: a busy machine must not look like a broken
// downstream. Few places make it easy to shed, and to fill a bulkhead; few labels make scrapes cheap.
// Few calls of a short while open a breaker: on a slow machine a storm is a light one, and on a fast one the visitors'
// good calls of ten seconds would outweigh it.
var environment = []string{
	"BFF_DEADLINE=20s", "BFF_CLIENTS=web",
	"BFF_CATALOG_TIMEOUT=5s", "BFF_PRICE_TIMEOUT=5s", "BFF_STOCK_TIMEOUT=5s", "BFF_REVIEWS_TIMEOUT=5s", "BFF_RECOMMENDATIONS_TIMEOUT=5s",
	"BFF_CATALOG_BREAKER_COOLDOWN=300ms", "BFF_PRICE_BREAKER_COOLDOWN=300ms",
	"BFF_PRICE_BREAKER_MIN_CALLS=5", "BFF_RECOMMENDATIONS_BREAKER_MIN_CALLS=5",
	"BFF_PRICE_BREAKER_WINDOW=500ms", "BFF_RECOMMENDATIONS_BREAKER_WINDOW=500ms",
	"BFF_REVIEWS_HEDGE_AFTER=5ms", "BFF_RECOMMENDATIONS_BULKHEAD=2", "BFF_MAX_IN_FLIGHT=12",
}

// shop is two instances of the service, and the fakes behind them.
type shop struct {
	publics, admins []string // the instances' addresses
	fakes           *fakes.Server
	client          *http.Client
}

// openShop serves until the test ends.
func openShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{
		fakes: fakes.New(fakes.Options{Latency: func(downstream, _ string) time.Duration {
			if downstream == "reviews" {
				return 20 * time.Millisecond // long enough to be hedged
			}
			return 2 * time.Millisecond
		}}),
		client: &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 100}},
	}
	backend := httptest.NewServer(s.fakes)
	t.Cleanup(backend.Close)
	for range 2 {
		in := world.Loopback(t, slices.Concat(world.Before(backend.URL), environment), app.Options{
			Logger: slog.New(slog.DiscardHandler), Version: "live", Revision: "check",
		})
		s.admins, s.publics = append(s.admins, in.Admin), append(s.publics, in.Public)
	}
	t.Cleanup(s.client.CloseIdleConnections)
	return s
}

func (s *shop) fault(t *testing.T, downstream string, f fakes.Fault) {
	t.Helper()
	if err := s.fakes.Set(downstream, f); err != nil {
		t.Fatal(err)
	}
}

func (s *shop) heal(t *testing.T, downstream string) {
	t.Helper()
	if err := s.fakes.Clear(downstream); err != nil {
		t.Fatal(err)
	}
}
