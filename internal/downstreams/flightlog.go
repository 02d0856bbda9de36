package downstreams

import (
	"slices"
	"sync"
	"time"

	"example.com/bff/internal/page"
)

// flightLog is what a flight has done so far. Waiters copy it: the flight may go on without them.
type flightLog struct {
	mu                 sync.Mutex
	attempts           []page.Attempt
	room               [2]page.Attempt // for the usual number of them
	queuedAt, queuedTo time.Time       // at the bulkhead; zero: not, or still
}

func (l *flightLog) queued(at, to time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queuedAt, l.queuedTo = at, to
}

// begin enters an attempt and returns its number.
func (l *flightLog) begin(kind page.AttemptKind, start time.Time) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.attempts == nil {
		l.attempts = l.room[:0]
	}
	l.attempts = append(l.attempts, page.Attempt{Kind: kind, Start: start})
	return len(l.attempts) - 1
}

// end completes attempt n.
func (l *flightLog) end(n int, o page.Outcome, now time.Time) page.Attempt {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := &l.attempts[n]
	a.Outcome, a.Duration = o, now.Sub(a.Start)
	return *a
}

// tell fills in what a call's record needs.
func (l *flightLog) tell(call *page.Call, now time.Time) {
	call.Duration = now.Sub(call.Start)
	l.mu.Lock()
	defer l.mu.Unlock()
	call.Attempts = slices.Clone(l.attempts)
	if l.queuedAt.IsZero() {
		return
	}
	from, to := l.queuedAt, l.queuedTo
	if to.IsZero() {
		to = now
	}
	if from.Before(call.Start) {
		from = call.Start
	}
	call.Queued += max(0, to.Sub(from))
}
