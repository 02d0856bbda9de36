package downstreams_test

import (
	"testing"
	"time"

	"example.com/bff/internal/downstreams"
	"example.com/bff/internal/page"
)

func TestAnOverrideRefusesAsAnOpenBreakerDoes(t *testing.T) {
	inBubble(t, page.Stock, ok, nil, func(r *rig) {
		r.orders(page.OverrideOpen, 7*time.Minute)
		_, call := r.ask(pageDeadline, query("p"))
		r.wants(call, page.BreakerOpen, 0)
		if call.RetryAfter != 7*time.Minute {
			r.Errorf("Retry-After %v", call.RetryAfter)
		}
		r.wantsMade(0)
		r.orders(page.NotOverridden, 0)
		_, call = r.ask(pageDeadline, query("p"))
		r.wants(call, page.OK, 10*ms)
	})
}

func TestAnOverrideLeavesTheBreakerAsItIs(t *testing.T) {
	inBubble(t, page.Stock, ok, nil, func(r *rig) {
		r.becomes(down)
		r.fails(19)
		r.orders(page.OverrideOpen, time.Hour)
		r.fails(100)
		r.wantsBreaker(page.StateClosed)
		r.orders(page.NotOverridden, 0)
		r.fails(1) // the twentieth, within the window
		r.wantsBreaker(page.StateOpen)

		coolDown := r.client.State().CoolDown
		r.orders(page.OverrideOpen, time.Second)
		if _, call := r.ask(pageDeadline, query("p")); call.RetryAfter != coolDown {
			r.Errorf("Retry-After %v, cooling down for %v", call.RetryAfter, coolDown)
		}
		time.Sleep(coolDown)
		r.fails(10)
		r.wantsBreaker(page.StateOpen) // nobody probed
		r.orders(page.NotOverridden, 0)
		r.becomes(ok)
		for range 3 {
			r.ask(pageDeadline, query("p"))
		}
		r.wantsBreaker(page.StateClosed)
	})
}

func TestAnOverrideSparesTheRetryBudget(t *testing.T) {
	budget := func(s *downstreams.Settings) { s.RetryBudget = 0 }
	for _, mode := range []page.OverrideMode{page.OverrideOpen, page.OverrideNoRetry} {
		inBubble(t, page.Catalog, after(0, 503, ""), budget, func(r *rig) {
			r.orders(mode, time.Hour)
			for range 15 {
				if _, call := r.ask(pageDeadline, query("p")); !call.Outcome.Failed() || call.Duration != 0 {
					r.Errorf("%v: %v after %v, though there is nothing to wait for", mode, call.Outcome, call.Duration)
				}
			}
			if r.madeAs(page.Retry) != 0 || r.client.State().Tokens != 10 {
				r.Errorf("%v: %d retries, %v tokens", mode, r.madeAs(page.Retry), r.client.State().Tokens)
			}
		})
	}
}

func TestNoRetryEndsRetriesAndHedges(t *testing.T) {
	hedging := func(s *downstreams.Settings) { s.Retries, s.HedgeAfter.Delay = 0, 20*ms }
	for name, c := range map[string]struct {
		change func(*downstreams.Settings)
		now    transport
		kind   page.AttemptKind
	}{
		"retry": {nil, after(0, 503, ""), page.Retry},
		"hedge": {hedging, hang, page.Hedge},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, page.Catalog, c.now, c.change, func(r *rig) {
				r.ask(pageDeadline, query("p"))
				r.orders(page.OverrideNoRetry, time.Hour)
				r.ask(pageDeadline, query("p"))
				r.orders(page.NotOverridden, 0)
				r.ask(pageDeadline, query("p"))
				if first, second := r.madeAs(page.First), r.madeAs(c.kind); first != 3 || second != 2 {
					r.Errorf("%d first attempts, %d of the other kind", first, second)
				}
			})
		})
	}
}

// An override is for what happens now: also to a call that waits to be retried, or that looks for no breaker.
func TestAnOverrideReachesCallsUnderWay(t *testing.T) {
	for _, mode := range []page.OverrideMode{page.OverrideOpen, page.OverrideNoRetry} {
		wait := after(0, 503, "", "Retry-After", "1")
		inBubble(t, page.Catalog, wait, nil, func(r *rig) {
			call := r.asks(5*time.Second, query("p"))
			time.Sleep(500 * ms)
			r.orders(mode, time.Hour)
			if c := <-call; c.Outcome != page.UpstreamError || len(c.Attempts) != 1 || c.Duration != time.Second {
				r.Errorf("%v: %v after %v and %d attempts", mode, c.Outcome, c.Duration, len(c.Attempts))
			}
			if tokens := r.client.State().Tokens; tokens != 10 {
				r.Errorf("%v: %v tokens", mode, tokens)
			}
		})
	}
}
