package fakes

import (
	"errors"
	"net/http"
	"sync"
	"time"
)

// downstream serves one kind.
type downstream struct {
	kind    kind
	latency func(id string) time.Duration
	seed    uint64
	pool    *pool
	counts  counts

	mu  sync.Mutex
	now *spell
}

func newDownstream(k kind, o Options) *downstream {
	d := &downstream{kind: k, latency: k.usual, seed: o.Seed, pool: newPool(o.Workers, o.Queue)}
	if o.Latency != nil {
		d.latency = func(id string) time.Duration { return o.Latency(k.name, id) }
	}
	d.set(Fault{})
	return d
}

func (d *downstream) set(f Fault) {
	d.mu.Lock()
	before := d.now
	d.now = newSpell(f, d.seed, hash(d.kind.name))
	d.mu.Unlock()
	if before != nil {
		before.end()
	}
}

func (d *downstream) current() *spell {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now
}

// ending is how a request ended: a status that was answered, or one of these.
type ending int

const (
	callerLeft ending = iota
	tooLate           // its deadline passed before there was an answer
	queueFull         // answered 503
	cutOff            // by a fault, or because that ended
)

// grace is how long a caller may stay behind its own deadline before it is told 504. An answer at the deadline itself
// would race the caller's own timeout, and make tests that expect the one or the other fail now and then.
const grace = time.Second

func (d *downstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.counts.arrived(r)
	how := d.work(w, r)
	d.counts.ended(how)
	switch {
	case how == tooLate && sleep(r.Context(), grace):
		complaint(http.StatusGatewayTimeout, "the deadline has passed").writeTo(w)
	case how == callerLeft, how == tooLate, how == cutOff:
		panic(http.ErrAbortHandler)
	}
}

// work is all that a worker does for a request, and the wait for one. What befalls it is drawn when the worker begins:
// a queue that built up while the downstream was slow is worked off as fast as it can when it is well again.
func (d *downstream) work(w http.ResponseWriter, r *http.Request) ending {
	ctx, cancel := untilDeadline(r)
	defer cancel()
	switch err := d.pool.enter(ctx); {
	case errors.Is(err, errFull):
		complaint(http.StatusServiceUnavailable, "overloaded").writeTo(w)
		return queueFull
	case err != nil:
		return dropped(r)
	}
	defer d.pool.leave()
	f := d.current().draw(d.latency(r.PathValue("id")))
	if f.Hang {
		return f.hang(r)
	}
	if !sleep(ctx, f.latency) {
		return dropped(r)
	}
	if f.Reset == ResetHeaders {
		reset(w)
		return cutOff
	}
	return f.send(w, r, d.kind.reply(f, questionOf(r)))
}

func dropped(r *http.Request) ending {
	if r.Context().Err() != nil {
		return callerLeft
	}
	return tooLate
}
