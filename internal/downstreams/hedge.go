package downstreams

import (
	"context"
	"slices"
	"sync"
	"time"

	"example.com/bff/internal/page"
)

// hedged makes the first attempt, and when that takes long a second beside it. The first good answer wins, its body
// read to the end, and the other attempt is cancelled; a failed one never beats one that may still be good.
func (f *flight[T]) hedged(first permit) answer[T] {
	ctx, cancel := context.WithCancelCause(f.ctx)
	defer func() { cancel(&ended{by: byWinner, at: time.Now()}) }()
	answers := make(chan answer[T], 2)
	f.launch(ctx, page.First, first, answers)
	due, stop := f.c.hedge.timer(f.c.pace, f.c.timeout)
	defer stop()

	var a answer[T]
	for running := 1; running > 0; {
		select {
		case a = <-answers:
			running--
			if a.good() {
				return a
			}
		case <-due:
			if p, ok := f.permitHedge(); ok {
				f.launch(ctx, page.Hedge, p, answers)
				running++
			}
		case <-f.ctx.Done(): // nobody waits; what still runs, runs out by itself
			return refused[T](page.Cancelled)
		}
	}
	return a
}

// launch makes an attempt in a goroutine of its own, for which the slot is held too.
func (f *flight[T]) launch(ctx context.Context, kind page.AttemptKind, p permit, answers chan<- answer[T]) {
	f.hold()
	go func() {
		var a answer[T]
		defer func() { answers <- a }()
		defer f.release() // before the call can have an answer, so that then its slot is free
		a = f.attempt(ctx, kind, p)
	}()
}

// permitHedge tells whether the time left, the budget, the operator and the breaker allow a second attempt.
func (f *flight[T]) permitHedge() (permit, bool) {
	now := time.Now()
	left := f.left(now)
	if left < usefulAttempt || !f.c.budget.take(now) {
		return permit{}, false
	}
	p, ok := f.c.acquire(page.Hedge, f.fitsProbe(left))
	if !ok {
		f.c.budget.giveBack()
	}
	return p, ok
}

// timer fires when a hedge is due, which may be never: when no percentile is known yet, or when the first attempt will
// have run out of its timeout by then.
func (h HedgeAfter) timer(p *pace, timeout time.Duration) (due <-chan time.Time, stop func()) {
	delay := h.Delay
	if h.P95 {
		delay = p.p95()
	}
	if delay <= 0 || delay >= timeout {
		return nil, func() {}
	}
	t := time.NewTimer(delay)
	return t.C, func() { t.Stop() }
}

const (
	paceWindow = 128 // attempts that the percentile slides over
	paceStep   = 16  // attempts after which it is taken anew; none is known before the first such step
)

// pace is how long attempts take: a sliding 95th percentile. A nil pace sees nothing.
type pace struct {
	mu      sync.Mutex
	seen    int
	window  [paceWindow]time.Duration
	current time.Duration
}

// saw counts an attempt that took its time to answer, had no time left to, or was cut off by a faster one: leaving the
// slow ones out would make the percentile fall with every hedge.
func (p *pace) saw(ctx context.Context, o page.Outcome, start time.Time) {
	if p == nil {
		return
	}
	now := time.Now()
	if o != page.OK && o != page.Absent && o != page.Timeout {
		if by, _, over := whatEnded(ctx, start, 0); !over || by != byWinner {
			return
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.window[p.seen%paceWindow] = now.Sub(start)
	p.seen++
	if p.seen%paceStep != 0 {
		return
	}
	sorted := p.window
	known := sorted[:min(p.seen, paceWindow)]
	slices.Sort(known)
	p.current = known[len(known)*95/100]
}

// p95 is 0 until enough has been seen.
func (p *pace) p95() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.current
}
