package cache_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/bff/internal/cache"
	"example.com/bff/internal/page"
)

func newMemory(maxBytes int, o cache.Observer) *cache.Memory {
	return cache.NewMemory(cache.MemoryOptions{MaxBytes: maxBytes, StaleFor: staleFor, Observer: o})
}

func TestMemoryDropsLeastRecentlyUsed(t *testing.T) {
	m := newMemory(3000, new(counts))
	p := price("1", time.Now())
	used := key("used", "")
	m.Remember(used, p)
	for i := range 100 {
		m.Remember(key(fmt.Sprint("other-", i), ""), p)
		wantHit(t, m, used, p)
	}
	wantHit(t, m, key("other-99", ""), p)
	wantResult(t, m, key("other-0", ""), page.MemoryMiss)
}

// An entry over the limit is not kept, and pushes nothing out for good.
func TestMemoryEntryOverLimit(t *testing.T) {
	m := newMemory(1000, new(counts))
	p := price("1", time.Now())
	m.Remember(key("p", strings.Repeat("x", 1000)), p)
	wantResult(t, m, key("p", strings.Repeat("x", 1000)), page.MemoryMiss)
	m.Remember(key("p", ""), p)
	wantHit(t, m, key("p", ""), p)
}

// MaxBytes is about this process's memory, so that is what is measured: with short keys and long ones, new and renewed,
// prices and absences, whose strings are parts of large requests.
func TestMemoryBytesAreBounded(t *testing.T) {
	const maxBytes = 1 << 20
	filler := strings.Repeat("x", 4000)
	variants := map[string]int{"short": 0, "long": 500, "rounded up": 1020}
	for name, size := range variants {
		t.Run(name, func(t *testing.T) {
			m := newMemory(maxBytes, new(counts))
			before := heap()
			for i := range 10_000 {
				request := fmt.Sprintf("%s%06d", filler, i)
				k := key(request[4000:], request[4000-size:])
				m.Remember(k, price("1234567.89", time.Now()))
				if i%3 == 0 {
					m.Forget(k, time.Now())
				}
			}
			grown := heap() - before
			runtime.KeepAlive(m)
			if grown > maxBytes || grown < maxBytes/2 {
				t.Errorf("%d bytes for a limit of %d", grown, maxBytes)
			}
		})
	}
}

func heap() int {
	runtime.GC()
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int(s.HeapAlloc)
}

// For the race detector, and for the rule that a reader sees time go forwards only.
func TestMemoryConcurrency(t *testing.T) {
	m := newMemory(2000, new(counts))
	start := time.Now()
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			var last time.Time
			for i := range 2000 {
				k := key(fmt.Sprint("p-", i%3), "")
				m.Remember(k, price("1", start.Add(time.Duration(i+g)*time.Millisecond)))
				if p, result := m.Recall(t.Context(), key("p-0", "")); result == page.MemoryHit {
					if p.AsOf().Before(last) {
						t.Error("an older price overwrote a newer one")
					}
					last = p.AsOf()
				}
			}
		})
	}
	wg.Wait()
}
