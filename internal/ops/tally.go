package ops

import (
	"time"

	"example.com/bff/internal/page"
)

const (
	slotLength = 2 * time.Second
	slots      = 150 // five minutes: what the timeline shows
	recent     = 30  // of them, a minute: what tiles and tables count
	lately     = 5   // of them, ten seconds: what the headline speaks of
)

// tally counts what happened in one slot of time, or in several.
type tally struct {
	results [numResources][page.NumResults]uint32
	took    histogram     // pages and offers that were answered from what downstreams said
	stale   uint32        // pages with a remembered price
	oldest  time.Duration // the age of the oldest of these
	calls   [page.NumDependencies]callTally
	recalls [page.NumMemoryResults]uint32 // reads of remembered prices
	learned [page.NumMemoryResults]uint32 // writes of them
	shed    [page.NumPriorities][numShedReasons]uint32
}

const numResources = int(page.OfferResource) + 1

// numShedReasons counts page.NotShed too: what was let in.
const numShedReasons = int(page.ShedOverride) + 1

// callTally counts the calls to one downstream.
type callTally struct {
	outcomes  [page.NumOutcomes]uint32
	attempts  [page.NumAttemptKinds]uint32
	coalesced uint32
	took      histogram // of calls that asked the downstream and saw their own end
}

func (t *tally) add(r *page.Record) {
	t.results[r.Resource][r.Result]++
	if r.Result != page.RateLimited {
		t.shed[r.Priority][r.Shed]++
	}
	if kinds[r.Result] != refused && r.Result != page.Invalid && r.Result != page.ClientLeft {
		t.took.add(r.Duration)
	}
	if note := r.Notes[page.Price]; note.Status == page.StatusStale {
		t.stale++
		t.oldest = max(t.oldest, note.Age)
	}
	if r.Recall.Asked {
		t.recalls[r.Recall.Result]++
	}
	for i := range r.Calls {
		t.calls[i].add(&r.Calls[i])
	}
}

func (t *callTally) add(c *page.Call) {
	if !c.Asked {
		return
	}
	t.outcomes[c.Outcome]++
	if c.Coalesced {
		t.coalesced++
	} else {
		for _, a := range c.Attempts {
			t.attempts[a.Kind]++
		}
	}
	if len(c.Attempts) > 0 && c.Outcome != page.Cancelled {
		t.took.add(c.Duration)
	}
}

func (t *tally) plus(other *tally) {
	for r := range t.results {
		sum(t.results[r][:], other.results[r][:])
	}
	t.took.plus(&other.took)
	t.stale += other.stale
	t.oldest = max(t.oldest, other.oldest)
	sum(t.recalls[:], other.recalls[:])
	sum(t.learned[:], other.learned[:])
	for p := range t.shed {
		sum(t.shed[p][:], other.shed[p][:])
	}
	for d := range t.calls {
		sum(t.calls[d].outcomes[:], other.calls[d].outcomes[:])
		sum(t.calls[d].attempts[:], other.calls[d].attempts[:])
		t.calls[d].coalesced += other.calls[d].coalesced
		t.calls[d].took.plus(&other.calls[d].took)
	}
}

func sum(to, from []uint32) {
	for i := range to {
		to[i] += from[i]
	}
}

// past is the last five minutes in slots.
type past struct {
	start   time.Time
	current int // the slot under way, counted from start and never wrapped
	slots   [slots]tally
}

// at is the slot of an instant, or the one under way if that is later.
func (p *past) at(now time.Time) *tally {
	number := int(now.Sub(p.start) / slotLength)
	for p.current = max(p.current, number-slots); p.current < number; {
		p.current++
		p.slots[p.current%slots] = tally{}
	}
	return &p.slots[p.current%slots]
}

// last adds up the slot under way and the n-1 before it.
func (p *past) last(now time.Time, n int) (t tally) {
	p.at(now)
	for i := max(0, p.current-n+1); i <= p.current; i++ {
		t.plus(&p.slots[i%slots])
	}
	return t
}
