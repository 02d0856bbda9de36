// Package override holds the levers for the night: what an operator can have a running instance do for a while, without
// a restart and so without the loss of what its breakers and its memory know.
//
// It promises that whatever is in force has an end and a reason; that it is listed, told to metrics, and logged when it
// is set, taken back and over; and that asking for it costs a request one atomic load.
package override

import (
	"log/slog"
	"sync/atomic"
	"time"

	"example.com/bff/internal/page"
)

// target is what is overridden: a downstream, by its number, or shedding.
type target int

const (
	shed       target = page.NumDependencies
	numTargets        = page.NumDependencies + 1
)

func (t target) String() string {
	if t == shed {
		return "shed"
	}
	return page.Dependency(t).String()
}

// order is one override. It is not changed once it is in force.
type order struct {
	mode     page.OverrideMode // of a downstream
	percent  uint64            // of requests to shed: 1 to 100
	priority page.Priority     // theirs, at most
	reason   string
	length   time.Duration
	until    time.Time

	end  *time.Timer
	seen [page.NumPriorities]atomic.Uint64 // requests that shedding was asked about
}

// left is 0 once the order is over.
func (o *order) left() time.Duration { return max(0, time.Until(o.until)) }

// words are what a log line tells of it.
func (o *order) words(t target) []any {
	words := []any{"target", t.String(), "for", o.length.String(), "reason", o.reason}
	if t == shed {
		return append(words, "percent", o.percent, "priority", o.priority.String())
	}
	return append(words, "mode", o.mode.String())
}

// Board is where the levers are. Make one with New, and Close it. Its methods are safe for concurrent use.
type Board struct {
	log     *slog.Logger
	moved   func(Move, View)
	inForce [numTargets]atomic.Pointer[order]
}

// New is a board on which nothing is in force. moved is told what becomes of each override, and must not block.
func New(log *slog.Logger, moved func(Move, View)) *Board { return &Board{log: log, moved: moved} }

// Close takes everything back, and logs nothing.
func (b *Board) Close() {
	for i := range b.inForce {
		if o := b.inForce[i].Swap(nil); o != nil {
			o.end.Stop()
		}
	}
}

// Downstream tells what holds for the calls to d, whenever it is asked.
func (b *Board) Downstream(d page.Dependency) func() page.Override {
	return func() page.Override {
		o := b.inForce[d].Load()
		if o == nil {
			return page.Override{}
		}
		left := o.left()
		if left == 0 { // its timer is late
			return page.Override{}
		}
		return page.Override{Mode: o.mode, Left: left}
	}
}

// stride has no factor in common with 100, so that its multiples meet each remainder once in a hundred; and it spreads
// them, so that of requests that come in some rhythm the same ones are not always hit.
const stride = 37

// Sheds counts a request of p, and tells whether it is one of those to refuse: of each hundred of a priority in a row,
// exactly as many as were ordered.
func (b *Board) Sheds(p page.Priority) bool {
	o := b.inForce[shed].Load()
	if o == nil || p > o.priority || o.left() == 0 {
		return false
	}
	return (o.seen[p].Add(1)-1)*stride%100 < o.percent
}

// State is what is in force.
type State struct {
	Downstreams [page.NumDependencies]page.OverrideMode
	Shedding    bool
	Shed        page.Priority // and below; meaningful when Shedding
}

// State reads it; scrapes do.
func (b *Board) State() (s State) {
	for i, d := range page.Dependencies {
		s.Downstreams[i] = b.Downstream(d)().Mode
	}
	if o := b.inForce[shed].Load(); o != nil && o.left() > 0 {
		s.Shedding, s.Shed = true, o.priority
	}
	return s
}

// set puts o in force, from now on, in the place of what was.
func (b *Board) set(t target, o *order) {
	o.until = time.Now().Add(o.length)
	o.end = time.AfterFunc(o.length, func() {
		if b.inForce[t].CompareAndSwap(o, nil) {
			b.tell(Over, t, o)
		}
	})
	if before := b.inForce[t].Swap(o); before != nil {
		before.end.Stop()
	}
	b.tell(Set, t, o)
}

func (b *Board) takeBack(t target) {
	if o := b.inForce[t].Swap(nil); o != nil {
		o.end.Stop()
		b.tell(TakenBack, t, o)
	}
}

func (b *Board) tell(m Move, t target, o *order) {
	b.log.Warn("override "+m.String(), o.words(t)...)
	b.moved(m, o.view(t))
}
