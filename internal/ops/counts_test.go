package ops_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"example.com/bff/internal/page"
)

func TestPercentilesAreThoseOfWhatWasServed(t *testing.T) {
	bubble(t, func(w *world) {
		random := rand.New(rand.NewPCG(1, 2))
		for _, most := range []time.Duration{time.Millisecond, 40 * ms, 450 * ms, 30 * time.Second} {
			var all []time.Duration
			for range 500 {
				took := time.Duration(random.Int64N(int64(most)))
				all = append(all, took)
				w.ops.Served(call(answered(page.Full, took), page.Stock, page.OK, took))
			}
			slices.Sort(all)
			got := w.now().Recent
			for _, q := range []quantiles{got.Took, got.Downstreams[page.Stock].Took} {
				for p, have := range map[float64]float64{.5: q.P50, .95: q.P95, .99: q.P99} {
					want := float64(all[int(math.Ceil(p*500))-1]) / float64(ms)
					if math.Abs(have-want) > want/8+.15 {
						t.Errorf("up to %v: p%v is %v ms, want %v", most, 100*p, have, want)
					}
				}
			}
			time.Sleep(2 * time.Minute)
		}
		if q := w.now().Recent.Took; q != (quantiles{}) {
			t.Errorf("of nothing, the percentiles are %+v", q)
		}
	})
}

func TestCallsThatAskedNothingHaveNoDuration(t *testing.T) {
	bubble(t, func(w *world) {
		for range 50 {
			r := answered(page.Degraded, 20*ms)
			r.Calls[page.Reviews] = page.Call{Asked: true, Outcome: page.BreakerOpen, Start: r.Start}
			call(r, page.Recommendations, page.Cancelled, ms)
			w.ops.Served(r)
		}
		w.ops.Served(call(answered(page.Full, 100*ms), page.Reviews, page.OK, 100*ms))
		f := w.now().Recent
		reviews := f.Downstreams[page.Reviews]
		if reviews.Took.P50 < 90 || reviews.Outcomes["breaker_open"] != 50 || reviews.Outcomes["ok"] != 1 {
			t.Errorf("%+v", reviews)
		}
		if q := f.Downstreams[page.Recommendations].Took; q != (quantiles{}) {
			t.Errorf("calls that nobody waited for took %+v", q)
		}
	})
}

func TestWindowsForget(t *testing.T) {
	bubble(t, func(w *world) {
		r := call(answered(page.Degraded, 80*ms), page.Price, page.Timeout, 70*ms)
		r.Notes[page.Price] = page.Note{Status: page.StatusStale, Reason: page.Timeout, Age: 61 * time.Second}
		r.Recall = page.Recall{Asked: true, Result: page.MemoryHit, Start: r.Start.Add(70 * ms), Duration: ms}
		w.ops.Served(r)
		w.ops.Remembered(page.MemoryOK)
		for _, c := range []struct {
			after          time.Duration
			lately, recent int
		}{{0, 1, 1}, {8 * time.Second, 1, 1}, {4 * time.Second, 0, 1}, {46 * time.Second, 0, 1}, {4 * time.Second, 0, 0}, {9 * time.Minute, 0, 0}} {
			time.Sleep(c.after)
			f := w.now()
			if f.Lately.Pages["degraded"] != c.lately || f.Recent.Pages["degraded"] != c.recent {
				t.Errorf("after %v more: %v and %v", c.after, f.Lately.Pages, f.Recent.Pages)
			}
			if f.Recent.Stale != c.recent || f.Recent.Recalls["hit"] != c.recent || f.Recent.Learned["ok"] != c.recent ||
				f.Recent.Downstreams[page.Price].Attempts["first"] != c.recent || f.Recent.OldestMs != float64(61000*c.recent) {
				t.Errorf("after %v more: %+v", c.after, f.Recent)
			}
		}
	})
}

func TestTheTimelineTellsFiveMinutes(t *testing.T) {
	bubble(t, func(w *world) {
		w.ops.Served(answered(page.Full, ms))
		time.Sleep(100 * time.Second)
		for _, r := range []page.Result{page.Full, page.NotModified, page.NotFound, page.Degraded, page.Deadline, page.Shed, page.RateLimited, page.Invalid, page.ClientLeft} {
			w.ops.Served(answered(r, ms))
		}
		time.Sleep(100 * time.Second)
		sum := func() (whole, less, failed, refused int) {
			for _, s := range w.now().Timeline {
				whole, less, failed, refused = whole+s.Whole, less+s.Less, failed+s.Failed, refused+s.Refused
			}
			return
		}
		if a, b, c, d := sum(); a != 4 || b != 1 || c != 1 || d != 2 {
			t.Errorf("%d whole, %d degraded, %d failed, %d refused", a, b, c, d)
		}
		time.Sleep(120 * time.Second)
		if a, _, _, _ := sum(); a != 3 {
			t.Errorf("after 320 s it tells %d whole pages", a)
		}
		if n := len(w.now().Timeline); n != 150 {
			t.Errorf("it has %d slots", n)
		}
	})
}

func TestSheddingIsCountedByPriority(t *testing.T) {
	bubble(t, func(w *world) {
		for _, c := range []struct {
			p      page.Priority
			reason page.ShedReason
			result page.Result
		}{
			{page.Critical, page.NotShed, page.Full}, {page.Default, page.ShedAge, page.Shed}, {page.Default, page.NotShed, page.RateLimited},
			{page.Background, page.ShedFull, page.ShedBackground}, {page.Background, page.ShedFull, page.ShedBackground},
		} {
			r := answered(c.result, ms)
			r.Priority, r.Shed = c.p, c.reason
			w.ops.Served(r)
		}
		got := w.now().Recent.Shed
		if got["critical"][""] != 1 || got["default"]["age"] != 1 || got["default"][""] != 0 || got["background"]["full"] != 2 {
			t.Errorf("%v", got)
		}
	})
}

func TestATraceTellsWhatHappenedWhen(t *testing.T) {
	bubble(t, func(w *world) {
		r := answered(page.Degraded, 200*ms)
		at := func(after time.Duration) time.Time { return r.Start.Add(after) }
		r.Queued = 5 * ms
		r.HasNotes = true
		r.Notes[page.Price] = page.Note{Status: page.StatusStale, Reason: page.Timeout, Age: time.Minute}
		r.Calls[page.Price] = page.Call{
			Asked: true, Outcome: page.Timeout, Start: at(5 * ms), Duration: 190 * ms, Queued: 12345 * time.Microsecond, Coalesced: true,
			Attempts: []page.Attempt{
				{Kind: page.First, Outcome: page.UpstreamError, Start: at(-10 * ms), Duration: 60 * ms}, {Kind: page.Retry, Start: at(65 * ms)},
			},
		}
		r.Recall = page.Recall{Asked: true, Result: page.MemoryHit, Start: at(195 * ms), Duration: 2 * ms}
		w.ops.Served(r)
		p := w.now().Pages[0]
		c := p.Calls[0]
		if p.QueuedMs != 5 || p.Ms != 200 || p.AllowedMs != 450 || len(p.Calls) != 1 || c.Downstream != 1 || c.Start != 5 ||
			c.Ms != 190 || c.QueuedMs != 12.3 || !c.Coalesced || c.Outcome != "timeout" {
			t.Errorf("%+v", p)
		}
		if a := c.Attempts; a[0].Start != -10 || a[0].Ms != 60 || a[0].Outcome != "upstream_error" || a[1].Kind != "retry" || a[1].Outcome != "" {
			t.Errorf("%+v", a)
		}
		if p.Recall == nil || p.Recall.Start != 195 || p.Recall.Ms != 2 || p.Recall.Result != "hit" {
			t.Errorf("%+v", p.Recall)
		}
		if n := p.Notes[page.Price]; n.Status != "stale" || n.Reason != "timeout" || n.AgeMs != 60000 || p.Notes[0].Reason != "" {
			t.Errorf("%+v", p.Notes)
		}
	})
}
