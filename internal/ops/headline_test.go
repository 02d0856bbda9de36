package ops_test

import (
	"slices"
	"testing"
	"time"

	"example.com/bff/internal/page"
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
	for name, c := range map[string]struct {
		pages    turns // what is served, again and again
		headline string
		row      string
	}{
		"nobody":              {nil, "Nobody asks just now", ""},
		"a few without":       {turns{without, whole, whole, whole, whole}, "Some pages come without recommendations", "Degraded"},
		"most without":        {turns{without, without, whole}, "Pages come without recommendations", "Degraded"},
		"a few remembered":    {turns{remembered, whole, whole, whole, whole}, "Some pages show remembered prices", unasked},
		"one of 40 without":   {slices.Concat(turns{one(page.Timeout)}, slices.Repeat(turns{one(page.OK)}, 39)), "Pages show remembered prices", unasked},
		"all from the memory": {turns{remembered}, "Pages show remembered prices", unasked},
	} {
		t.Run(name, func(t *testing.T) {
			o, url := serveOps(t)
			if len(c.pages) > 0 {
				keepServing(t, 50, func(i int) { o.Served(c.pages[i%len(c.pages)]()) })
			}
			tab := b.Open(t, url+"/ops", browsertest.View{})
			tab.SeesLike("h1", "^"+c.headline+"$")
			if len(c.pages) == 0 {
				tab.Sees("#pages-none", "None so far.")
				return
			}
			tab.SeesLike("#pages li", c.row)
			tab.SeesNo("#pages-none", "")
		})
	}
}
