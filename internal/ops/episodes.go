package ops

import (
	"fmt"
	"time"

	"example.com/bff/internal/page"
)

// quiet is how long nothing of its kind must happen for an episode to be over. Something must have gone well since, too:
// where nobody asks, nothing is known to be well again.
const quiet = 10 * time.Second

// episode is a stretch of time in which something goes on. The zero value is none.
type episode struct {
	since, last time.Time
	count       int
	better      bool                                             // something went well since last
	blamed      [page.NumDependencies + 1][page.NumOutcomes]bool // what the log has named: how a downstream failed, or the last for nobody
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
	better        func(*page.Record) bool // asked of those that are not of it
	began         func(*page.Record) string
	ended         string // with how many for %d, and with lasted for %s
}{
	{
		aboutPages, bad,
		func(r *page.Record) bool { return failure(r) && r.Resource == page.PageResource },
		func(r *page.Record) bool { return well(r) && r.Resource == page.PageResource },
		func(r *page.Record) string { return "Pages fail: " + cause(r) + "." },
		"Pages are answered again (%d failed%s).",
	},
	{
		aboutOffers, bad,
		func(r *page.Record) bool { return failure(r) && r.Resource == page.OfferResource },
		func(r *page.Record) bool { return well(r) && r.Resource == page.OfferResource },
		func(r *page.Record) string { return "Offers fail: " + cause(r) + "." },
		"Offers are answered again (%d failed%s).",
	},
	{
		aboutPrices, warn,
		func(r *page.Record) bool { return r.Notes[page.Price].Status == page.StatusStale },
		func(r *page.Record) bool { return well(r) && r.Resource == page.PageResource },
		func(r *page.Record) string {
			return "Remembered prices are shown: price " + said[r.Notes[page.Price].Reason] + "."
		},
		"Every price shown is live again (%d remembered%s).",
	},
	{
		aboutShedding, bad,
		func(r *page.Record) bool { return r.Shed != page.NotShed },
		func(r *page.Record) bool { return r.Result != page.RateLimited }, // which is before shedding
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

// well tells whether an answer has what the downstreams said in it.
func well(r *page.Record) bool {
	return r.Result == page.Full || r.Result == page.Degraded || r.Result == page.NotModified
}

// cause tells why there was no answer: the first critical downstream that failed.
func cause(r *page.Record) string {
	if r.Result == page.Internal {
		return "a defect of ours, which the log tells"
	}
	if d, how := culprit(r); d < page.NumDependencies {
		return d.String() + " " + said[how]
	}
	return "no time was left"
}

// culprit is the first critical downstream that failed, and how, or NumDependencies.
func culprit(r *page.Record) (page.Dependency, page.Outcome) {
	for i, d := range page.Dependencies {
		if c := &r.Calls[i]; d.Critical() && c.Asked && c.Outcome.Failed() && c.Outcome != page.Cancelled {
			return d, c.Outcome
		}
	}
	return page.NumDependencies, page.OK
}

// follow lets r begin or carry on episodes, and those end that are over. One that goes on for another reason is told of
// again, once for each: the first page to fail is not always like those that follow. o.mu is held.
func (o *Ops) follow(r *page.Record, now time.Time) {
	o.settle(now)
	for i := range episodes {
		e := &o.episodes[i]
		if !episodes[i].of(r) {
			e.better = e.better || episodes[i].better(r)
			continue
		}
		if !e.on() {
			e.since = now
		}
		d, how := culprit(r)
		if blamed := &e.blamed[d]; !blamed[how] && (!e.on() || failure(r)) {
			blamed[how], blamed[page.BreakerOpen] = true, true // a breaker opens because of the others
			o.note(event{now, episodes[i].subject, episodes[i].tone, episodes[i].began(r)})
		}
		e.last, e.better = now, false
		e.count++
	}
}

// settle ends the episodes that are over. o.mu is held.
func (o *Ops) settle(now time.Time) {
	for i := range o.episodes {
		if e := &o.episodes[i]; e.on() && e.better && now.Sub(e.last) > quiet {
			o.note(event{now, episodes[i].subject, good, fmt.Sprintf(episodes[i].ended, e.count, e.lasted())})
			*e = episode{}
		}
	}
}
