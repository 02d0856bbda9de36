package slo

import (
	"math"
	"time"

	"example.com/bff/internal/page"
)

// Period is the time over which an objective holds and its budget is spent.
const Period = 30 * 24 * time.Hour

// Verdict is what one answer does to an objective. The zero value is NotCounted.
type Verdict uint8

// The three verdicts.
const (
	NotCounted Verdict = iota
	Good
	Bad
)

// Objective is one row of the table: the promise, and which answers keep or break it.
type Objective struct {
	Name     string        // the label slo
	Title    string        // for people
	Resource page.Resource // whose answers it judges
	Target   float64       // the share of counted answers that shall be good, under 1
	Good     Results
	Bad      Results
	Within   time.Duration // over 0: of the good answers, those that took longer are bad
}

// NumObjectives is the number of rows.
const NumObjectives = 4

var served = results(page.Full, page.Degraded, page.NotModified, page.NotFound)

var failed = results(page.Unavailable, page.Shed, page.Internal)

// Objectives is the table of what is promised. The ledger, /slo and the generated Prometheus rules follow it.
var Objectives = [NumObjectives]Objective{
	{
		Name: "availability", Title: "Pages are answered",
		Resource: page.PageResource, Target: 0.999, Good: served, Bad: failed,
	},
	{
		Name: "latency", Title: "Answered pages take at most 0.5 s",
		Resource: page.PageResource, Target: 0.99, Good: served, Within: 500 * time.Millisecond,
	},
	{
		Name: "quality", Title: "Answered pages are complete",
		Resource: page.PageResource, Target: 0.98, Good: served.without(page.Degraded), Bad: results(page.Degraded),
	},
	{
		Name: "offer_availability", Title: "Offers are answered",
		Resource: page.OfferResource, Target: 0.9995, Good: served, Bad: failed,
	},
}

// Judge tells what the answer does to the objective.
func (o *Objective) Judge(r *page.Record) Verdict {
	switch {
	case r.Resource != o.Resource:
		return NotCounted
	case o.Good.Has(r.Result) && (o.Within == 0 || r.Duration <= o.Within):
		return Good
	case o.Good.Has(r.Result) || o.Bad.Has(r.Result):
		return Bad
	default:
		return NotCounted
	}
}

// Budget is the share of counted answers that may be bad, without the noise of 1 - Target in binary.
func (o *Objective) Budget() float64 { return math.Round((1-o.Target)*1e9) / 1e9 }

// Results is a set of results.
type Results uint16

func results(members ...page.Result) Results {
	var s Results
	for _, r := range members {
		s |= 1 << r
	}
	return s
}

func (s Results) without(r page.Result) Results { return s &^ (1 << r) }

// Has tells whether r is a member.
func (s Results) Has(r page.Result) bool { return s&(1<<r) != 0 }

// Union is the members of both.
func (s Results) Union(other Results) Results { return s | other }

// Names lists the members as metrics write them, in the contract's order.
func (s Results) Names() []string {
	var names []string
	for r := range page.Result(page.NumResults) {
		if s.Has(r) {
			names = append(names, r.String())
		}
	}
	return names
}
