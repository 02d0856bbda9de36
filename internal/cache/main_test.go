package cache_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"example.com/bff/internal/cache"
	"example.com/bff/internal/page"
	"example.com/bff/internal/redistest"
)

const staleFor = 15 * time.Minute

func TestMain(m *testing.M) {
	code := withCertificates(m)
	if code == 0 {
		code = reportLeaks()
	}
	os.Exit(code)
}

// reportLeaks is patient: go-redis ends the goroutine that looks for a dead server up to a second after Close.
func reportLeaks() int {
	var err error
	for range 30 {
		if err = goleak.Find(); err == nil {
			return 0
		}
		time.Sleep(100 * time.Millisecond)
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

func key(id, variant string) cache.Key {
	parsed, err := page.ParseID(id)
	if err != nil {
		panic(err)
	}
	return cache.Key{ID: parsed, Variant: variant}
}

func price(amount string, asOf time.Time) page.ShownPrice {
	q, err := page.NewQuote(amount, "EUR", asOf)
	if err != nil {
		panic(err)
	}
	return q.Shown()
}

// shown is what a page would show of p.
func shown(p page.ShownPrice) string {
	whole := string((&page.Page{Price: page.StalePrice(p, page.Timeout, p.AsOf())}).AppendJSON(nil))
	_, fromPrice, _ := strings.Cut(whole, `"price":`)
	section, _, _ := strings.Cut(fromPrice, `,"stale"`)
	return section
}

// recall asks again when no answer came in time: on a machine that stands still for half a second, Redis seems slow.
func recall(t *testing.T, s cache.Store, k cache.Key) (p page.ShownPrice, result page.MemoryResult) {
	t.Helper()
	redistest.Eventually(t, "an answer comes in time", func() bool {
		p, result = s.Recall(t.Context(), k)
		return result != page.MemoryTimeout
	})
	return p, result
}

func wantHit(t *testing.T, s cache.Store, k cache.Key, want page.ShownPrice) {
	t.Helper()
	got, result := recall(t, s, k)
	if result != page.MemoryHit || shown(got) != shown(want) {
		t.Errorf("Recall = %v %s, want hit %s", result, shown(got), shown(want))
	}
}

func wantResult(t *testing.T, s cache.Store, k cache.Key, want page.MemoryResult) {
	t.Helper()
	if _, got := recall(t, s, k); got != want {
		t.Errorf("Recall = %v, want %v", got, want)
	}
}

func hits(t *testing.T, s cache.Store, k cache.Key) func() bool {
	return func() bool {
		_, result := s.Recall(t.Context(), k)
		return result == page.MemoryHit
	}
}

// counts is an Observer.
type counts struct {
	mu sync.Mutex
	n  [page.NumMemoryOps][page.NumMemoryResults]int
}

func (c *counts) PriceMemory(op page.MemoryOp, r page.MemoryResult) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n[op][r]++
}

func (c *counts) of(op page.MemoryOp, results ...page.MemoryResult) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	sum := 0
	for _, r := range results {
		sum += c.n[op][r]
	}
	return sum
}

func (c *counts) all(op page.MemoryOp) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	sum := 0
	for _, n := range c.n[op] {
		sum += n
	}
	return sum
}

func within(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}
