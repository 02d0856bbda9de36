package downstreams

import (
	"math/rand/v2"
	"time"

	"example.com/bff/internal/page"
)

const (
	backOff       = 20 * time.Millisecond // the longest before the first retry; it doubles with each
	usefulAttempt = 20 * time.Millisecond // what must be left for an attempt to be worth making
	maxRetryAfter = time.Minute           // the longest that a downstream can ask us to tell callers
)

// retried makes the first attempt, and after a failure that another may mend, others. It never sleeps towards one that
// cannot be made: the answer is then that of the last attempt, which is the real reason.
func (f *flight[T]) retried(first permit) answer[T] {
	a := f.attempt(f.ctx, page.First, first)
	for n := range f.c.retries {
		p, ok := f.permitRetry(a, n)
		if !ok {
			break
		}
		a = f.attempt(f.ctx, page.Retry, p)
	}
	return a
}

// permitRetry waits out the back-off before retry n, counted from 0, if the failure, the operator, the time left, the
// breaker and the budget allow that retry.
func (f *flight[T]) permitRetry(last answer[T], n int) (permit, bool) {
	if !last.again || f.ctx.Err() != nil || !f.c.permits(page.Retry) {
		return permit{}, false
	}
	now := time.Now()
	wait := max(rand.N(backOff<<n+1), last.retryAfter)
	left := f.left(now) - wait
	if left < usefulAttempt || !f.c.breaker.allows(wait, f.fitsProbe(left)) || !f.c.budget.take(now) {
		return permit{}, false
	}
	if f.sleep(wait) {
		if p, ok := f.c.acquire(page.Retry, f.fitsProbe(f.left(time.Now()))); ok {
			return p, true
		}
	}
	f.c.budget.giveBack()
	return permit{}, false
}

// fitsProbe tells whether a second attempt may be a probe, which runs to its own end and is told of it: no such attempt
// is told more than what is left.
func (f *flight[T]) fitsProbe(left time.Duration) bool { return left >= f.c.timeout }

// sleep tells whether the flight lasted so long.
func (f *flight[T]) sleep(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return f.ctx.Err() == nil
	case <-f.ctx.Done():
		return false
	}
}
