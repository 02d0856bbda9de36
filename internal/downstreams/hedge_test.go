package downstreams_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/internal/downstreams"
	"example.com/bff/internal/page"
)

func hedgeAfter(d time.Duration) func(*downstreams.Settings) {
	return func(s *downstreams.Settings) { s.HedgeAfter.Delay, s.Retries = d, 0 }
}

func TestHedge(t *testing.T) {
	const f = http.StatusInternalServerError
	tests := map[string]struct {
		first, second transport
		outcome       page.Outcome
		took          time.Duration
		attempts      int
	}{
		"a fast first needs none":                  {after(39*ms, 200, "a"), hang, page.OK, 39 * ms, 1},
		"a slow first loses":                       {hang, after(10*ms, 200, "b"), page.OK, 50 * ms, 2},
		"a slow first may still win":               {after(60*ms, 200, "a"), hang, page.OK, 60 * ms, 2},
		"a failed hedge does not beat it":          {after(90*ms, 200, "a"), after(ms, f, ""), page.OK, 90 * ms, 2},
		"a failed first does not end the hedge":    {after(50*ms, f, ""), after(60*ms, 200, "b"), page.OK, 100 * ms, 2},
		"that there is nothing is an answer":       {hang, after(10*ms, 404, ""), page.Absent, 50 * ms, 2},
		"both fail":                                {after(50*ms, f, ""), after(60*ms, 200, ""), page.InvalidResponse, 100 * ms, 2},
		"a first that fails at once is the answer": {after(5*ms, f, ""), ok, page.UpstreamError, 5 * ms, 1},
		"both hang":                                {hang, hang, page.Timeout, 190 * ms, 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			inBubble(t, page.Stock, turns(tt.first, tt.second), hedgeAfter(40*ms), func(r *rig) {
				_, call := r.ask(pageDeadline, query("p"))
				r.wants(call, tt.outcome, tt.took)
				if len(call.Attempts) != tt.attempts || (tt.attempts == 2 && call.Attempts[1].Kind != page.Hedge) {
					r.Errorf("%+v", call.Attempts)
				}
			})
		})
	}
}

// The winner's body is read to its end although the loser is cancelled, and until the loser has ended the slot is held.
func TestTheLoserIsCancelledAndCountsForNothing(t *testing.T) {
	loser := func(req *http.Request) (*http.Response, error) {
		<-req.Context().Done()
		time.Sleep(30 * ms) // takes its time to notice
		return nil, context.Cause(req.Context())
	}
	change := func(s *downstreams.Settings) { hedgeAfter(40 * ms)(s); s.BreakerMinCalls = 2 }
	inBubble(t, page.Stock, nil, change, func(r *rig) {
		for range 10 {
			r.becomes(turns(loser, after(10*ms, 200, "b")))
			v, call := r.ask(pageDeadline, query("p"))
			r.wants(call, page.OK, 50*ms)
			if n := r.client.State().InFlight; v != "b" || n != 1 {
				r.Errorf("%q, and %d slots held while the loser ends", v, n)
			}
			time.Sleep(30 * ms)
			synctest.Wait()
			if n := r.client.State().InFlight; n != 0 {
				r.Errorf("%d slots held after the loser ended", n)
			}
			time.Sleep(time.Minute)
		}
		r.wantsBreaker(page.StateClosed)
		if last := r.attempts[len(r.attempts)-1]; last.Kind != page.First || last.Outcome != page.Cancelled {
			r.Errorf("the loser was %+v", last)
		}
	})
}

func TestARefusedHedgeLeavesTheFirstAlone(t *testing.T) {
	refusals := map[string]func(r *rig){
		"no budget": func(r *rig) {
			r.becomes(after(ms+40*ms, 503, ""))
			for r.client.State().Tokens >= 1 {
				r.ask(pageDeadline, query("p"))
			}
		},
		"an open breaker": func(r *rig) {
			time.AfterFunc(20*ms, func() {
				r.becomes(down)
				r.fails(1)
				r.wantsBreaker(page.StateOpen)
			})
		},
	}
	for name, refuse := range refusals {
		t.Run(name, func(t *testing.T) {
			change := func(s *downstreams.Settings) {
				hedgeAfter(40 * ms)(s)
				s.Coalesce, s.RetryBudget, s.BreakerMinCalls = false, 0, 1_000_000
				if name == "an open breaker" {
					s.BreakerMinCalls = 1
				}
			}
			inBubble(t, page.Stock, nil, change, func(r *rig) {
				refuse(r)
				before := r.client.State().Tokens
				r.becomes(after(100*ms, 200, "a"))
				_, call := r.ask(pageDeadline, query("p"))
				r.wants(call, page.OK, 100*ms)
				if len(call.Attempts) != 1 || r.client.State().Tokens < before {
					r.Errorf("%d attempts, %v tokens, then %v", len(call.Attempts), before, r.client.State().Tokens)
				}
			})
		})
	}
}

func TestHedgesUnderTheBudget(t *testing.T) {
	change := func(s *downstreams.Settings) { hedgeAfter(40 * ms)(s); s.Coalesce, s.RetryBudget = false, 0 }
	inBubble(t, page.Stock, after(100*ms, 200, "slow"), change, func(r *rig) {
		var calls []<-chan page.Call
		for range 100 {
			calls = append(calls, r.asks(pageDeadline, query("p")))
		}
		for _, c := range calls {
			r.wants(<-c, page.OK, 100*ms)
		}
		synctest.Wait()
		r.wantsMade(110)
	})
}

func TestNoHedgeThatCannotBeUseful(t *testing.T) {
	inBubble(t, page.Stock, hang, hedgeAfter(40*ms), func(r *rig) {
		_, call := r.ask(59*ms, query("p"))
		r.wants(call, page.Timeout, 59*ms)
		if len(call.Attempts) != 1 {
			r.Errorf("%d attempts", len(call.Attempts))
		}
	})
}

// A hedge may be a probe too: then nobody cancels it, and it keeps the slot until it has ended.
func TestAHedgeAsAProbe(t *testing.T) {
	change := func(s *downstreams.Settings) { hedgeAfter(40 * ms)(s); s.Coalesce = false }
	inBubble(t, page.Stock, nil, change, func(r *rig) {
		r.opensAndCoolsDown()
		r.becomes(turns(after(60*ms, 200, "a"), after(100*ms, 200, "b")))
		_, call := r.ask(pageDeadline, query("p"))
		r.wants(call, page.OK, 60*ms)
		if n := r.client.State().InFlight; n != 1 {
			r.Errorf("%d slots held while the losing probe runs", n)
		}
		time.Sleep(80 * ms)
		synctest.Wait()
		if n := r.client.State().InFlight; n != 0 {
			r.Errorf("%d slots held", n)
		}
		r.becomes(ok)
		r.ask(pageDeadline, query("p"))
		r.wantsBreaker(page.StateClosed) // two successes by that one call, and this
	})
}

func TestHedgeAfterTheSlidingP95(t *testing.T) {
	change := func(s *downstreams.Settings) { s.HedgeAfter.P95, s.Retries = true, 0 }
	inBubble(t, page.Stock, nil, change, func(r *rig) {
		hedged := func(first, second transport) page.Call {
			r.becomes(turns(first, second))
			_, call := r.ask(pageDeadline, query("p"))
			return call
		}
		if call := hedged(after(100*ms, 200, "a"), ok); len(call.Attempts) != 1 {
			r.Errorf("hedged after nothing was known")
		}
		for _, usual := range []time.Duration{20 * ms, 60 * ms} {
			for i := range 128 { // ever faster, so that none is hedged
				hedged(after(usual-time.Duration(i)*time.Microsecond, 200, "a"), hang)
			}
			time.Sleep(time.Minute) // the budget fills again
			call := hedged(hang, after(ms, 200, "b"))
			if call.Outcome != page.OK || call.Duration < usual || call.Duration > usual+ms {
				r.Errorf("%v after %v, usual is %v", call.Outcome, call.Duration, usual)
			}
		}
		for range 20 { // an outage is no reason to ask twice
			time.Sleep(10 * time.Second)
			hedged(hang, hang)
		}
		time.Sleep(time.Minute)
		if call := hedged(hang, hang); len(call.Attempts) != 1 {
			r.Error("hedged though all attempts run out of time")
		}
	})
}

// Were the losers left out, the percentile would sink with each hedge until every call had one.
func TestLosersCountInTheP95(t *testing.T) {
	change := func(s *downstreams.Settings) { s.HedgeAfter.P95, s.Retries, s.RetryBudget = true, 0, 1 }
	inBubble(t, page.Stock, nil, change, func(r *rig) {
		hedges := 0
		for i := range 2000 {
			first := after(20*ms, 200, "a")
			if i%10 == 0 {
				first = after(100*ms, 200, "slow")
			}
			r.becomes(turns(first, after(20*ms, 200, "b")))
			if _, call := r.ask(pageDeadline, query("p")); len(call.Attempts) == 2 {
				hedges++
			}
		}
		if hedges > 2000*2/10 {
			r.Errorf("%d of 2000 calls were hedged, a tenth of which is slow", hedges)
		}
	})
}
