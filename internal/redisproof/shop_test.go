// Package redisproof is the whole service with a real Redis: instances over TCP, the fakes behind them, and a proxy that
// makes trouble. It proves what only the whole can show of an optional store: that it is shared and survives, and that
// healthy pages do not notice it, whatever is wrong with it.
package redisproof

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/internal/world"
)

// environment gives calls seconds where production gives them tenths: a busy machine must not look like a broken
// downstream. The price's breaker is kept out of what is measured.
var environment = []string{
	"BFF_DEADLINE=20s", "BFF_LOG_SAMPLE=0",
	"BFF_CATALOG_TIMEOUT=8s", "BFF_PRICE_TIMEOUT=8s", "BFF_STOCK_TIMEOUT=8s", "BFF_REVIEWS_TIMEOUT=8s", "BFF_RECOMMENDATIONS_TIMEOUT=8s",
	"BFF_PRICE_BREAKER_MIN_CALLS=1000000",
}

// shop is the five downstreams, over TCP.
type shop struct {
	fakes *fakes.Server
	env   []string // of an instance that asks them

	mu       sync.Mutex
	arrivals map[string][]time.Time // of requests for a price, by path
}

func openShop(t *testing.T) *shop {
	s := &shop{
		fakes:    fakes.New(fakes.Options{Latency: func(string, string) time.Duration { return time.Millisecond }}),
		arrivals: map[string][]time.Time{},
	}
	backend := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(backend.Close)
	s.env = slices.Concat(world.Before(backend.URL), environment)
	return s
}

func (s *shop) serve(w http.ResponseWriter, r *http.Request) {
	if id, ok := strings.CutPrefix(r.URL.Path, "/price/"); ok {
		s.mu.Lock()
		s.arrivals[id] = append(s.arrivals[id], time.Now())
		s.mu.Unlock()
	}
	s.fakes.ServeHTTP(w, r)
}

// asked tells when a product's price was asked for.
func (s *shop) asked(id string) []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.arrivals[id])
}

func (s *shop) fault(t *testing.T, downstream string, f fakes.Fault) {
	t.Helper()
	if err := s.fakes.Set(downstream, f); err != nil {
		t.Fatal(err)
	}
}

// priceFails answers each question for a price with an error that no retry mends.
func (s *shop) priceFails(t *testing.T) {
	s.fault(t, "price", fakes.Fault{Status: http.StatusInternalServerError})
}

func (s *shop) priceIsBack(t *testing.T) { s.fault(t, "price", fakes.Fault{}) }

func product(kind string, i int) string { return kind + "-" + strconv.Itoa(i) }
