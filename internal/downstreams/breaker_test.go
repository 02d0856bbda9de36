package downstreams_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/internal/downstreams"
	"example.com/bff/internal/page"
)

func TestBreakerOpensAtTwentyAttemptsAndHalfOfThem(t *testing.T) {
	inBubble(t, page.Reviews, ok, nil, func(r *rig) {
		for range 10 {
			r.ask(pageDeadline, query("p"))
		}
		r.becomes(down)
		r.fails(9)
		r.wantsBreaker(page.StateClosed)
		r.fails(1)
		r.wantsBreaker(page.StateOpen)
		_, call := r.ask(pageDeadline, query("p"))
		r.wants(call, page.BreakerOpen, 0)
		if call.RetryAfter != r.client.State().CoolDown || call.RetryAfter < 5*time.Second {
			r.Errorf("retry after %v, the cool-down is %v", call.RetryAfter, r.client.State().CoolDown)
		}
		r.wantsMade(20)
	})
}

func TestBreakerForgetsWhatIsOlderThanItsWindow(t *testing.T) {
	inBubble(t, page.Reviews, down, nil, func(r *rig) {
		r.fails(19)
		time.Sleep(11 * time.Second)
		r.fails(19)
		r.wantsBreaker(page.StateClosed)
		r.fails(1)
		r.wantsBreaker(page.StateOpen)
	})
}

// One downstream's doing, and what its breaker makes of twenty of them.
func TestVerdicts(t *testing.T) {
	failing := func(err error) transport {
		return func(*http.Request) (*http.Response, error) { return nil, err }
	}
	tests := map[string]struct {
		does    transport
		outcome page.Outcome
		opens   bool
	}{
		"200":              {ok, page.OK, false},
		"201":              {after(0, 201, "fine"), page.UpstreamError, true},
		"204":              {after(0, 204, ""), page.Absent, false},
		"206":              {after(0, 206, "fine"), page.UpstreamError, true},
		"302":              {after(0, 302, "", "Location", "http://elsewhere/"), page.UpstreamError, true},
		"400":              {after(0, 400, ""), page.UpstreamError, false},
		"404":              {after(0, 404, ""), page.Absent, false},
		"429":              {after(0, 429, ""), page.UpstreamError, false},
		"500":              {down, page.UpstreamError, true},
		"503":              {after(0, 503, ""), page.UpstreamError, true},
		"empty 200":        {after(0, 200, ""), page.InvalidResponse, true},
		"refused":          {failing(syscall.ECONNREFUSED), page.UpstreamError, true},
		"unheard of":       {failing(errors.New("no such host: db.internal")), page.UpstreamError, true},
		"hangs":            {hang, page.Timeout, true},
		"panics":           {func(*http.Request) (*http.Response, error) { panic("boom") }, page.UpstreamError, true},
		"decode panics":    {after(0, 200, "boom"), page.UpstreamError, true},
		"nothing at all":   {func(*http.Request) (*http.Response, error) { return nil, nil }, page.UpstreamError, true},
		"its dial took it": {failing(&timeoutError{}), page.Timeout, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			inBubble(t, page.Reviews, tt.does, nil, func(r *rig) {
				for range 20 {
					if _, call := r.ask(pageDeadline, query("p")); call.Outcome != tt.outcome {
						r.Fatalf("%v, want %v", call.Outcome, tt.outcome)
					}
				}
				want := page.StateClosed
				if tt.opens {
					want = page.StateOpen
				}
				r.wantsBreaker(want)
			})
		})
	}
}

type timeoutError struct{}

func (*timeoutError) Error() string   { return "dial tcp: i/o timeout" }
func (*timeoutError) Timeout() bool   { return true }
func (*timeoutError) Temporary() bool { return true }

// Whatever a caller does, the breaker hears nothing of it.
func TestCallersDoNotOpenTheBreaker(t *testing.T) {
	tests := map[string]func(r *rig) page.Call{
		"hang up at once":         func(r *rig) page.Call { return r.hangsUp(ms, query("p")) },
		"hang up late":            func(r *rig) page.Call { return r.hangsUp(149*ms, query("p")) },
		"have a short deadline":   func(r *rig) page.Call { _, c := r.ask(20*ms, query("p", shortened)); return c },
		"have a shorter deadline": func(r *rig) page.Call { _, c := r.ask(149*ms, query("p", shortened)); return c },
		"of pages about to end":   func(r *rig) page.Call { _, c := r.ask(74*ms, query("p")); return c },
	}
	for name, ask := range tests {
		t.Run(name, func(t *testing.T) {
			inBubble(t, page.Reviews, hang, nil, func(r *rig) {
				for range 40 {
					if call := ask(r); call.Outcome != page.Cancelled && call.Outcome != page.Timeout {
						r.Fatalf("a call was %v", call.Outcome)
					}
				}
				synctest.Wait()
				r.wantsBreaker(page.StateClosed)
				r.wantsMade(40)
			})
		})
	}
}

// A downstream that obeys the deadline it is told gives up in that instant, or a moment before.
func TestObedientDownstreamIsNotBlamedForAShortDeadline(t *testing.T) {
	obeys := func(r *http.Request) (*http.Response, error) {
		end := unixMilli(t, r.Header.Get("X-Request-Deadline"))
		if err := pause(r.Context(), time.Until(end)); err != nil {
			return nil, err
		}
		return respond(http.StatusGatewayTimeout, ""), nil
	}
	inBubble(t, page.Reviews, obeys, nil, func(r *rig) {
		time.Sleep(300 * time.Microsecond)
		for range 40 {
			if _, call := r.ask(50*ms, query("p", shortened)); call.Outcome != page.Timeout {
				r.Fatalf("a call was %v", call.Outcome)
			}
		}
		r.wantsBreaker(page.StateClosed)
		r.fails(20) // in a page's whole time
		r.wantsBreaker(page.StateOpen)
	})
}

func TestPageDeadlineIsAFailureFromHalfTheTimeoutOn(t *testing.T) {
	inBubble(t, page.Reviews, hang, nil, func(r *rig) {
		for range 20 {
			_, call := r.ask(75*ms, query("p"))
			r.wants(call, page.Timeout, 75*ms)
		}
		synctest.Wait()
		r.wantsBreaker(page.StateOpen)
	})
}

// The attempt's timer and the waiter's deadline fall on one instant, and either may be noticed first.
func TestTimeoutAndDeadlineInOneInstant(t *testing.T) {
	for _, q := range []*page.Query{query("p"), query("p", shortened)} {
		inBubble(t, page.Reviews, hang, nil, func(r *rig) {
			for range 20 {
				_, call := r.ask(150*ms, q)
				r.wants(call, page.Timeout, 150*ms)
			}
			synctest.Wait()
			r.wantsBreaker(page.StateOpen)
		})
	}
}

func TestCoolDownIsFiveSecondsAndUpToAQuarterMore(t *testing.T) {
	inBubble(t, page.Reviews, down, nil, func(r *rig) {
		var seen []time.Duration
		r.fails(20)
		for range 200 {
			seen = append(seen, r.client.State().CoolDown)
			time.Sleep(r.client.State().CoolDown - 1)
			_, call := r.ask(pageDeadline, query("p"))
			r.wants(call, page.BreakerOpen, 0)
			time.Sleep(time.Nanosecond)
			r.fails(1) // a probe: the first that fails opens it again
			r.wantsBreaker(page.StateOpen)
		}
		least, most := slices.Min(seen), slices.Max(seen)
		if least < 5*time.Second || most > 6250*ms {
			r.Errorf("cool-downs from %v to %v", least, most)
		}
		if least > 5100*ms || most < 6150*ms {
			r.Errorf("cool-downs from %v to %v are not spread", least, most)
		}
	})
}

func TestPanicsInObserversHarmNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := downstreams.Table()[page.Reviews]
		s.URL = "http://downstream/{id}"
		client, err := downstreams.New(s, decodeText, downstreams.Options[string]{
			Transport: down, Observer: broken{}, Learned: func(page.ID, string, string, bool, time.Time) { panic("learned") },
		})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		for range 20 {
			client.Ask(t.Context(), query("p"))
		}
		if got := client.State(); got.Breaker != page.StateOpen || got.InFlight != 0 {
			t.Errorf("%+v", got)
		}
		if _, call := client.Ask(context.Background(), query("p")); call.Outcome != page.BreakerOpen {
			t.Errorf("%v", call.Outcome)
		}
	})
}

func TestPanicsInTracingLeakNothing(t *testing.T) {
	type end = func(page.Outcome)
	type traced = func(context.Context, page.AttemptKind) (context.Context, end)
	tests := map[page.Outcome]traced{
		page.UpstreamError: func(context.Context, page.AttemptKind) (context.Context, end) { panic("begin") },
		page.OK: func(ctx context.Context, _ page.AttemptKind) (context.Context, end) {
			return ctx, func(page.Outcome) { panic("end") }
		},
	}
	for want, broken := range tests {
		for _, hedge := range []time.Duration{0, 2 * ms} {
			synctest.Test(t, func(t *testing.T) {
				now := broken
				s := downstreams.Table()[page.Reviews]
				s.URL, s.HedgeAfter.Delay, s.BreakerMinCalls, s.BreakerProbes = "http://downstream/{id}", hedge, 1, 1
				client, err := downstreams.New(s, decodeText, downstreams.Options[string]{
					Transport: ok, Traced: func(ctx context.Context, k page.AttemptKind) (context.Context, end) { return now(ctx, k) },
				})
				if err != nil {
					t.Fatal(err)
				}
				defer client.Close()
				for range 3 { // a failed one opens the breaker, so that the next is a probe
					if _, call := client.Ask(t.Context(), query("p")); call.Outcome != want {
						t.Errorf("hedge after %v: %v, want %v", hedge, call.Outcome, want)
					}
					time.Sleep(10 * time.Second)
				}
				now = func(ctx context.Context, _ page.AttemptKind) (context.Context, end) {
					return ctx, func(page.Outcome) {}
				}
				_, call := client.Ask(t.Context(), query("p"))
				if synctest.Wait(); call.Outcome != page.OK || client.State().Breaker != page.StateClosed || client.State().InFlight != 0 {
					t.Errorf("hedge after %v: in the end %v, %+v", hedge, call.Outcome, client.State())
				}
			})
		}
	}
}

type broken struct{}

func (broken) Attempted(page.Dependency, page.Attempt)         { panic("attempted") }
func (broken) BreakerMoved(page.Dependency, page.BreakerState) { panic("moved") }
func (broken) Coalesced(page.Dependency)                       { panic("coalesced") }

// The rate is exact, however many attempts there are; and what has left the window counts for nothing.
func TestTheRateIsExact(t *testing.T) {
	many := func(s *downstreams.Settings) {
		s.BreakerMinCalls, s.BreakerWindow, s.Coalesce = 200, time.Minute, false
	}
	inBubble(t, page.Reviews, ok, many, func(r *rig) {
		for range 101 {
			r.ask(pageDeadline, query("p"))
		}
		r.becomes(down)
		r.fails(99)
		r.wantsBreaker(page.StateClosed) // 99 of 200
		r.fails(1)
		r.wantsBreaker(page.StateClosed) // 100 of 201
		r.fails(1)
		r.wantsBreaker(page.StateOpen) // 101 of 202
	})
	inBubble(t, page.Reviews, down, nil, func(r *rig) {
		r.fails(19)
		time.Sleep(10 * time.Second)
		r.fails(19)
		r.wantsBreaker(page.StateClosed)
		time.Sleep(9 * time.Second)
		r.fails(1)
		r.wantsBreaker(page.StateOpen)
	})
}
