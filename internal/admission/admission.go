// Package admission decides, before any work is done, whether a request is served: a limit on the requests in flight
// with a short queue before it (Admission), and a rate per client (Limiter).
//
// Admission promises:
//
//   - Never more than the limit in flight. The limit starts at its maximum and falls only while this process itself is
//     in distress, as its goroutines' scheduling latency tells. Slow or failing downstreams, and clients that leave,
//     never lower it: those are what breakers and bulkheads are for.
//   - A queue of at most a quarter of the limit, in which nobody waits for more than 20 ms. It serves the highest
//     priority first, and within one priority in order of arrival. When it is full, a newcomer displaces the youngest
//     waiter of the lowest priority below its own; with none below, the newcomer is refused at once.
//   - Background is admitted only into the first three quarters of the limit. The last quarter is kept for people, so
//     that background goes first also when no queue forms.
//   - Whoever has less than 20 ms left is refused: nothing useful fits into that.
//   - Before all that, an operator's order to refuse some is obeyed.
package admission

import (
	"context"
	"errors"
	"sync"
	"time"

	"example.com/bff/internal/page"
)

const (
	maxAge = 20 * time.Millisecond // in the queue
	grain  = time.Millisecond      // callers tell whole milliseconds, and a part of one has passed before they are here
)

// Options of an Admission.
type Options struct {
	Max int // the most in flight, and the limit at the start; 1 or more

	// Latency tells the p99 scheduling latency since it was last asked. It is asked once a second, by one goroutine.
	// nil is SchedulingLatency(); a test in a synctest bubble wants one of its own.
	Latency func() time.Duration

	// Override counts a request, and tells whether an operator has ordered that it be refused. nil: none is.
	Override func(page.Priority) bool
}

// Admission limits how many requests are in flight. Make one with New.
type Admission struct {
	max      int
	override func(page.Priority) bool
	stop     context.CancelFunc
	ended    chan struct{}

	mu       sync.Mutex // never held while waiting
	limit    int
	inFlight int
	queue    queue
}

// New starts an Admission, and a goroutine that watches over its limit until Close.
func New(o Options) *Admission {
	latency := o.Latency
	if latency == nil {
		latency = SchedulingLatency()
	}
	ctx, stop := context.WithCancel(context.Background())
	a := &Admission{max: o.Max, override: o.Override, limit: o.Max, stop: stop, ended: make(chan struct{})}
	go a.watch(ctx, latency)
	return a
}

// Close ends the watch over the limit, which stays as it is. Who waits or is in flight is not disturbed.
func (a *Admission) Close() {
	a.stop()
	<-a.ended
}

// Admit returns when the caller may start, is refused, or ctx ends. It waits for 20 ms at most, and not at all when there
// is room or when the queue is full.
//
// leave is never nil. Call it once the work is done, best deferred: it gives the place back, and again does nothing. It
// does nothing either when there was no place to give back.
//
// refused is ShedOverride, ShedFull, ShedAge or ShedDeadline, or NotShed. A caller that left the queue because ctx was cancelled was
// not shed: refused is NotShed, and ctx.Err() tells. It has no place, but what it goes on to do under ctx ends at once.
func (a *Admission) Admit(ctx context.Context, p page.Priority) (leave func(), waited time.Duration, refused page.ShedReason) {
	if a.override != nil && a.override(p) {
		return nothing, 0, page.ShedOverride
	}
	now := time.Now()
	until, late := now.Add(maxAge), page.ShedAge
	if deadline, ok := ctx.Deadline(); ok && deadline.Add(-page.LeastTime).Before(until) {
		until, late = deadline.Add(-page.LeastTime), page.ShedDeadline
	}
	if until.Add(grain).Before(now) {
		return nothing, 0, late
	}
	w, refused := a.enter(p, until, late)
	if refused != page.NotShed {
		return nothing, 0, refused
	}
	if w != nil {
		admitted, refused := a.wait(ctx, w)
		if waited = time.Since(now); !admitted {
			return nothing, waited, refused
		}
	}
	return sync.OnceFunc(a.release), waited, page.NotShed
}

// InFlight is how many were admitted and have not left.
func (a *Admission) InFlight() int { return a.read(&a.inFlight) }

// Limit is how many may be in flight now: from a tenth of Options.Max to all of it.
func (a *Admission) Limit() int { return a.read(&a.limit) }

// Queued is how many wait.
func (a *Admission) Queued() int { return a.read(&a.queue.length) }

func (a *Admission) read(n *int) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return *n
}

func nothing() {}

// enter takes a place, or joins the queue, or refuses.
func (a *Admission) enter(p page.Priority, until time.Time, late page.ShedReason) (*waiter, page.ShedReason) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.inFlight < a.room(p) {
		a.inFlight++
		return nil, page.NotShed
	}
	if a.queue.length >= maxQueue(a.limit) && !a.queue.displace(p) {
		return nil, page.ShedFull
	}
	return a.queue.join(p, until, late), page.NotShed
}

// wait returns when w was told something, is too late, or ctx ends.
func (a *Admission) wait(ctx context.Context, w *waiter) (admitted bool, refused page.ShedReason) {
	timer := time.NewTimer(time.Until(w.until))
	defer timer.Stop()
	select {
	case refused = <-w.told:
		return refused == page.NotShed, refused
	case <-timer.C:
		refused = w.late
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) { // this goroutine runs later than its timer asked for
			refused = page.ShedDeadline
		}
	}
	if a.quit(w) {
		return false, refused
	}
	refused = <-w.told // told in the meantime, which counts
	return refused == page.NotShed, refused
}

// quit takes w out of the queue. It is false when w was told something already.
func (a *Admission) quit(w *waiter) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.queue.remove(w)
}

func (a *Admission) release() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.inFlight--
	a.serve()
}

// serve admits who waits, as far as there is room. Afterwards nobody waits for whom there is room, so that a newcomer
// who finds room overtakes none of its own or a higher priority.
func (a *Admission) serve() {
	if a.queue.length == 0 {
		return
	}
	now := time.Now()
	for w := a.queue.first(); w != nil && a.inFlight < a.room(w.priority); w = a.queue.first() {
		if w.until.Before(now) {
			a.queue.tell(w, w.late)
			continue
		}
		a.inFlight++
		a.queue.tell(w, page.NotShed)
	}
}

// room is how many may be in flight for one more of p to be admitted.
func (a *Admission) room(p page.Priority) int {
	if p == page.Background {
		return a.limit - a.limit/4
	}
	return a.limit
}

func maxQueue(limit int) int { return limit / 4 }
