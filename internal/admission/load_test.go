package admission_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/internal/admission"
	"example.com/bff/internal/page"
)

// ledger counts what callers saw, apart from what the Admission says of itself.
type ledger struct {
	inFlight, most, arrived, admitted, left atomic.Int64
	refused                                 [page.ShedOverride + 1]atomic.Int64
}

func (l *ledger) call(ctx context.Context, a *admission.Admission, p page.Priority, work func()) {
	l.arrived.Add(1)
	leave, _, refused := a.Admit(ctx, p)
	defer leave()
	switch {
	case refused != page.NotShed:
		l.refused[refused].Add(1)
	case ctx.Err() != nil:
		l.left.Add(1)
	default:
		l.admitted.Add(1)
		for n := l.inFlight.Add(1); n > l.most.Load(); {
			l.most.CompareAndSwap(l.most.Load(), n)
		}
		work()
		l.inFlight.Add(-1)
	}
}

func (l *ledger) check(t *testing.T, limit int64) {
	t.Helper()
	sum := l.admitted.Load() + l.left.Load()
	for i := range l.refused {
		sum += l.refused[i].Load()
	}
	if sum != l.arrived.Load() {
		t.Errorf("%d arrived, %d answers", l.arrived.Load(), sum)
	}
	if l.most.Load() > limit {
		t.Errorf("%d in flight, limit %d", l.most.Load(), limit)
	}
}

func TestRandomLoadNeverExceedsTheLimit(t *testing.T) {
	for seed := range uint64(10) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { randomLoad(t, rand.New(rand.NewPCG(seed, 6))) })
		})
	}
}

func randomLoad(t *testing.T, r *rand.Rand) {
	var s signal
	limit := 1 + r.IntN(60)
	a := start(t, limit, s.latency)
	var l ledger
	var wg sync.WaitGroup
	upTo := func(d time.Duration) time.Duration { return rand.N(d) }
	for range 2000 {
		p, hold := page.Priority(r.IntN(page.NumPriorities)), time.Duration(r.IntN(200))*ms
		allowed, patience := time.Duration(r.IntN(450))*ms, time.Duration(r.IntN(200))*ms
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), allowed)
			defer cancel()
			defer time.AfterFunc(patience, cancel).Stop()
			l.call(ctx, a, p, func() { time.Sleep(hold) })
		})
		if r.IntN(200) == 0 {
			s.set(upTo(40 * ms))
		}
		time.Sleep(time.Duration(r.IntN(6)) * ms)
		synctest.Wait()
		if a.Queued() > limit/4 || a.InFlight() > limit || int64(a.InFlight()) != l.inFlight.Load() {
			t.Fatalf("%d queued, %d (in truth %d) in flight, limit %d", a.Queued(), a.InFlight(), l.inFlight.Load(), limit)
		}
	}
	wg.Wait()
	l.check(t, int64(limit))
	wantCounts(t, a, 0, 0)
}

func TestStress(t *testing.T) {
	a := start(t, 6, calm)
	var l ledger
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for n := range 1000 {
				ctx, cancel := context.WithCancel(t.Context())
				if n%5 == 0 {
					go cancel()
				}
				l.call(ctx, a, page.Priority((i+n)%page.NumPriorities), runtime.Gosched)
				cancel()
			}
		})
	}
	wg.Wait()
	l.check(t, 6)
	wantCounts(t, a, 0, 0)
}
