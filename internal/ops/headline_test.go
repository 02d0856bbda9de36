package ops_test

import (
	"slices"
	"testing"
	"time"

	"example.com/bff/internal/ops"
	"example.com/bff/internal/page"
	"example.com/bff/internal/slo"
	"example.com/bff/storefront/browsertest"
)

// TestTheHeadlineDoesNotExaggerate: what befalls a fifth of the pages is not said of all, and no page at all is said too.
func TestTheHeadlineDoesNotExaggerate(t *testing.T) {
	b, ok := browsertest.Start(t)
	if !ok {
		return
	}
	type turns []func() *page.Record
	const unasked = "price remembered: not asked, breaker open"
	whole := func() *page.Record { return answered(page.Full, 40*ms) }
	without := func() *page.Record {
		return call(answered(page.Degraded, 110*ms), page.Recommendations, page.Timeout, 100*ms)
	}
	remembered := func() *page.Record {
		r := call(answered(page.Degraded, 160*ms), page.Price, page.BreakerOpen, 0)
		r.HasNotes = true
		r.Notes[page.Price] = page.Note{Status: page.StatusStale, Reason: page.BreakerOpen, Age: 14 * time.Second}
		return r
	}
	one := func(o page.Outcome) func() *page.Record {
		return func() *page.Record { return call(remembered(), page.Recommendations, o, ms) }
	}
	forgotten := func() *page.Record {
		r := call(answered(page.Unavailable, 160*ms), page.Price, page.Timeout, 150*ms)
		r.Recall = page.Recall{Asked: true, Result: page.MemoryError}
		return r
	}
	limited := func() *page.Record { return answered(page.RateLimited, 0) }
	invalid := func() *page.Record { return answered(page.Invalid, 0) }
	for name, c := range map[string]struct {
		pages    turns // what is served, again and again
		headline string
		row      string
		prices   string
	}{
		"nobody":               {nil, "Nobody asks just now", "", "No price was shown."},
		"a few without":        {turns{without, whole, whole, whole, whole}, "Some pages come without recommendations", "Degraded", "Every price shown was live."},
		"most without":         {turns{without, without, whole}, "Pages come without recommendations", "Degraded", "Every price shown was live."},
		"a few remembered":     {turns{remembered, whole, whole, whole, whole}, "Some pages show remembered prices", unasked, "showed one, the oldest 14 s old."},
		"one of 40 without":    {slices.Concat(turns{one(page.Timeout)}, slices.Repeat(turns{one(page.OK)}, 39)), "Pages show remembered prices", unasked, "showed one"},
		"all from the memory":  {turns{remembered}, "Pages show remembered prices", unasked, "showed one"},
		"none in the memory":   {turns{forgotten}, "Pages fail for want of price", "price: timed out", "None was shown, though it was asked for."},
		"all rate-limited":     {turns{limited}, "Every client is refused by its rate limit", "Rate limited", ""},
		"some rate-limited":    {turns{limited, whole}, "Every page is whole", "Whole", ""},
		"nothing but refusals": {turns{limited, invalid}, "No request is answered", "Invalid", ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOps(func() string { return "serving" })
			url := serveOps(t, o)
			if len(c.pages) > 0 {
				keepServing(t, 50, func(i int) { o.Served(c.pages[i%len(c.pages)]()) })
			}
			tab := b.Open(t, url+"/ops", browsertest.View{})
			tab.SeesLike("h1", "^"+c.headline+"$")
			tab.Sees("#prices-now", c.prices)
			if len(c.pages) == 0 {
				tab.Sees("#pages-none", "None so far.")
				return
			}
			tab.SeesLike("#pages li", c.row)
			tab.SeesNo("#pages-none", "")
		})
	}
}

func TestAFewBadAnswersWakeNobody(t *testing.T) {
	b, ok := browsertest.Start(t)
	if !ok {
		return
	}
	ledger := slo.NewLedger(nil)
	o := ops.New(ops.Options{Config: []string{"BFF_ADDR=:8080"}, Deadline: 450 * ms, State: func() string { return "serving" }, Objectives: ledger.Report})
	url := serveOps(t, o)
	for range 9 {
		ledger.Served(answered(page.Unavailable, ms))
	}
	tab := b.Open(t, url+"/ops", browsertest.View{})
	tab.Sees("#objective-availability", "Burns fast, but of too few answers to wake somebody.")
	ledger.Served(answered(page.Unavailable, ms))
	tab.Sees("#objective-availability", "Burns fast, enough to wake somebody.")
}
