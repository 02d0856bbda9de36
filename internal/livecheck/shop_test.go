package livecheck

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/internal/app"
	"example.com/bff/internal/config"
)

// environment gives calls seconds where production gives them tenths: a busy machine must not look like a broken
// downstream. Few places make it easy to shed, and to fill a bulkhead; few labels make scrapes cheap.
// Few calls of a short while open a breaker: on a slow machine a storm is a light one, and on a fast one the visitors'
// good calls of ten seconds would outweigh it.
var environment = []string{
	"BFF_ADDR=127.0.0.1:0", "BFF_ADMIN_ADDR=127.0.0.1:0", "BFF_DEADLINE=20s", "BFF_CLIENTS=web",
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
	env := slices.Clone(environment)
	for _, name := range fakes.Names() {
		env = append(env, "BFF_"+strings.ToUpper(name)+"_URL="+backend.URL+"/"+name+"/{id}")
	}
	for range 2 {
		s.startInstance(t, env)
	}
	t.Cleanup(s.client.CloseIdleConnections)
	return s
}

func (s *shop) startInstance(t *testing.T, env []string) {
	t.Helper()
	cfg, err := config.Load(env)
	if err != nil {
		t.Fatal(err)
	}
	listening := make(chan string, 2)
	service, err := app.New(cfg, app.Options{
		Logger: slog.New(slog.DiscardHandler), Version: "live", Revision: "check",
		Latency: func() time.Duration { return 0 }, // a busy machine must not look like distress
		Listen: func(network, address string) (net.Listener, error) {
			l, err := net.Listen(network, address)
			if err == nil {
				listening <- l.Addr().String()
			}
			return l, err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- service.Run(ctx, nil) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("an instance ended with: %v", err)
		}
	})
	for _, addresses := range []*[]string{&s.admins, &s.publics} { // the order in which Run listens
		select {
		case address := <-listening:
			*addresses = append(*addresses, address)
		case err := <-ended:
			t.Fatal(err)
		}
	}
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
