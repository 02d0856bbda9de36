package ops_test

import (
	"fmt"
	"testing"
	"time"

	"example.com/bff/internal/page"
	"example.com/bff/storefront/browsertest"
)

// eventful is a page to which everything happened that the waterfall can draw.
func eventful() *page.Record {
	r := answered(page.Degraded, 300*ms)
	r.Allowed, r.Queued = 400*ms, 15*ms
	at := func(after time.Duration) time.Time { return r.Start.Add(after) }
	attempt := func(kind page.AttemptKind, o page.Outcome, from, to time.Duration) page.Attempt {
		return page.Attempt{Kind: kind, Outcome: o, Start: at(from), Duration: to - from}
	}
	made := func(o page.Outcome, from, to time.Duration, all ...page.Attempt) page.Call {
		return page.Call{Asked: true, Outcome: o, Start: at(from), Duration: to - from, Attempts: all}
	}
	r.Calls[page.Catalog] = made(page.OK, 15*ms, 215*ms, attempt(page.First, page.UpstreamError, 15*ms, 115*ms), attempt(page.Retry, page.OK, 130*ms, 215*ms))
	r.Calls[page.Price] = made(page.Timeout, 15*ms, 165*ms, attempt(page.First, page.Timeout, 15*ms, 165*ms))
	r.Calls[page.Stock] = made(page.OK, 15*ms, 135*ms, attempt(page.First, page.Cancelled, 15*ms, 135*ms), attempt(page.Hedge, page.OK, 95*ms, 135*ms))
	r.Calls[page.Reviews] = made(page.OK, 15*ms, 60*ms, attempt(page.First, page.OK, -20*ms, 60*ms))
	r.Calls[page.Reviews].Coalesced = true
	r.Calls[page.Recommendations] = made(page.BulkheadFull, 15*ms, 20*ms)
	r.Calls[page.Recommendations].Queued = 5 * ms
	r.Recall = page.Recall{Asked: true, Result: page.MemoryHit, Start: at(165 * ms), Duration: 10 * ms}
	r.HasNotes = true
	for i := range r.Notes {
		r.Notes[i].Status = page.StatusOK
	}
	r.Notes[page.Price] = page.Note{Status: page.StatusStale, Reason: page.Timeout, Age: time.Minute}
	r.Notes[page.Recommendations] = page.Note{Status: page.StatusUnavailable, Reason: page.BulkheadFull}
	return r
}

// TestTheWaterfallDrawsWhatHappened: where each bar begins and ends on the axis, and what is said of it.
func TestTheWaterfallDrawsWhatHappened(t *testing.T) {
	b, ok := browsertest.Start(t)
	if !ok {
		return
	}
	o := newOps(func() string { return "serving" })
	url := serveOps(t, o)
	o.Served(eventful())
	tab := b.Open(t, url+"/ops", browsertest.View{Height: 2200, Width: 1440})
	tab.Sees("#pages li", "price remembered, no recommendations")

	// The axis is as long as the deadline and a tenth: 495 ms.
	for bar, span := range map[string][2]float64{
		"i.wait[style*='--lane: -1']": {0, 15}, "i.first[style*='--lane: 0']": {15, 115}, "i.wait[style*='--lane: 0']": {115, 130},
		"i.retry[style*='--lane: 0']": {130, 215}, "i.first[style*='--lane: 1']": {15, 165}, "i.memory[style*='--lane: 1']": {165, 175},
		"i.hedge[style*='--lane: 2']": {95, 135}, "i.shared[style*='--lane: 3']": {15, 60}, "i.wait[style*='--lane: 4']": {15, 20},
		"i.refusal[style*='--lane: 4']": {20, 20}, "b.end": {300, 300}, "b.deadline": {450, 450}, "b.deadline.own": {400, 400},
	} {
		got := browsertest.Ask[[]float64](tab, fmt.Sprintf(`(() => {
			const bar = document.querySelector("#pages .track > %s");
			if (!bar) return [];
			const [from, long] = [bar.style.left, bar.style.width || "0%%"].map((x) => parseFloat(x) * 4.95);
			const { width, height } = bar.getBoundingClientRect();
			return [Math.round(from), Math.round(from + long), width * height];
		})()`, bar))
		if len(got) != 3 || got[0] != span[0] || got[1] != span[1] || got[2] <= 0 {
			t.Errorf("%s is from, to, with an area of %v; want %v", bar, got, span)
		}
	}
	if marks := browsertest.Ask[string](tab, "[...document.querySelectorAll('#objective-availability li:first-child .burn b')].map(b => (parseFloat(b.style.left) * 18 / 100).toFixed(1)).join()"); marks != "6.0,14.4" {
		t.Errorf("the burn has marks at %s", marks)
	}
	tab.Click("#pages button")
	for _, words := range []string{
		`queue\s+waited 15 ms to be let in`,
		`catalog\s+ok after 200 ms\s+first attempt at 15 ms: answered with an error after 100 ms\s+retry at 130 ms: ok after 85 ms`,
		`price\s+timed out after 150 ms`, `stock\s+ok after 120 ms\s+first attempt at 15 ms: no longer needed after 120 ms\s+hedge at 95 ms: ok after 40 ms`,
		`reviews\s+ok after 45 ms\s+shared a call that another page had begun`, `recommendations\s+not asked, bulkhead full\s+5.0 ms of it waiting for a place`,
		`remembered price\s+found after 10 ms`,
	} {
		tab.SeesLike("#detail-lanes", words)
	}
	tab.SeesLike("#detail-facts", `Took\s+300 of 400 ms`)
	tab.Sees("#detail-why", "price remembered 60 s ago, the live one timed out; recommendations: not asked, bulkhead full")
	tab.Accessible()
	tab.Screenshot("ops-waterfall")

	phone := b.Open(t, url+"/ops", browsertest.View{Width: 360, Height: 1200, Dark: true})
	phone.Click("#pages button")
	phone.SeesLike("#detail-lanes", "hedge at 95 ms")
	phone.Accessible()
	if wider := browsertest.Ask[int](phone, "document.getElementById('detail').scrollWidth - document.getElementById('detail').clientWidth"); wider > 0 {
		t.Errorf("%d pixels do not fit on a phone", wider)
	}
	phone.Screenshot("ops-waterfall-phone")
}
