package admission_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/internal/admission"
	"example.com/bff/internal/page"
)

// storeFunc is a Store.
type storeFunc func(key string) (page.Rate, error)

func (f storeFunc) Take(_ context.Context, key string, _ admission.Allowance) (page.Rate, error) {
	return f(key)
}

func from(peer string, header ...string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/products/p-1", nil)
	r.RemoteAddr = peer
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	return r
}

func TestMemoryIsATokenBucketPerClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := admission.NewLimiter(admission.Allowance{PerSecond: 2, Burst: 3}, nil, admission.NewMemory())
		ask := func(peer string, want page.Rate) {
			t.Helper()
			want.Limit = 3
			if got := l.Allow(from(peer)); got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
		}
		one, other := "192.0.2.1:1000", "192.0.2.2:1000"
		ask(one, page.Rate{Remaining: 2, Reset: 500 * ms})
		ask(one, page.Rate{Remaining: 1, Reset: 1000 * ms})
		ask(one, page.Rate{Remaining: 0, Reset: 1500 * ms})
		ask(one, page.Rate{Refused: true, Reset: 1500 * ms, RetryAfter: 500 * ms})
		time.Sleep(400 * ms)
		ask(one, page.Rate{Refused: true, Reset: 1100 * ms, RetryAfter: 100 * ms})
		ask(other, page.Rate{Remaining: 2, Reset: 500 * ms})
		time.Sleep(100 * ms)
		ask("192.0.2.1:2000", page.Rate{Remaining: 0, Reset: 1500 * ms})
		time.Sleep(time.Hour)
		ask(one, page.Rate{Remaining: 2, Reset: 500 * ms})
	})
}

func TestMemoryCountsExactlyUnderConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := admission.NewLimiter(admission.Allowance{PerSecond: 1, Burst: 10}, nil, admission.NewMemory())
		var allowed atomic.Int64
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				if !l.Allow(from("192.0.2.1:1")).Refused {
					allowed.Add(1)
				}
			})
		}
		wg.Wait()
		if allowed.Load() != 10 {
			t.Errorf("%d allowed, want 10", allowed.Load())
		}
	})
}

func TestAFailingStoreLetsEveryRequestPassAndIsCounted(t *testing.T) {
	l := admission.NewLimiter(admission.Allowance{PerSecond: 1, Burst: 1}, nil, storeFunc(func(string) (page.Rate, error) {
		return page.Rate{Refused: true}, errors.New("down")
	}))
	for range 5 {
		if got := l.Allow(from("192.0.2.1:1")); got != (page.Rate{}) {
			t.Errorf("%+v", got)
		}
	}
	if l.Passed() != 5 {
		t.Errorf("%d passed, want 5", l.Passed())
	}
}

func BenchmarkLimiter(b *testing.B) {
	l := admission.NewLimiter(admission.Allowance{PerSecond: 1e5, Burst: 1e5}, nil, admission.NewMemory())
	r := from("192.0.2.1:1")
	b.ReportAllocs()
	for b.Loop() {
		l.Allow(r)
	}
}

// Two who are new at the same instant share one bucket. One pair seldom meets; of many some do.
func TestMemoryGivesANewClientOneBucket(t *testing.T) {
	once, m := admission.Allowance{PerSecond: 1e-9, Burst: 1}, admission.NewMemory()
	for i := range 3000 {
		var taken atomic.Int64
		var wg sync.WaitGroup
		ready := make(chan struct{})
		for range 4 {
			wg.Go(func() {
				<-ready
				if rate, _ := m.Take(t.Context(), strconv.Itoa(i), once); !rate.Refused {
					taken.Add(1)
				}
			})
		}
		close(ready)
		wg.Wait()
		if taken.Load() != 1 {
			t.Fatalf("client %d took %d", i, taken.Load())
		}
	}
}
