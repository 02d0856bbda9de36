package downstreams

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/singleflight"

	"example.com/bff/internal/page"
)

// seat is one waiter's place in a flight.
type seat struct {
	deadline  time.Time // zero: none
	shortened bool      // the caller set it
	joined    bool      // a flight that another had begun
	at        int       // in the flight's seats
	landed    <-chan singleflight.Result
}

// laterThan tells whether s can wait longer than other.
func (s *seat) laterThan(other *seat) bool {
	return !other.deadline.IsZero() && (s.deadline.IsZero() || s.deadline.After(other.deadline))
}

// wait returns when the flight has landed or ctx has ended, and fills in what the call has come to.
func (f *flight[T]) wait(ctx context.Context, s *seat, call *page.Call) (v T) {
	var asked time.Duration
	select {
	case <-s.landed:
		v, call.Outcome, asked = f.answer.value, f.answer.outcome, f.answer.retryAfter
	case <-ctx.Done():
		call.Outcome = gaveUp(ctx)
		f.leave(s, &ended{by: s.endedBy(call.Outcome), at: time.Now(), of: context.Cause(ctx)})
	}
	call.Coalesced = s.joined
	if call.Outcome.Failed() {
		call.RetryAfter = max(f.c.refusing(), min(asked, maxRetryAfter))
	}
	f.log.tell(call, time.Now())
	return v
}

// gaveUp is the outcome for a waiter whose context has ended.
func gaveUp(ctx context.Context) page.Outcome {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return page.Timeout
	}
	return page.Cancelled
}

func (s *seat) endedBy(o page.Outcome) cut {
	switch {
	case o != page.Timeout:
		return byDeparture
	case s.shortened:
		return byCaller
	}
	return byPage
}

// joinable tells whether s can have a seat. It cannot when an attempt was told to end before s must have its answer:
// that downstream may give up too early for s.
func (f *flight[T]) joinable(s *seat, asOffer bool) bool {
	return (f.offer || !asOffer) && !(f.curtailed && s.laterThan(f.latest()))
}

func (f *flight[T]) sit(s *seat) {
	s.at = len(f.seats)
	f.seats = append(f.seats, s)
}

// leave gives a seat up, and cancels the flight if it was the last.
func (f *flight[T]) leave(s *seat, why *ended) {
	f.c.mu.Lock()
	last := len(f.seats) - 1
	f.seats[last].at = s.at
	f.seats[s.at] = f.seats[last]
	f.seats[last] = nil
	f.seats = f.seats[:last]
	if last == 0 {
		f.unlist()
	}
	f.c.mu.Unlock()
	if last == 0 {
		f.cancel(why)
	}
}

// latest is the seat that can wait longest; nil when all have left. c.mu is held.
func (f *flight[T]) latest() *seat {
	var latest *seat
	for _, s := range f.seats {
		if latest == nil || s.laterThan(latest) {
			latest = s
		}
	}
	return latest
}

// unlimited is the time left of a flight whose waiter has no deadline.
const unlimited = time.Hour

// left is how much time the flight has: that of the waiter who can wait longest.
func (f *flight[T]) left(now time.Time) time.Duration {
	f.c.mu.Lock()
	defer f.c.mu.Unlock()
	switch s := f.latest(); {
	case s == nil:
		return 0
	case s.deadline.IsZero():
		return unlimited
	default:
		return s.deadline.Sub(now)
	}
}

// promise is what an attempt tells its downstream: when it ends, and what will end it then.
type promise struct {
	end time.Time
	by  cut
}

// grain is how much earlier than meant a downstream may see the end: the headers tell whole milliseconds.
const grain = time.Millisecond

func (p promise) over(now time.Time) bool { return !now.Before(p.end.Add(-grain)) }

// promised decides what an attempt that starts now is told: the end of its timeout, or of the flight's time if that is
// sooner. A probe has its whole timeout, whoever leaves.
func (f *flight[T]) promised(start time.Time, probe bool) promise {
	whole := promise{start.Add(f.c.timeout), byTimeout}
	if probe {
		return whole
	}
	f.c.mu.Lock()
	defer f.c.mu.Unlock()
	s := f.latest()
	if s == nil || s.deadline.IsZero() || !s.deadline.Before(whole.end) {
		return whole
	}
	f.curtailed = true
	return promise{s.deadline, s.endedBy(page.Timeout)}
}
