package ops

import (
	"fmt"
	"time"

	"example.com/bff/internal/page"
)

// keptEvents is the length of the log of events.
const keptEvents = 100

// event is one line of that log, made of our own words and of the reasons that operators give.
type event struct {
	at      time.Time
	subject string
	tone    string
	text    string
}

// What events are about, and how good or bad they are.
const (
	aboutInstance = "instance"
	aboutBreaker  = "breaker"
	aboutPages    = "pages"
	aboutOffers   = "offers"
	aboutPrices   = "prices"
	aboutShedding = "shedding"
	aboutOverride = "override"

	info = "info"
	good = "good"
	warn = "warn"
	bad  = "bad"
)

// note enters an event. o.mu is held.
func (o *Ops) note(e event) { *o.events.next() = e }

// instanceWords are by the state that the instance moved to.
var instanceWords = map[string]string{
	"draining": "Draining: no longer ready, and serving what still comes.",
	"stopped":  "The drain is over: what is in flight is finished, and new requests are refused.",
}

// InstanceMoved enters a change of the state that Options.State tells.
func (o *Ops) InstanceMoved(state string) {
	now := time.Now()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.note(event{now, aboutInstance, warn, instanceWords[state]})
}

// outage is the time for which a breaker is not closed. The zero value is none.
type outage struct {
	since  time.Time
	probes int       // that failed
	told   time.Time // when the log last said so
}

// tellEvery is how often the log tells of probes that fail and fail.
const tellEvery = time.Minute

// BreakerMoved enters a change of a breaker's state.
func (o *Ops) BreakerMoved(d page.Dependency, to page.BreakerState) {
	now := time.Now()
	o.mu.Lock()
	defer o.mu.Unlock()
	if tone, text := o.outages[d].move(to, now); text != "" {
		if tone == bad && !d.Critical() {
			tone = warn
		}
		o.note(event{now, aboutBreaker, tone, d.String() + ": " + text})
	}
}

// move is what to say of a breaker's move: nothing when it was said a moment ago.
func (u *outage) move(to page.BreakerState, now time.Time) (tone, text string) {
	begins := u.since.IsZero()
	if begins {
		u.since = now
	}
	switch {
	case to == page.StateClosed:
		lasted := now.Sub(u.since).Round(time.Second)
		*u = outage{}
		return good, fmt.Sprintf("the breaker closed after %s. It is asked as usual again.", lasted)
	case to == page.StateHalfOpen && u.probes > 0:
		return "", ""
	case to == page.StateHalfOpen:
		return warn, "the breaker is half-open. A probe goes through."
	case begins:
		return bad, "the breaker opened. It is not asked until a probe may go."
	}
	u.probes++
	if !u.told.IsZero() && now.Sub(u.told) < tellEvery {
		return "", ""
	}
	u.told = now
	if u.probes == 1 {
		return bad, "the probe failed, and the breaker is open again."
	}
	return bad, fmt.Sprintf("the breaker is open still. %d probes have failed.", u.probes)
}
