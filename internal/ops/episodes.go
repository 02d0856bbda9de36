package ops

import (
	"fmt"
	"time"

	"example.com/bff/internal/page"
)

// quiet is how long nothing of its kind must happen for an episode to be over.
const quiet = 10 * time.Second

// episode is a stretch of time in which something goes on. The zero value is none.
type episode struct {
	since, last time.Time
	count       int
	blamed      [page.NumDependencies + 1]bool // who the log has named: a downstream, or the last for nobody
}

func (e *episode) on() bool { return e.count > 0 }

// lasted is for how long it went on, where that is worth saying.
func (e *episode) lasted() string {
	if d := e.last.Sub(e.since).Round(time.Second); d > 0 {
		return " in " + d.String()
	}
	return ""
}

// episodes are those that the log of events tells: when each began, with what, and when it was over.
var episodes = [numEpisodes]struct {
	subject, tone string
	of            func(*page.Record) bool
	began         func(*page.Record) string
	ended         string // with how many for %d, and with lasted for %s
}{
	{
		aboutPages, bad,
		func(r *page.Record) bool { return failure(r) && r.Resource == page.PageResource },
		func(r *page.Record) string { return "Pages fail: " + cause(r) + "." },
		"Pages are answered again (%d failed%s).",
	},
	{
		aboutOffers, bad,
		func(r *page.Record) bool { return failure(r) && r.Resource == page.OfferResource },
		func(r *page.Record) string { return "Offers fail: " + cause(r) + "." },
		"Offers are answered again (%d failed%s).",
	},
	{
		aboutPrices, warn,
		func(r *page.Record) bool { return r.Notes[page.Price].Status == page.StatusStale },
		func(r *page.Record) string {
			return "Remembered prices are shown: price " + said[r.Notes[page.Price].Reason] + "."
		},
		"Every price shown is live again (%d remembered%s).",
	},
	{
		aboutShedding, bad,
		func(r *page.Record) bool { return r.Shed != page.NotShed },
		func(r *page.Record) string {
			return "Shedding began: a request of priority " + r.Priority.String() + " was refused (" + r.Shed.String() + ")."
		},
		"Shedding is over (%d refused%s).",
	},
}

const numEpisodes = 4

// said is how a call ended, after its downstream's name.
var said = [page.NumOutcomes]string{
	page.OK: "answered", page.Absent: "has nothing", page.Timeout: "timed out", page.UpstreamError: "answered with an error",
	page.InvalidResponse: "gave an invalid answer", page.BreakerOpen: "was not asked, its breaker is open",
	page.BulkheadFull: "was not asked, its bulkhead is full", page.Cancelled: "was no longer needed",
}

func failure(r *page.Record) bool { return r.Result == page.Unavailable || r.Result == page.Internal }

// cause tells why there was no answer: the first critical downstream that failed.
func cause(r *page.Record) string {
	if r.Result == page.Internal {
		return "a defect of ours, which the log tells"
	}
	if d := culprit(r); d < page.NumDependencies {
		return d.String() + " " + said[r.Calls[d].Outcome]
	}
	return "no time was left"
}

// culprit is the first critical downstream that failed, or NumDependencies.
func culprit(r *page.Record) page.Dependency {
	for i, d := range page.Dependencies {
		if c := &r.Calls[i]; d.Critical() && c.Asked && c.Outcome.Failed() && c.Outcome != page.Cancelled {
			return d
		}
	}
	return page.NumDependencies
}

// follow lets r begin or carry on episodes, and those end that are over. One that goes on for another reason is told of
// again, once for each downstream. o.mu is held.
func (o *Ops) follow(r *page.Record, now time.Time) {
	o.settle(now)
	for i := range episodes {
		if !episodes[i].of(r) {
			continue
		}
		e := &o.episodes[i]
		if !e.on() {
			e.since = now
		}
		if blamed := &e.blamed[culprit(r)]; !*blamed && (!e.on() || failure(r)) {
			*blamed = true
			o.note(event{now, episodes[i].subject, episodes[i].tone, episodes[i].began(r)})
		}
		e.last = now
		e.count++
	}
}

// settle ends the episodes that are over. o.mu is held.
func (o *Ops) settle(now time.Time) {
	for i := range o.episodes {
		if e := &o.episodes[i]; e.on() && now.Sub(e.last) > quiet {
			o.note(event{now, episodes[i].subject, good, fmt.Sprintf(episodes[i].ended, e.count, e.lasted())})
			*e = episode{}
		}
	}
}
