package ops_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/bff/internal/ops"
	"example.com/bff/internal/page"
)

func TestABreakersStoryIsTold(t *testing.T) {
	bubble(t, func(w *world) {
		w.ops.BreakerMoved(page.Stock, page.StateOpen)
		for range 100 { // probes that fail
			time.Sleep(5 * time.Second)
			w.ops.BreakerMoved(page.Stock, page.StateHalfOpen)
			w.ops.BreakerMoved(page.Stock, page.StateOpen)
		}
		time.Sleep(5 * time.Second)
		w.ops.BreakerMoved(page.Stock, page.StateHalfOpen)
		w.ops.BreakerMoved(page.Stock, page.StateClosed)
		w.ops.BreakerMoved(page.Recommendations, page.StateOpen)
		f := w.now()
		want := []string{
			"This instance began.",
			"stock: the breaker opened. It is not asked until a probe may go.",
			"stock: the breaker is half-open. A probe goes through.",
			"stock: the probe failed, and the breaker is open again.",
			"stock: the breaker is open still. 13 probes have failed.",
		}
		texts := f.texts()
		if !slices.Equal(texts[:len(want)], want) {
			t.Errorf("%q", texts)
		}
		if last := texts[len(texts)-2]; last != "stock: the breaker closed after 8m25s. It is asked as usual again." {
			t.Errorf("%q", last)
		}
		if n := len(texts); n != 4+8+2 { // one line a minute
			t.Errorf("%d lines for 100 probes", n)
		}
		if open, optional := f.Events[1], f.Events[len(texts)-1]; open.Tone != "bad" || optional.Tone != "warn" || open.Subject != "breaker" {
			t.Errorf("%+v %+v", open, optional)
		}
	})
}

func TestEpisodesBeginAndEnd(t *testing.T) {
	stale := func(r *page.Record) *page.Record {
		r.Notes[page.Price] = page.Note{Status: page.StatusStale, Reason: page.BreakerOpen, Age: time.Minute}
		return r
	}
	offer := func(r *page.Record) *page.Record {
		r.Resource = page.OfferResource
		return r
	}
	shed := func(r *page.Record) *page.Record {
		r.Shed = page.ShedFull
		return r
	}
	for name, c := range map[string]struct {
		record       func() *page.Record
		began, ended string
		well         *page.Record
	}{
		"pages": {
			func() *page.Record { return call(answered(page.Unavailable, ms), page.Stock, page.Timeout, ms) },
			"Pages fail: stock timed out.", "Pages are answered again (30 failed in 29s).", answered(page.NotModified, ms),
		},
		"offers": {
			func() *page.Record {
				return call(offer(answered(page.Unavailable, ms)), page.Price, page.BreakerOpen, ms)
			},
			"Offers fail: price was not asked, its breaker is open.", "Offers are answered again (30 failed in 29s).", offer(answered(page.Full, ms)),
		},
		"prices": {
			func() *page.Record { return stale(answered(page.Degraded, ms)) },
			"Remembered prices are shown: price was not asked, its breaker is open.", "Every price shown is live again (30 remembered in 29s).", answered(page.Degraded, ms),
		},
		"shedding": {
			func() *page.Record { return shed(answered(page.Shed, 0)) },
			"Shedding began: a request of priority default was refused (full).", "Shedding is over (30 refused in 29s).", answered(page.Full, ms),
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(w *world) {
				for range 30 {
					w.ops.Served(c.record())
					time.Sleep(time.Second)
				}
				v := w.watch()
				if f := v.frame(); len(f.Events) != 2 || f.Events[1].Text != c.began || f.Events[1].Subject != name {
					t.Fatalf("%+v", f.Events)
				}
				for range 40 { // nobody comes: who knows what they would get?
					if f := v.frame(); len(f.Events) > 0 {
						t.Fatalf("while nobody asks: %+v", f.Events)
					}
				}
				w.ops.Served(c.record()) // and the next one fares no better
				w.ops.Served(c.well)
				ended := strings.Replace(c.ended, "30", "31", 1)
				ended = strings.Replace(ended, "29s", "50s", 1)
				for range 19 {
					if f := v.frame(); len(f.Events) > 0 {
						t.Fatalf("too early: %+v", f.Events)
					}
				}
				time.Sleep(2 * time.Second)
				if events := w.now().Events; len(events) != 3 || events[2].Text != ended || events[2].Tone != "good" {
					t.Errorf("%+v, want %s", events, ended)
				}
			})
		})
	}
}

// When stock breaks while price is still down, the log says so, and not for every page.
func TestAnotherReasonIsTold(t *testing.T) {
	bubble(t, func(w *world) {
		for i := range 40 {
			d := []page.Dependency{page.Price, page.Stock}[i/10%2]
			w.ops.Served(call(answered(page.Unavailable, ms), d, []page.Outcome{page.Timeout, page.BreakerOpen}[i%2], ms))
			time.Sleep(time.Second)
		}
		w.ops.Served(call(answered(page.Unavailable, ms), page.Stock, page.UpstreamError, ms))
		w.ops.Served(answered(page.Full, ms))
		time.Sleep(11 * time.Second)
		want := []string{
			"This instance began.", "Pages fail: price timed out.", "Pages fail: stock timed out.",
			"Pages fail: stock answered with an error.", "Pages are answered again (41 failed in 40s).",
		}
		if got := w.now().texts(); !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
	})
}

func TestTheInstancesEndIsTold(t *testing.T) {
	bubble(t, func(w *world) {
		w.ops.InstanceMoved("draining")
		w.ops.InstanceMoved("stopped")
		texts := w.now().texts()
		if !strings.HasPrefix(texts[1], "Draining: ") || !strings.HasPrefix(texts[2], "The drain is over") {
			t.Errorf("%q", texts)
		}
	})
}

func TestWhatOperatorsOrderIsTold(t *testing.T) {
	bubble(t, func(w *world) {
		quiet := ops.Override{Target: "stock", Mode: "open", Reason: "their team asks for quiet", LeftMs: 600_000}
		less := ops.Override{Target: "shed", Percent: 30, Priority: "default", Reason: "until the new ones are there", LeftMs: 90_000}
		once := ops.Override{Target: "price", Mode: "no-retry", Reason: "storm", LeftMs: 60_000}
		w.ops.WatchOverrides(func() []ops.Override { return []ops.Override{quiet, less} })
		for _, v := range []ops.Override{quiet, less, once} {
			w.ops.OverrideMoved("set", v)
		}
		w.ops.OverrideMoved("taken back", quiet)
		less.LeftMs = 0
		w.ops.OverrideMoved("is over", less)
		f := w.now()
		want := []string{
			"Override set, for 10m0s: stock is not asked. Reason: their team asks for quiet",
			"Override set, for 1m30s: 30 % of the requests of priority default and below are refused. Reason: until the new ones are there",
			"Override set, for 1m0s: price is asked without retry or hedge. Reason: storm",
			"Override taken back: stock is asked as usual again.",
			"Override is over: requests are let in as usual again.",
		}
		if got := f.texts()[1:]; !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
		if set, back := f.Events[1], f.Events[4]; set.Subject != "override" || set.Tone != "warn" || back.Tone != "good" {
			t.Errorf("%+v %+v", set, back)
		}
		if len(f.Overrides) != 2 || f.Overrides[0] != quiet || f.Overrides[1].Percent != 30 {
			t.Errorf("in force: %+v", f.Overrides)
		}
	})
}

func TestTheLogOfEventsIsBounded(t *testing.T) {
	bubble(t, func(w *world) {
		for range 1000 {
			w.ops.BreakerMoved(page.Price, page.StateOpen)
			w.ops.BreakerMoved(page.Price, page.StateClosed)
		}
		if f := w.now(); len(f.Events) != 100 || f.Events[99].Number != 2001 {
			t.Errorf("%d events", len(f.Events))
		}
	})
}
