package downstreams_test

import (
	"errors"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/internal/downstreams"
	"example.com/bff/internal/page"
)

func errs(err error) transport {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

func TestWhatIsRetried(t *testing.T) {
	in := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(http.TimeFormat) }
	tests := map[string]struct {
		first   func() transport
		retried bool
	}{
		"timeout":                      {func() transport { return hang }, true},
		"refused":                      {func() transport { return errs(syscall.ECONNREFUSED) }, true},
		"reset":                        {func() transport { return errs(syscall.ECONNRESET) }, true},
		"502":                          {func() transport { return after(0, 502, "") }, true},
		"503":                          {func() transport { return after(0, 503, "") }, true},
		"504":                          {func() transport { return after(0, 504, "") }, true},
		"503, retry now":               {func() transport { return after(0, 503, "", "Retry-After", "0") }, true},
		"503, retry at a date past":    {func() transport { return after(0, 503, "", "Retry-After", in(-time.Minute)) }, true},
		"503, retry in 1 s":            {func() transport { return after(0, 503, "", "Retry-After", "1") }, false},
		"503, retry at a later date":   {func() transport { return after(0, 503, "", "Retry-After", in(3*time.Second)) }, false},
		"503, malformed retry":         {func() transport { return after(0, 503, "", "Retry-After", "soon") }, true},
		"502, retry in 1 s":            {func() transport { return after(0, 502, "", "Retry-After", "1") }, false},
		"504, retry now":               {func() transport { return after(0, 504, "", "Retry-After", "0") }, true},
		"429":                          {func() transport { return after(0, 429, "") }, false},
		"429, retry now":               {func() transport { return after(0, 429, "", "Retry-After", "0") }, true},
		"429, malformed retry":         {func() transport { return after(0, 429, "", "Retry-After", "-1") }, false},
		"500":                          {func() transport { return down }, false},
		"400":                          {func() transport { return after(0, 400, "") }, false},
		"302":                          {func() transport { return after(0, 302, "") }, false},
		"404 is an answer":             {func() transport { return after(0, 404, "") }, false},
		"invalid":                      {func() transport { return after(0, 200, "") }, false},
		"an error of no known kind":    {func() transport { return errs(http.ErrSchemeMismatch) }, false},
		"a panic":                      {func() transport { return after(0, 200, "boom") }, false},
		"500 with Retry-After says no": {func() transport { return after(0, 500, "", "Retry-After", "0") }, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			inBubble(t, page.Catalog, nil, nil, func(r *rig) {
				r.becomes(turns(tt.first(), ok))
				_, call := r.ask(pageDeadline, query("p"))
				if retried := len(call.Attempts) == 2 && call.Outcome == page.OK; retried != tt.retried {
					r.Errorf("%v after %d attempts", call.Outcome, len(call.Attempts))
				}
				if tt.retried && (call.Attempts[0].Kind != page.First || call.Attempts[1].Kind != page.Retry) {
					r.Errorf("%+v", call.Attempts)
				}
			})
		})
	}
}

func TestRetriesPerDownstream(t *testing.T) {
	want := [page.NumDependencies]int{2, 2, 2, 1, 1} // attempts: a page makes at most 8 in all
	for _, d := range page.Dependencies {
		inBubble(t, d, after(0, 503, ""), nil, func(r *rig) {
			_, call := r.ask(pageDeadline, query("p"))
			if len(call.Attempts) != want[d] || call.Outcome != page.UpstreamError {
				r.Errorf("%v: %v after %d attempts, want %d", d, call.Outcome, len(call.Attempts), want[d])
			}
		})
	}
}

func TestBackOffIsFullJitterThatDoubles(t *testing.T) {
	change := func(s *downstreams.Settings) { s.Retries, s.BreakerMinCalls = 5, 1_000_000 }
	inBubble(t, page.Catalog, after(0, 503, ""), change, func(r *rig) {
		var most, sum [5]time.Duration
		const rounds = 300
		for range rounds {
			time.Sleep(5 * time.Second) // the budget fills again
			_, call := r.ask(5*time.Second, query("p"))
			for i := range 5 {
				wait := call.Attempts[i+1].Start.Sub(call.Attempts[i].Start)
				most[i], sum[i] = max(most[i], wait), sum[i]+wait
			}
		}
		for i := range 5 {
			limit := 20 * ms << i
			if mean := sum[i] / rounds; most[i] > limit || most[i] < limit*9/10 || mean < limit*4/10 || mean > limit*6/10 {
				r.Errorf("retry %d: up to %v, %v in the mean; want up to %v", i, most[i], mean, limit)
			}
		}
	})
}

// The call ends with the failure itself, not with the sleep towards a retry that would come too late.
func TestNoSleepTowardsARetryThatCannotFit(t *testing.T) {
	slow := func(s *downstreams.Settings) { s.Timeout = 440 * ms }
	inBubble(t, page.Stock, after(431*ms, 503, ""), slow, func(r *rig) {
		_, call := r.ask(pageDeadline, query("p"))
		r.wants(call, page.UpstreamError, 431*ms)
		r.wantsMade(1)
	})
	inBubble(t, page.Stock, after(0, 503, "", "Retry-After", "1"), nil, func(r *rig) {
		_, call := r.ask(pageDeadline, query("p"))
		r.wants(call, page.UpstreamError, 0)
		if call.RetryAfter != time.Second {
			r.Errorf("retry after %v", call.RetryAfter)
		}
	})
}

func TestRetryAfterCountsWhateverTheStatus(t *testing.T) {
	for _, status := range []int{302, 403, 429, 500, 502, 503, 504} {
		inBubble(t, page.Stock, after(0, status, "", "Retry-After", "7"), nil, func(r *rig) {
			if _, call := r.ask(pageDeadline, query("p")); call.RetryAfter != 7*time.Second || len(call.Attempts) != 1 {
				r.Errorf("%d: retry after %v, %d attempts", status, call.RetryAfter, len(call.Attempts))
			}
		})
	}
}

func TestRetryAfterIsCappedAtAMinute(t *testing.T) {
	inBubble(t, page.Stock, after(0, 429, "", "Retry-After", "86400"), nil, func(r *rig) {
		if _, call := r.ask(pageDeadline, query("p")); call.RetryAfter != time.Minute {
			r.Errorf("retry after %v", call.RetryAfter)
		}
	})
}

func TestARetryIsNeverToldMoreThanIsLeft(t *testing.T) {
	var told atomic.Int64
	second := func(req *http.Request) (*http.Response, error) {
		n, _ := strconv.Atoi(req.Header.Get("X-Request-Timeout-Ms"))
		told.Store(int64(n))
		return hang(req)
	}
	inBubble(t, page.Stock, turns(hang, second), nil, func(r *rig) {
		_, call := r.ask(250*ms, query("p"))
		r.wants(call, page.Timeout, 250*ms)
		if left := 250*ms - call.Attempts[1].Start.Sub(call.Start); told.Load() != left.Milliseconds() {
			r.Errorf("told %d ms of %v", told.Load(), left)
		}
	})
}

func TestARetryIsNotMadeWhenTheBreakerSaysNo(t *testing.T) {
	inBubble(t, page.Stock, after(0, 503, ""), nil, func(r *rig) {
		for range 10 {
			_, call := r.ask(pageDeadline, query("p"))
			if call.Outcome != page.UpstreamError {
				r.Errorf("%v", call.Outcome)
			}
		}
		r.wantsBreaker(page.StateOpen)
		r.wantsMade(20)
	})
	inBubble(t, page.Stock, turns(after(0, 503, ""), ok), func(s *downstreams.Settings) { s.BreakerMinCalls = 1 }, func(r *rig) {
		_, call := r.ask(pageDeadline, query("p"))
		r.wants(call, page.UpstreamError, 0) // the real reason, without sleeping first
		r.wantsMade(1)
		if left := r.client.State().Tokens; left < 10 {
			r.Errorf("a retry that was not made cost %v", 10-left)
		}
	})
}

// The breaker may open while a retry sleeps: the answer is then still the first attempt's, and the token comes back.
func TestTheBreakerOpensDuringBackOff(t *testing.T) {
	inBubble(t, page.Stock, nil, func(s *downstreams.Settings) { s.RetryBudget = 0 }, func(r *rig) {
		for range 50 { // until a back-off is long enough for that
			r.becomes(after(0, 503, "", "Retry-After", "0"))
			retrying := r.asks(pageDeadline, query("p"))
			synctest.Wait()
			r.becomes(down)
			for i := 0; r.client.State().Breaker == page.StateClosed && i < 100; i++ {
				r.ask(pageDeadline, query("q"))
			}
			before := r.client.State().Tokens
			call := <-retrying
			if call.Outcome != page.UpstreamError {
				r.Fatalf("%v", call.Outcome)
			}
			if len(call.Attempts) == 1 && call.Duration > 0 {
				if after := r.client.State().Tokens; before > 9.1 || after < before+0.9 {
					r.Errorf("tokens %v, then %v", before, after)
				}
				return
			}
			time.Sleep(20 * time.Second)
			r.becomes(ok)
			for range 3 {
				r.ask(pageDeadline, query("p"))
			}
		}
		r.Error("no back-off was interrupted")
	})
}

// In the half-open state a retry is made only if its whole timeout fits, for a probe must run to its own end.
func TestARetryIsAProbeOnlyIfItsWholeTimeoutFits(t *testing.T) {
	for left, want := range map[time.Duration]int{pageDeadline: 2, 160 * ms: 1} {
		// One failure opens the breaker for so short a time that its cool-down is over within the back-off.
		change := func(s *downstreams.Settings) { s.BreakerMinCalls, s.BreakerCooldown = 1, 1 }
		inBubble(t, page.Stock, after(11*ms, 503, ""), change, func(r *rig) {
			_, call := r.ask(left, query("p"))
			if len(call.Attempts) != want || call.Outcome != page.UpstreamError {
				r.Errorf("with %v left: %v after %d attempts, want %d", left, call.Outcome, len(call.Attempts), want)
			}
		})
	}
}

func TestAFleetFailingInOneInstant(t *testing.T) {
	change := func(s *downstreams.Settings) { s.Coalesce, s.BreakerMinCalls = false, 1_000_000 }
	inBubble(t, page.Catalog, after(ms, 503, ""), change, func(r *rig) {
		var calls []<-chan page.Call
		for range 200 {
			calls = append(calls, r.asks(pageDeadline, query("p")))
		}
		for _, c := range calls {
			if call := <-c; call.Outcome != page.UpstreamError || (len(call.Attempts) == 1 && call.Duration != ms) {
				r.Errorf("%v after %v and %d attempts", call.Outcome, call.Duration, len(call.Attempts))
			}
		}
		if n := r.made(); n > 220+10 || n < 210 {
			r.Errorf("200 calls made %d exchanges, want 210 to 230", n)
		}
	})
}

func TestAnOutageIsAmplifiedByTheRatioAlone(t *testing.T) {
	change := func(s *downstreams.Settings) { s.BreakerMinCalls = 1_000_000 }
	inBubble(t, page.Catalog, after(0, 503, ""), change, func(r *rig) {
		start := time.Now()
		for range 1000 {
			r.ask(pageDeadline, query("p"))
		}
		allowed := 1100 + 10 + int(time.Since(start).Seconds())
		if n := r.made(); n > allowed || n < 1100 {
			r.Errorf("1000 calls made %d exchanges, want 1100 to %d", n, allowed)
		}
	})
}

func TestAQuietServiceGetsItsFirstRetry(t *testing.T) {
	inBubble(t, page.Catalog, turns(after(0, 503, ""), ok), func(s *downstreams.Settings) { s.RetryBudget = 0 }, func(r *rig) {
		time.Sleep(time.Hour)
		if _, call := r.ask(pageDeadline, query("p")); call.Outcome != page.OK || len(call.Attempts) != 2 {
			r.Errorf("%v after %d attempts", call.Outcome, len(call.Attempts))
		}
	})
}

func TestTheBudgetFillsByOneASecondUpToTen(t *testing.T) {
	change := func(s *downstreams.Settings) { s.RetryBudget, s.BreakerMinCalls = 0, 1_000_000 }
	inBubble(t, page.Catalog, after(0, 503, "", "Retry-After", "0"), change, func(r *rig) {
		for range 20 {
			r.ask(pageDeadline, query("p"))
		}
		if left := r.client.State().Tokens; left >= 1 {
			r.Errorf("%v tokens are left", left)
		}
		time.Sleep(3 * time.Second)
		if left := r.client.State().Tokens; left < 3 || left >= 4 {
			r.Errorf("%v tokens after three seconds", left)
		}
		time.Sleep(time.Hour)
		if left := r.client.State().Tokens; left != 10 {
			r.Errorf("%v tokens after an hour", left)
		}
	})
}

func TestAConnectionClosedJustThenIsTriedAgain(t *testing.T) {
	closed := errs(errors.New("http: server closed idle connection"))
	inBubble(t, page.Catalog, turns(closed, ok), nil, func(r *rig) {
		if _, call := r.ask(pageDeadline, query("p")); call.Outcome != page.OK || len(call.Attempts) != 2 {
			r.Errorf("%v after %d attempts", call.Outcome, len(call.Attempts))
		}
	})
}

// That this machine has no port left says nothing of the downstream.
func TestAShortageOfOurOwnOpensNoBreaker(t *testing.T) {
	for _, shortage := range []syscall.Errno{syscall.EADDRNOTAVAIL, syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM} {
		err := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", shortage)}
		inBubble(t, page.Catalog, errs(err), nil, func(r *rig) {
			r.fails(30)
			r.wantsBreaker(page.StateClosed)
			r.wantsMade(30) // and it was not made worse by trying again
		})
	}
}
