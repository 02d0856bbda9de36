package downstreams_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/internal/downstreams"
	"example.com/bff/internal/page"
)

var slow = after(100*ms, http.StatusOK, "fine")

func TestIdenticalQuestionsShareOneCall(t *testing.T) {
	inBubble(t, page.Catalog, slow, nil, func(r *rig) {
		first := r.asks(pageDeadline, query("p"))
		time.Sleep(30 * ms)
		var joined []<-chan page.Call
		for range 9 {
			joined = append(joined, r.asks(pageDeadline, query("p")))
		}
		leader := <-first
		r.wants(leader, page.OK, 100*ms)
		for _, c := range joined {
			call := <-c
			r.wants(call, page.OK, 70*ms)
			if !call.Coalesced || len(call.Attempts) != 1 {
				r.Errorf("%+v", call)
			}
		}
		if leader.Coalesced || r.coalesced != 9 {
			r.Errorf("%d calls were told as coalesced", r.coalesced)
		}
		r.wantsMade(1)
		r.ask(pageDeadline, query("p"))
		r.wantsMade(2) // a flight that has landed is joined by nobody
	})
}

func TestDifferentQuestionsAreNeverMixed(t *testing.T) {
	echo := func(req *http.Request) (*http.Response, error) {
		if err := pause(req.Context(), 50*ms); err != nil {
			return nil, err
		}
		return respond(200, req.URL.Path+" "+req.Header.Get("Accept-Language")+" "+req.Header.Get("X-Market")), nil
	}
	inBubble(t, page.Catalog, echo, nil, func(r *rig) {
		questions := []*page.Query{
			query("p"), query("q"), query("p", header("X-Market", "de")), query("p", header("X-Market", "fr")),
			query("p", header("Accept-Language", "de")), query("p", header("Accept-Language", "de"), header("X-Market", "de")),
		}
		got := make(chan bool, len(questions))
		for _, q := range questions {
			go func() {
				v, call := r.ask(pageDeadline, q)
				want := fmt.Sprintf("/things/%s %s %s", q.ID, q.Header.Get("Accept-Language"), q.Header.Get("X-Market"))
				if v != want || call.Coalesced {
					r.Errorf("got %q, want %q", v, want)
				}
				got <- true
			}()
		}
		for range questions {
			<-got
		}
		r.wantsMade(len(questions))
	})
	inBubble(t, page.Catalog, slow, func(s *downstreams.Settings) { s.Coalesce = false }, func(r *rig) {
		a, b := r.asks(pageDeadline, query("p")), r.asks(pageDeadline, query("p"))
		r.wants(<-a, page.OK, 100*ms)
		r.wants(<-b, page.OK, 100*ms)
		r.wantsMade(2)
	})
}

func TestOneThatLeavesHarmsNoOther(t *testing.T) {
	inBubble(t, page.Catalog, slow, nil, func(r *rig) {
		var left []<-chan page.Call
		for range 3 { // the leader, and two who join
			done := make(chan page.Call, 1)
			go func() { done <- r.hangsUp(50*ms, query("p")) }()
			left = append(left, done)
			synctest.Wait()
		}
		stays := r.asks(pageDeadline, query("p"))
		var gone []page.Call
		for _, c := range left {
			call := <-c
			r.wants(call, page.Cancelled, 50*ms)
			gone = append(gone, call)
		}
		r.wants(<-stays, page.OK, 100*ms)
		r.wantsMade(1)
		for _, call := range gone {
			if len(call.Attempts) != 1 || call.Attempts[0].Duration != 0 {
				r.Errorf("what was told to one who left is not what it was then: %+v", call.Attempts)
			}
		}
	})
}

func TestALeaderOutOfTimeHarmsNoJoiner(t *testing.T) {
	inBubble(t, page.Catalog, turns(hang, slow), nil, func(r *rig) {
		leader := r.asks(205*ms, query("p")) // its time would not suffice for a retry
		time.Sleep(10 * ms)
		joiner := r.asks(pageDeadline, query("p"))
		r.wants(<-leader, page.Timeout, 205*ms)
		if call := <-joiner; call.Outcome != page.OK || len(call.Attempts) != 2 {
			r.Errorf("%v after %d attempts", call.Outcome, len(call.Attempts))
		}
	})
}

// An attempt that had to be told an early end is of no use to somebody who can wait longer.
func TestNobodyJoinsAnAttemptThatIsToldToEndTooEarly(t *testing.T) {
	obeys := func(req *http.Request) (*http.Response, error) {
		left := time.Until(unixMilli(t, req.Header.Get("X-Request-Deadline")))
		if left < 100*ms {
			<-time.After(left)
			return respond(504, ""), nil
		}
		return slow(req)
	}
	inBubble(t, page.Catalog, transport(obeys), nil, func(r *rig) {
		leader := r.asks(60*ms, query("p"))
		time.Sleep(10 * ms)
		sooner := r.asks(20*ms, query("p"))
		synctest.Wait()
		later := r.asks(pageDeadline, query("p"))
		if call := <-sooner; !call.Coalesced {
			r.Error("one who can wait less did not join")
		}
		r.wants(<-leader, page.Timeout, 60*ms)
		r.wants(<-later, page.OK, 100*ms)
		r.wantsMade(2)
	})
}

func TestTheLastOneOutCancels(t *testing.T) {
	var cause error
	told := func(req *http.Request) (*http.Response, error) {
		<-req.Context().Done()
		cause = context.Cause(req.Context())
		return nil, cause
	}
	inBubble(t, page.Catalog, transport(told), nil, func(r *rig) {
		a, b := r.asks(200*ms, query("p")), make(chan page.Call, 1)
		go func() { b <- r.hangsUp(20*ms, query("p")) }()
		<-b
		if r.client.State().InFlight != 1 {
			r.Error("the call was cancelled while somebody waited")
		}
		r.wants(<-a, page.Timeout, 200*ms)
		synctest.Wait()
		if !errors.Is(cause, context.DeadlineExceeded) {
			r.Errorf("cancelled because of %v", cause)
		}
		if n := r.client.State().InFlight; n != 0 {
			r.Errorf("%d slots held", n)
		}
	})
}

// A newcomer never joins a flight that is being cancelled, however long its end takes.
func TestANewcomerDoesNotJoinADyingFlight(t *testing.T) {
	stubborn := func(req *http.Request) (*http.Response, error) {
		<-req.Context().Done()
		time.Sleep(100 * ms)
		return nil, context.Cause(req.Context())
	}
	inBubble(t, page.Catalog, turns(stubborn, ok), nil, func(r *rig) {
		r.wants(r.hangsUp(10*ms, query("p")), page.Cancelled, 10*ms)
		v, call := r.ask(pageDeadline, query("p"))
		r.wants(call, page.OK, 10*ms)
		if v != "fine" || call.Coalesced {
			r.Errorf("%q, %+v", v, call)
		}
		if n := r.client.State().InFlight; n != 1 {
			r.Errorf("%d slots held while the first one ends", n)
		}
	})
}

func TestAShortenedDeadlineNeverLeads(t *testing.T) {
	inBubble(t, page.Catalog, slow, nil, func(r *rig) {
		short := r.asks(50*ms, query("p", shortened))
		synctest.Wait()
		whole := r.asks(pageDeadline, query("p"))
		synctest.Wait()
		joins := r.asks(30*ms, query("p", shortened))
		r.wants(<-joins, page.Timeout, 30*ms)
		r.wants(<-short, page.Timeout, 50*ms)
		if call := <-whole; call.Outcome != page.OK || call.Coalesced {
			r.Errorf("%+v", call)
		}
		if r.coalesced != 1 {
			r.Errorf("%d joined, want the one with the short deadline", r.coalesced)
		}
		r.wantsMade(2)
	})
	inBubble(t, page.Catalog, slow, nil, func(r *rig) { // short, but no shorter than an attempt
		short := r.asks(300*ms, query("p", shortened))
		synctest.Wait()
		if _, call := r.ask(pageDeadline, query("p")); call.Coalesced {
			r.Error("a call led by a short deadline was joined")
		}
		<-short
		r.wantsMade(2)
	})
}

func TestTheLeadersRequestIDAndTraceAreSent(t *testing.T) {
	const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	var seen http.Header
	inBubble(t, page.Catalog, func(req *http.Request) (*http.Response, error) {
		seen = req.Header
		return slow(req)
	}, nil, func(r *rig) {
		lead := r.asks(pageDeadline, query("p", header("Traceparent", trace), header("Tracestate", "a=b")))
		synctest.Wait()
		join := query("p", header("Traceparent", "00-11111111111111111111111111111111-2222222222222222-00"))
		join.RequestID = "request-2"
		<-r.asks(pageDeadline, join)
		<-lead
		if seen.Get("X-Request-Id") != "request-1" || seen.Get("Traceparent") != trace || seen.Get("Tracestate") != "a=b" {
			r.Errorf("%v", seen)
		}
	})
}

// The context of the call keeps the leader's values, for tracing, and nothing else of it.
func TestTheCallKeepsTheLeadersValues(t *testing.T) {
	type key struct{}
	inBubble(t, page.Catalog, func(req *http.Request) (*http.Response, error) {
		if req.Context().Value(key{}) != "span" {
			t.Error("the leader's values are lost")
		}
		return slow(req)
	}, nil, func(r *rig) {
		if _, call := r.client.Ask(context.WithValue(r.Context(), key{}, "span"), query("p")); call.Outcome != page.OK {
			r.Errorf("%v", call.Outcome)
		}
	})
}

func TestAContextThatHasEndedMakesNoCall(t *testing.T) {
	inBubble(t, page.Catalog, ok, nil, func(r *rig) {
		if _, call := r.ask(-ms, query("p")); call.Outcome != page.Timeout || !call.Asked {
			r.Errorf("%+v", call)
		}
		ctx, cancel := context.WithCancel(r.Context())
		cancel()
		if _, call := r.client.Ask(ctx, query("p")); call.Outcome != page.Cancelled || call.Asked {
			r.Errorf("%+v", call)
		}
		r.wantsMade(0)
	})
}

func TestCloseCancelsAndWaits(t *testing.T) {
	inBubble(t, page.Catalog, hang, nil, func(r *rig) {
		shared, alone := r.asks(pageDeadline, query("p")), r.asks(pageDeadline, query("q", shortened))
		time.Sleep(10 * ms)
		r.client.Close()
		for _, c := range []<-chan page.Call{shared, alone} {
			r.wants(<-c, page.Cancelled, 10*ms)
		}
		_, call := r.ask(pageDeadline, query("p"))
		r.wants(call, page.Cancelled, 0)
		r.wantsMade(2)
	})
}

func TestEveryGoodAnswerIsLearned(t *testing.T) {
	inBubble(t, page.Price, ok, nil, func(r *rig) {
		q := query("p", header("X-Market", "de"))
		sent := time.Now()
		r.ask(pageDeadline, q)
		r.becomes(after(ms, 404, ""))
		r.ask(pageDeadline, q)
		for _, bad := range []transport{down, hang, after(0, 200, "")} {
			r.becomes(bad)
			r.ask(pageDeadline, q)
		}
		want := []lesson{{r.client.Key(q), "fine", false, sent}, {r.client.Key(q), "", true, sent.Add(10 * ms)}}
		if len(r.learned) != 2 || r.learned[0] != want[0] || r.learned[1] != want[1] {
			r.Errorf("learned %+v, want %+v", r.learned, want)
		}
	})
}
