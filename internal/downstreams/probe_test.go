package downstreams_test

import (
	"net/http"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/internal/downstreams"
	"example.com/bff/internal/page"
)

func TestThreeSuccessesInARowClose(t *testing.T) {
	inBubble(t, page.Reviews, down, nil, func(r *rig) {
		r.opensAndCoolsDown()
		r.becomes(ok)
		for range 3 {
			_, call := r.ask(pageDeadline, query("p"))
			r.wants(call, page.OK, 10*ms)
		}
		want := []page.BreakerState{page.StateOpen, page.StateHalfOpen, page.StateClosed}
		if !slices.Equal(r.moves, want) {
			r.Errorf("it went %v, want %v", r.moves, want)
		}
		r.becomes(down)
		r.fails(19) // the window is empty again
		r.wantsBreaker(page.StateClosed)
	})
}

func TestNoMoreProbesAtOnceThanConfigured(t *testing.T) {
	inBubble(t, page.Reviews, nil, func(s *downstreams.Settings) { s.Coalesce = false }, func(r *rig) {
		r.opensAndCoolsDown()
		r.becomes(after(100*ms, 200, "fine"))
		var calls []<-chan page.Call
		for range 10 {
			calls = append(calls, r.asks(pageDeadline, query("p")))
		}
		made := 0
		for _, c := range calls {
			if call := <-c; call.Outcome == page.OK {
				made++
			} else if call.Outcome != page.BreakerOpen {
				r.Errorf("a call was %v", call.Outcome)
			}
		}
		if made != 3 {
			r.Errorf("%d probes at once, want 3", made)
		}
		r.wantsBreaker(page.StateClosed)
	})
}

// Probes of an earlier half-open state are still under way when the next begins.
func TestLeftOverProbesCount(t *testing.T) {
	change := func(s *downstreams.Settings) {
		s.Coalesce, s.Timeout, s.BreakerCooldown = false, 400*ms, 50*ms
	}
	inBubble(t, page.Reviews, nil, change, func(r *rig) {
		r.opensAndCoolsDown()
		r.becomes(hang)
		left := []<-chan page.Call{r.asks(pageDeadline, query("p")), r.asks(pageDeadline, query("p"))}
		synctest.Wait()
		r.becomes(down)
		r.fails(1)
		r.wantsBreaker(page.StateOpen)
		time.Sleep(r.client.State().CoolDown)
		r.becomes(ok)
		probe := r.asks(pageDeadline, query("p"))
		synctest.Wait()
		if _, call := r.ask(pageDeadline, query("p")); call.Outcome != page.BreakerOpen {
			r.Errorf("a fourth probe was let through: %v", call.Outcome)
		}
		r.wants(<-probe, page.OK, 10*ms)
		for _, c := range left {
			r.wants(<-c, page.Timeout, 400*ms) // and counts for nothing: it began in an earlier state
		}
		r.wantsBreaker(page.StateHalfOpen)
		r.ask(pageDeadline, query("p"))
		r.ask(pageDeadline, query("p"))
		r.wantsBreaker(page.StateClosed)
	})
}

func TestAProbeGivesItsPlaceBackWhoeverLeaves(t *testing.T) {
	leave := map[string]func(r *rig) page.Call{
		"the caller hangs up":      func(r *rig) page.Call { return r.hangsUp(10*ms, query("p")) },
		"the page's deadline ends": func(r *rig) page.Call { _, c := r.ask(10*ms, query("p")); return c },
		"a short deadline ends":    func(r *rig) page.Call { _, c := r.ask(10*ms, query("p", shortened)); return c },
	}
	for name, ask := range leave {
		t.Run(name, func(t *testing.T) {
			inBubble(t, page.Reviews, nil, nil, func(r *rig) {
				r.opensAndCoolsDown()
				r.becomes(after(100*ms, 200, "fine"))
				for range 3 {
					if call := ask(r); call.Duration != 10*ms || call.Outcome == page.OK {
						r.Errorf("%v after %v", call.Outcome, call.Duration)
					}
				}
				if n := r.client.State().InFlight; n != 3 {
					r.Errorf("%d slots held while three probes run", n)
				}
				_, call := r.ask(pageDeadline, query("p"))
				r.wants(call, page.BreakerOpen, 0)
				time.Sleep(100 * ms)
				r.wantsBreaker(page.StateClosed)
				if len(r.learned) != 3 {
					r.Errorf("%d answers were learned, want all three that nobody waited for", len(r.learned))
				}
			})
		})
	}
}

// A probe is told the end of its own timeout, not what its caller has left.
func TestAProbeIsToldItsOwnEnd(t *testing.T) {
	inBubble(t, page.Reviews, nil, nil, func(r *rig) {
		r.opensAndCoolsDown()
		var told string
		r.becomes(func(req *http.Request) (*http.Response, error) {
			told = req.Header.Get("X-Request-Timeout-Ms")
			return hang(req)
		})
		r.ask(10*ms, query("p"))
		time.Sleep(150 * ms)
		synctest.Wait()
		if told != "150" {
			r.Errorf("told %s ms, want 150", told)
		}
		r.wantsBreaker(page.StateOpen)
	})
}

// Successes and failures of attempts begun before the breaker last moved count for nothing.
func TestOldAnswersCountForNothing(t *testing.T) {
	change := func(s *downstreams.Settings) {
		s.Coalesce, s.Timeout, s.BreakerCooldown = false, 440*ms, 100*ms
	}
	inBubble(t, page.Reviews, after(300*ms, 200, "fine"), change, func(r *rig) {
		var old []<-chan page.Call
		for range 5 {
			old = append(old, r.asks(pageDeadline, query("p")))
		}
		synctest.Wait()
		r.opensAndCoolsDown()
		r.becomes(hang)
		probe := r.asks(pageDeadline, query("p"))
		synctest.Wait()
		for _, c := range old {
			if call := <-c; call.Outcome != page.OK {
				r.Errorf("an old call was %v", call.Outcome)
			}
		}
		r.wantsBreaker(page.StateHalfOpen)
		<-probe
		r.wantsBreaker(page.StateOpen)
	})
}

func TestAProbeDoesNotHoldTheEndUp(t *testing.T) {
	inBubble(t, page.Reviews, nil, nil, func(r *rig) {
		r.opensAndCoolsDown()
		r.becomes(hang)
		r.asks(pageDeadline, query("p"))
		synctest.Wait()
		start := time.Now()
		r.client.Close()
		if d := time.Since(start); d != 0 {
			r.Errorf("closing took %v", d)
		}
	})
}

// What is refused is known before it is asked, and so is what is not: an answer at hand, a call to join, a probe to make.
func TestRefusals(t *testing.T) {
	change := func(s *downstreams.Settings) { s.FreshFor = time.Minute }
	inBubble(t, page.Reviews, ok, change, func(r *rig) {
		refuses := func(when, id string, want bool) {
			r.Helper()
			if got := r.client.Refuses(query(id)); got != want {
				r.Errorf("%s: refuses %v, want %v", when, got, want)
			}
		}
		refuses("all well", "p", false)
		r.ask(pageDeadline, query("fresh"))
		r.orders(page.OverrideOpen, time.Minute)
		refuses("ordered open", "p", true)
		r.orders(page.OverrideNoRetry, time.Minute)
		refuses("ordered no retries", "p", false)
		r.orders(page.NotOverridden, 0)

		r.becomes(down)
		r.fails(20)
		refuses("open", "p", true)
		refuses("open, with an answer at hand", "fresh", false)
		time.Sleep(r.client.State().CoolDown)
		refuses("cooled down", "p", false)
		r.becomes(after(100*ms, 200, "fine"))
		var probes []<-chan page.Call
		for i := range 3 {
			probes = append(probes, r.asks(pageDeadline, query(strconv.Itoa(i))))
		}
		synctest.Wait()
		refuses("no probe to make", "p", true)
		refuses("a probe to join", "1", false)
		r.all(probes, page.OK)
		refuses("closed again", "p", false)
	})
}
