// Package downstreams asks the five services that a page is made of. A Client is one downstream's stack, and the way
// of a call through it reads like Ask and fly below: what was asked a moment ago, coalescing, the waiter's deadline,
// bulkhead, retry or hedge, breaker, the attempt's timeout, HTTP, verdict.
//
// It promises that a call ends when its caller's context does, whatever the downstream does; that no more than the
// bulkhead's limit are ever in flight; that slots, permits and goroutines come back after anything, panics included;
// that a breaker learns from its downstream's doings alone, never from its callers'; that nothing is held in memory
// beyond the bounds; and that no text of a downstream, a library or a host leaves the package but in the log.
package downstreams

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"example.com/bff/internal/page"
)

// Decode reads the body of a 200 that was asked for at sent. The body is its own only until it returns. Any error makes
// the answer an invalid one.
type Decode[T any] func(body []byte, sent time.Time) (T, error)

// Options are what a client works with. Transport is required, the rest may be nil.
type Options[T any] struct {
	Transport http.RoundTripper // its RoundTrip is called directly: no redirects, no cookies
	Observer  Observer
	Logger    *slog.Logger // for defects of ours alone
	// Override tells what an operator has ordered, now. It is asked for each attempt, and must not block.
	Override func() page.Override
	// Traced begins an attempt's span. The exchange runs in the context that comes back, and end is told what it came to.
	Traced func(ctx context.Context, kind page.AttemptKind) (in context.Context, end func(page.Outcome))
	// Learned is told every good answer, and every "there is nothing" (absent), with the instant at which it was asked
	// for; also when nobody waits for it any more. It must not block.
	Learned func(id page.ID, key string, v T, absent bool, sent time.Time)
}

// Client asks one downstream. Use New, and Close it.
type Client[T any] struct {
	decode     Decode[T]
	transport  http.RoundTripper
	learned    func(page.ID, string, T, bool, time.Time)
	overridden func() page.Override
	traced     func(context.Context, page.AttemptKind) (context.Context, func(page.Outcome))
	witness    witness

	timeout  time.Duration
	retries  int
	hedge    HedgeAfter
	coalesce bool
	target   target
	forward  forwarding

	fresh    *fresh[T]
	bulkhead *bulkhead
	budget   *budget
	breaker  *breaker
	pace     *pace
	bodies   buffers

	open  context.Context // until Close
	close context.CancelFunc

	group   singleflight.Group
	mu      sync.Mutex
	closed  bool
	flights map[string]*flight[T]   // those that can be joined
	running map[*flight[T]]struct{} // all
	landing sync.WaitGroup          // for all of them
}

// New makes a client. The error says what in s cannot be.
func New[T any](s Settings, decode Decode[T], o Options[T]) (*Client[T], error) {
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("%v: %w", s.Dependency, err)
	}
	target, err := newTarget(s.URL)
	if err != nil {
		return nil, fmt.Errorf("%v: %w", s.Dependency, err)
	}
	if o.Transport == nil {
		return nil, errors.New("downstreams: no transport")
	}
	w := witness{s.Dependency, o.Observer, o.Logger}
	c := &Client[T]{
		decode: decode, transport: o.Transport, learned: o.Learned, overridden: o.Override, traced: o.Traced, witness: w,
		timeout: s.Timeout, retries: s.Retries, hedge: s.HedgeAfter, coalesce: s.Coalesce,
		target: target, forward: newForwarding(s.ForwardHeaders),
		fresh: newFresh[T](s.FreshFor), bulkhead: newBulkhead(s.Dependency, s.Bulkhead),
		budget: newBudget(s.RetryBudget, time.Now()), breaker: newBreaker(s, w.breakerMoved),
		flights: map[string]*flight[T]{}, running: map[*flight[T]]struct{}{},
	}
	c.open, c.close = context.WithCancel(context.Background())
	if c.traced == nil {
		c.traced = untraced
	}
	if s.HedgeAfter.P95 {
		c.pace = &pace{}
	}
	return c, nil
}

// Ask is a page.Source: it returns when there is an answer or when ctx ends, whichever is first.
func (c *Client[T]) Ask(ctx context.Context, q *page.Query) (v T, call page.Call) {
	call.Start = time.Now()
	if ctx.Err() != nil {
		call.Outcome = gaveUp(ctx)
		call.Asked = call.Outcome == page.Timeout // one that was cancelled is of a page that had ended
		return v, call
	}
	call.Asked = true
	var room [8]string
	forwarded := c.forward.values(q.Header, room[:0])
	key := c.forward.key(q.ID, forwarded)
	if v, ok := c.fresh.get(key, call.Start); ok {
		return v, call
	}
	v, asOffer := c.share(ctx, q, key, forwarded, false, &call)
	if call.Outcome == page.BulkheadFull && q.Offer && !asOffer {
		v, _ = c.share(ctx, q, key, forwarded, true, &call) // it had joined a page, to which less of the bulkhead is open
	}
	return v, call
}

// share waits for the flight that answers q, which may be somebody else's unless it must be an offer's.
func (c *Client[T]) share(ctx context.Context, q *page.Query, key string, forwarded []string, mustOffer bool, call *page.Call) (v T, asOffer bool) {
	f, s := c.board(ctx, q, key, forwarded, mustOffer, call.Queued)
	if f == nil {
		call.Outcome = page.Cancelled
		return v, true
	}
	if s.joined {
		c.witness.coalesced()
	}
	return f.wait(ctx, s, call), f.offer
}

// fly is the rest of a call, in its own goroutine, outermost first. Each attempt asks the operator's override and the
// breaker; see acquire and attempt.
func (f *flight[T]) fly() (a answer[T]) {
	a = defect[T]() // stands if anything panics
	defer func() { f.c.witness.caught(recover()) }()
	if full := f.enter(); full != page.OK {
		return refused[T](full)
	}
	first, ok := f.c.acquire(page.First, true)
	if !ok {
		return refused[T](page.BreakerOpen)
	}
	f.c.budget.earn()
	if f.c.hedge.On() {
		return f.hedged(first)
	}
	return f.retried(first)
}

// Key is what the answer to q is shared and remembered under: it is different for different ids and for different
// values of the headers that this downstream sees.
func (c *Client[T]) Key(q *page.Query) string {
	var room [8]string
	return c.forward.key(q.ID, c.forward.values(q.Header, room[:0]))
}

// State is what a client's protections are doing now.
type State struct {
	Breaker  page.BreakerState // open until an attempt finds the cool-down over
	CoolDown time.Duration     // what remains of it
	InFlight int               // calls that hold a slot of the bulkhead
	Limit    int               // of the bulkhead
	Tokens   float64           // retries and hedges in the budget
}

// State reads it; scrapes do.
func (c *Client[T]) State() State {
	s := State{InFlight: int(c.bulkhead.inUse.Load()), Limit: c.bulkhead.limit, Tokens: c.budget.left(time.Now())}
	s.Breaker, s.CoolDown = c.breaker.now()
	return s
}

// Close refuses new calls, cancels those under way, probes too, and returns when all their goroutines have ended.
func (c *Client[T]) Close() {
	c.mu.Lock()
	c.closed = true
	for f := range c.running {
		f.cancel(&ended{by: byClose, at: time.Now()})
	}
	c.mu.Unlock()
	c.close()
	c.landing.Wait()
}
