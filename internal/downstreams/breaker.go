package downstreams

import (
	"sync"
	"time"

	failsafe "github.com/failsafe-go/failsafe-go/circuitbreaker"

	"example.com/bff/internal/page"
)

// breaker is failsafe's, asked through its standalone calls, with what those lack: an exact rate; a generation, so that
// an attempt begun before the state last changed counts for nothing; a verdict of none; and a bound on the probes under
// way, those left over from an earlier half-open state included. While it is closed, failsafe is told of a failure when
// the rate is reached, and one opens it.
type breaker struct {
	rate      float64
	minimum   int
	span      time.Duration
	maxProbes int
	moved     func(page.BreakerState) // called without the lock held

	mu         sync.Mutex
	state      page.BreakerState // as of the last call; only ours change it
	generation uint64            // counts the changes of state
	probes     int               // under way, of any generation
	window     *window           // since the state last changed
	failsafe   failsafe.CircuitBreaker[any]
}

// permit lets one attempt through. It is settled exactly once.
type permit struct {
	generation uint64
	probe      bool // must end in a verdict: it is the only way to give a half-open place back
}

func newBreaker(s Settings, moved func(page.BreakerState)) *breaker {
	return &breaker{
		rate:      s.BreakerFailureRate,
		minimum:   s.BreakerMinCalls,
		span:      s.BreakerWindow,
		maxProbes: s.BreakerProbes,
		moved:     moved,
		window:    newWindow(s.BreakerWindow, time.Now()),
		failsafe: failsafe.NewBuilder[any]().
			WithFailureThreshold(1).
			WithRandomDelay(s.BreakerCooldown, s.BreakerCooldown+s.BreakerCooldown/4).
			WithSuccessThreshold(uint(s.BreakerProbes)).
			Build(),
	}
}

// acquire asks for an attempt. mayProbe says whether the attempt could run to its own end, as a probe must.
func (b *breaker) acquire(mayProbe bool) (p permit, ok bool) {
	b.mu.Lock()
	if !b.wouldAllow(0, mayProbe) || !b.failsafe.TryAcquirePermit() {
		b.mu.Unlock()
		return permit{}, false
	}
	moved := b.look()
	p = permit{b.generation, b.state != page.StateClosed}
	if p.probe {
		b.probes++
	}
	b.mu.Unlock()
	b.tell(moved)
	return p, true
}

// allows tells whether an attempt in so long could be let through, as far as can be known now.
func (b *breaker) allows(in time.Duration, mayProbe bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.wouldAllow(in, mayProbe)
}

func (b *breaker) wouldAllow(in time.Duration, mayProbe bool) bool {
	return b.state == page.StateClosed ||
		mayProbe && b.probes < b.maxProbes && b.failsafe.RemainingDelay() <= in
}

// settle takes an attempt's verdict and gives its place back. A probe without a verdict failed.
func (b *breaker) settle(p permit, v verdict) {
	b.mu.Lock()
	if p.probe {
		b.probes--
		if v == none {
			v = failure
		}
	}
	if p.generation == b.generation && v != none {
		b.count(v == failure)
	}
	moved := b.look()
	b.mu.Unlock()
	b.tell(moved)
}

// count tells failsafe of a probe's verdict, and of others when they make the rate. b.mu is held.
func (b *breaker) count(failed bool) {
	if b.state == page.StateClosed {
		sum := b.window.add(failed, time.Now())
		if sum.total < b.minimum || float64(sum.failed)/float64(sum.total) < b.rate {
			return
		}
		failed = true
	}
	if failed {
		b.failsafe.RecordFailure()
	} else {
		b.failsafe.RecordSuccess()
	}
}

// look notices a change of state and starts a new generation with it. b.mu is held.
func (b *breaker) look() (moved *page.BreakerState) {
	state := states[b.failsafe.State()]
	if state == b.state {
		return nil
	}
	b.state = state
	b.generation++
	b.window = newWindow(b.span, time.Now())
	return &state
}

func (b *breaker) tell(moved *page.BreakerState) {
	if moved != nil {
		b.moved(*moved)
	}
}

var states = map[failsafe.State]page.BreakerState{
	failsafe.ClosedState: page.StateClosed, failsafe.OpenState: page.StateOpen, failsafe.HalfOpenState: page.StateHalfOpen,
}

// now is the state, and how long it refuses everything yet.
func (b *breaker) now() (page.BreakerState, time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state, b.failsafe.RemainingDelay()
}
