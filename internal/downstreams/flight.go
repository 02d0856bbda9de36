package downstreams

import (
	"context"
	"net/url"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"example.com/bff/internal/page"
)

// flight is one call under way, for one waiter or, when the same is asked again meanwhile, for many. It runs in a
// goroutine of its own on a context of its own, has as much time as the waiter who can wait longest, and is cancelled
// when the last waiter leaves.
type flight[T any] struct {
	c      *Client[T]
	id     page.ID
	key    string
	url    *url.URL
	fields []field
	offer  bool          // asked on the money path: the whole bulkhead is open to it
	shared bool          // others may join
	waited time.Duration // for a slot, before this flight

	ctx    context.Context
	cancel context.CancelCauseFunc

	// Guarded by c.mu.
	seats     []*seat
	first     [1]*seat // room for the usual one
	curtailed bool     // an attempt was told an earlier end than its timeout, for want of time

	holders atomic.Int32 // goroutines for which the slot is held
	slotted bool         // has a slot

	log    flightLog
	answer answer[T] // to be read when a seat's channel says that it is there
}

// board finds or makes the flight that answers q, and takes a seat in it; both are nil when the client is closed.
// Callers with a shortened deadline never lead a shared flight. waited is for how long q has waited for a slot already.
func (c *Client[T]) board(ctx context.Context, q *page.Query, key string, forwarded []string, asOffer bool, waited time.Duration) (*flight[T], *seat) {
	s := &seat{shortened: q.Shortened}
	s.deadline, _ = ctx.Deadline()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, nil
	}
	if f := c.flights[key]; f != nil && f.joinable(s, asOffer) {
		f.sit(s)
		s.joined, s.landed = true, c.group.DoChan(key, f.run)
		return f, s
	}
	f := &flight[T]{
		c: c, id: q.ID, key: key, url: c.target.url(q.ID), fields: c.fields(q, forwarded),
		offer: q.Offer, waited: waited, shared: c.coalesce && !q.Shortened,
	}
	f.ctx, f.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	f.holders.Store(1)
	f.seats = f.first[:0]
	f.sit(s)
	c.running[f] = struct{}{}
	c.landing.Add(1)
	s.landed = f.takeOff()
	return f, s
}

// takeOff starts the flight. c.mu is held, so that the table of flights and the group agree: what is in the table is
// what the group would join.
func (f *flight[T]) takeOff() <-chan singleflight.Result {
	if f.shared {
		f.c.group.Forget(f.key)
		f.c.flights[f.key] = f
		return f.c.group.DoChan(f.key, f.run)
	}
	landed := make(chan singleflight.Result, 1)
	go func() {
		_, err := f.run()
		landed <- singleflight.Result{Err: err}
	}()
	return landed
}

// unlist makes sure that nobody joins any more. c.mu is held.
func (f *flight[T]) unlist() {
	if f.c.flights[f.key] == f {
		delete(f.c.flights, f.key)
		f.c.group.Forget(f.key)
	}
}

// run is the flight's goroutine. It never panics.
func (f *flight[T]) run() (any, error) {
	defer f.release()
	f.answer = f.fly()
	f.c.mu.Lock()
	defer f.c.mu.Unlock()
	f.unlist()
	return nil, nil
}

// hold keeps the slot for one more goroutine, until that calls release.
func (f *flight[T]) hold() { f.holders.Add(1) }

// release gives the slot back when all that it was held for has ended.
func (f *flight[T]) release() {
	if f.holders.Add(-1) > 0 {
		return
	}
	if f.slotted {
		f.c.bulkhead.release(f.offer)
	}
	f.cancel(nil)
	f.c.mu.Lock()
	delete(f.c.running, f)
	f.c.mu.Unlock()
	f.c.landing.Done()
}
