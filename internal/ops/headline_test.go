package ops_test

import (
	"net/http/httptest"
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
	for name, c := range map[string]struct {
		pages    []func() *page.Record // in turn
		headline string
		row      string
	}{
		"nobody":              {nil, "Nobody asks just now", ""},
		"a few without":       {[]func() *page.Record{without, whole, whole, whole, whole}, "Some pages come without recommendations", "Degraded"},
		"most without":        {[]func() *page.Record{without, without, whole}, "Pages come without recommendations", "Degraded"},
		"a few remembered":    {[]func() *page.Record{remembered, whole, whole, whole, whole}, "Some pages show remembered prices", "price remembered: not asked, breaker open"},
		"all from the memory": {[]func() *page.Record{remembered}, "Pages show remembered prices", "price remembered: not asked, breaker open"},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOps(func() string { return "serving" })
			server := httptest.NewServer(o.Handler())
			t.Cleanup(func() {
				o.Close()
				server.Close()
			})
			if len(c.pages) > 0 {
				keepServing(t, 50, func(i int) { o.Served(c.pages[i%len(c.pages)]()) })
			}
			tab := b.Open(t, server.URL+"/ops", browsertest.View{})
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
