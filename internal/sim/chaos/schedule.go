// Package chaos lets everything go wrong at once, and tells which promises that broke.
//
// A Schedule is drawn from a seed: how the service is configured, and every fault of every fake, of the network to
// them, of the process, and of callers, each for a while, over a minute or two of virtual time. Run lets it happen to the
// whole service inside a testing/synctest bubble, with callers of its own, and returns every Violation of what must hold
// whatever happens: see rules and accounts. What is held against the service is counted here, from what callers got and
// from what reached the fakes.
//
// The same seed is the same schedule. Two runs of it differ in what the service itself draws, and in which of two things at
// one instant comes first; a failure may therefore need a few runs to show again.
package chaos

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"example.com/bff/fakes"
)

const (
	ms       = time.Millisecond
	deadline = 450 * ms // of a page, unless its caller allows less
)

// Schedule is one run's troubles.
type Schedule struct {
	Seed    uint64
	Events  []Event // by their beginning
	trouble time.Duration
	config  config
	gentle  bool // only reviews and recommendations have troubles, and callers behave
}

// Event is one trouble.
type Event struct {
	From, Long time.Duration
	What       string
	harms      string // the downstream that it may harm; empty: none
	crowds     bool   // more is asked, or less let in, than usual
	begin, end func(*run)
}

func (e Event) String() string {
	return fmt.Sprintf("%7.3f s, for %6.3f s: %s", e.From.Seconds(), e.Long.Seconds(), e.What)
}

// overlaps tells whether some of the event is in from…to, counted from the run's beginning.
func (e Event) overlaps(from, to time.Duration) bool { return e.From <= to && e.From+e.Long >= from }

// New draws the schedule of a seed.
func New(seed uint64) Schedule {
	dice := rand.New(rand.NewPCG(seed, 0x5eed))
	s := Schedule{Seed: seed, gentle: seed%4 == 0}
	s.trouble = 40*time.Second + time.Duration(dice.IntN(50))*time.Second
	s.config = drawConfig(dice)
	lanes := lanesOf(fakes.Names())
	if s.gentle {
		lanes = lanesOf([]string{"reviews", "recommendations"})
	} else {
		lanes = append(append(lanes, callers...), operators...)
	}
	for _, lane := range lanes {
		if dice.IntN(2) == 0 {
			s.Events = append(s.Events, lane.draw(dice, s.trouble)...)
		}
	}
	if s.config.redis = seed%5 == 2; s.config.redis {
		s.config.rateLimit = false // its clock is not the bubble's
		s.Events = append(s.Events, redisLane.draw(dice, s.trouble)...)
	}
	slices.SortStableFunc(s.Events, func(a, b Event) int { return cmp.Compare(a.From, b.From) })
	return s
}

// Only is the schedule with no events but these, by their numbers.
func (s Schedule) Only(keep []int) Schedule {
	all := s.Events
	s.Events = nil
	for _, i := range keep {
		s.Events = append(s.Events, all[i])
	}
	return s
}

// String tells the configuration and the events with their numbers.
func (s Schedule) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: %s\n", s.Seed, strings.Join(s.config.env(), " "))
	for i, e := range s.Events {
		fmt.Fprintf(&b, "  %2d  %v\n", i, e)
	}
	return b.String()
}

// lane is a kind of trouble in one place; one at a time, so that the end of one does not end another.
type lane struct {
	event func(dice *rand.Rand) Event // without its time
	most  time.Duration               // that one lasts
}

// draw fills a lane.
func (l lane) draw(dice *rand.Rand, trouble time.Duration) (all []Event) {
	const pause = 30 * time.Second
	at := upTo(dice, pause)
	for at < trouble {
		e := l.event(dice)
		e.From, e.Long = at, min(trouble-at, upTo(dice, l.most))
		all = append(all, e)
		at += e.Long + time.Second + upTo(dice, pause)
	}
	return all
}

// upTo is over 0.
func upTo(dice *rand.Rand, d time.Duration) time.Duration {
	return 1 + time.Duration(dice.Int64N(int64(d)))
}

func pick[T any](dice *rand.Rand, from ...T) T { return from[dice.IntN(len(from))] }
