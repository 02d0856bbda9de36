package downstreams

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	failsafe "github.com/failsafe-go/failsafe-go/bulkhead"

	"example.com/bff/internal/page"
)

const (
	criticalWait = 20 * time.Millisecond
	optionalWait = 5 * time.Millisecond
)

// bulkhead holds at most limit calls at once. Of price and stock a quarter, and one at the least, is kept for offers:
// pages pass a smaller bulkhead first, then both share the whole.
type bulkhead struct {
	all, pages failsafe.Bulkhead[any] // pages is nil where nothing is kept
	limit      int
	wait       time.Duration
	inUse      atomic.Int64
}

func newBulkhead(d page.Dependency, limit int) *bulkhead {
	b := &bulkhead{all: failsafe.New[any](uint(limit)), limit: limit, wait: optionalWait}
	if d.Critical() {
		b.wait = criticalWait
	}
	if limit > 1 && (d == page.Price || d == page.Stock) {
		b.pages = failsafe.New[any](uint(limit - max(1, limit/4)))
	}
	return b
}

// tryAcquire takes a slot that is free.
func (b *bulkhead) tryAcquire(offer bool) bool {
	if b.gated(offer) && !b.pages.TryAcquirePermit() {
		return false
	}
	if !b.all.TryAcquirePermit() {
		if b.gated(offer) {
			b.pages.ReleasePermit()
		}
		return false
	}
	b.inUse.Add(1)
	return true
}

// acquire waits for a slot, no longer than wait nor than ctx lasts. The error is failsafe's ErrFull, or ctx's.
func (b *bulkhead) acquire(ctx context.Context, offer bool, wait time.Duration) error {
	until := time.Now().Add(wait)
	if b.gated(offer) {
		if err := b.pages.AcquirePermitWithMaxWait(ctx, wait); err != nil {
			return err
		}
	}
	if err := b.all.AcquirePermitWithMaxWait(ctx, max(0, time.Until(until))); err != nil {
		if b.gated(offer) {
			b.pages.ReleasePermit()
		}
		return err
	}
	b.inUse.Add(1)
	return nil
}

func (b *bulkhead) release(offer bool) {
	b.inUse.Add(-1)
	b.all.ReleasePermit()
	if b.gated(offer) {
		b.pages.ReleasePermit()
	}
}

func (b *bulkhead) gated(offer bool) bool { return b.pages != nil && !offer }

// enter takes the flight's slot, waiting a little when none is free. The outcome is OK, BulkheadFull, or Cancelled when
// all waiters have left meanwhile.
func (f *flight[T]) enter() page.Outcome {
	b := f.c.bulkhead
	if !b.tryAcquire(f.offer) {
		at := time.Now()
		f.log.queued(at, time.Time{})
		err := b.acquire(f.ctx, f.offer, max(0, b.wait-f.waited))
		f.log.queued(at, time.Now())
		if errors.Is(err, failsafe.ErrFull) {
			return page.BulkheadFull
		}
		if err != nil {
			return page.Cancelled
		}
	}
	f.slotted = true
	if f.ctx.Err() != nil {
		return page.Cancelled
	}
	return page.OK
}
