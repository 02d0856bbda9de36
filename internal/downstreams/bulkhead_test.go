package downstreams_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/internal/downstreams"
	"example.com/bff/internal/page"
)

func slots(n int) func(*downstreams.Settings) {
	return func(s *downstreams.Settings) { s.Bulkhead, s.Coalesce = n, false }
}

// fill occupies n slots for d and returns when they are taken.
func (r *rig) fill(n int, d time.Duration, change ...func(*page.Query)) []<-chan page.Call {
	r.Helper()
	r.becomes(after(d, 200, "fine"))
	var calls []<-chan page.Call
	for range n {
		calls = append(calls, r.asks(pageDeadline, query("p", change...)))
	}
	synctest.Wait()
	return calls
}

func (r *rig) all(calls []<-chan page.Call, o page.Outcome) {
	r.Helper()
	for _, c := range calls {
		if call := <-c; call.Outcome != o {
			r.Errorf("a call was %v, want %v", call.Outcome, o)
		}
	}
}

func TestAFullBulkheadWaitsALittle(t *testing.T) {
	for d, wait := range map[page.Dependency]time.Duration{page.Catalog: 20 * ms, page.Recommendations: 5 * ms} {
		inBubble(t, d, nil, slots(4), func(r *rig) {
			calls := r.fill(4, 80*ms)
			_, call := r.ask(pageDeadline, query("p"))
			r.wants(call, page.BulkheadFull, wait)
			if call.Queued != wait || len(call.Attempts) != 0 {
				r.Errorf("%+v", call)
			}
			r.all(calls, page.OK)
			r.wantsMade(4) // nobody retried
		})
		inBubble(t, d, nil, slots(4), func(r *rig) {
			calls := r.fill(4, wait-ms)
			_, call := r.ask(pageDeadline, query("p"))
			if call.Outcome != page.OK || call.Queued != wait-ms {
				r.Errorf("%+v", call)
			}
			r.all(calls, page.OK)
		})
	}
}

func TestAJoinerQueuedOnlySinceItCame(t *testing.T) {
	inBubble(t, page.Catalog, nil, func(s *downstreams.Settings) { s.Bulkhead = 1 }, func(r *rig) {
		calls := r.fill(1, 15*ms)
		leader := r.asks(pageDeadline, query("q"))
		time.Sleep(10 * ms)
		_, joiner := r.ask(pageDeadline, query("q"))
		if l := <-leader; l.Queued != 15*ms || joiner.Queued != 5*ms || !joiner.Coalesced {
			r.Errorf("the leader queued for %v, the joiner for %v", l.Queued, joiner.Queued)
		}
		r.all(calls, page.OK)
	})
}

func TestWaitingForASlotEndsWithTheWaiter(t *testing.T) {
	inBubble(t, page.Catalog, nil, slots(1), func(r *rig) {
		calls := r.fill(1, 80*ms)
		_, call := r.ask(7*ms, query("p"))
		r.wants(call, page.Timeout, 7*ms)
		if call.Queued != 7*ms {
			r.Errorf("queued for %v", call.Queued)
		}
		r.wants(r.hangsUp(5*ms, query("p")), page.Cancelled, 5*ms)
		r.all(calls, page.OK)
	})
}

func TestAFullBulkheadOpensNoBreaker(t *testing.T) {
	inBubble(t, page.Recommendations, nil, slots(1), func(r *rig) {
		for range 40 {
			calls := r.fill(1, 50*ms)
			if _, call := r.ask(pageDeadline, query("p")); call.Outcome != page.BulkheadFull {
				r.Fatalf("%v", call.Outcome)
			}
			r.all(calls, page.OK)
		}
		r.wantsBreaker(page.StateClosed)
	})
}

func TestNeverMoreThanTheLimit(t *testing.T) {
	for _, d := range page.Dependencies {
		inBubble(t, d, nil, slots(16), func(r *rig) {
			var now, most atomic.Int64
			r.becomes(func(req *http.Request) (*http.Response, error) {
				most.Store(max(most.Load(), now.Add(1)))
				defer now.Add(-1)
				return after(10*ms, 200, "fine")(req)
			})
			var calls []<-chan page.Call
			for i := range 300 {
				calls = append(calls, r.asks(pageDeadline, query("p", func(q *page.Query) { q.Offer = i%3 == 0 })))
				time.Sleep(200 * time.Microsecond)
			}
			for _, c := range calls {
				<-c
			}
			if most.Load() != 16 {
				r.Errorf("%v: %d at once, want 16", d, most.Load())
			}
		})
	}
}

func TestAQuarterIsKeptForOffers(t *testing.T) {
	for d, pages := range map[page.Dependency]int{page.Price: 12, page.Stock: 12, page.Catalog: 16} {
		inBubble(t, d, nil, slots(16), func(r *rig) {
			calls := r.fill(pages, 200*ms)
			if _, call := r.ask(pageDeadline, query("p")); call.Outcome != page.BulkheadFull {
				r.Errorf("%v: page %d got a slot: %v", d, pages+1, call.Outcome)
			}
			offers := r.fill(16-pages, 100*ms, offer)
			if n := r.client.State().InFlight; n != 16 {
				r.Errorf("%v: %d in flight, want 16", d, n)
			}
			if _, call := r.ask(pageDeadline, query("p", offer)); call.Outcome != page.BulkheadFull {
				r.Errorf("%v: offer 17 got a slot: %v", d, call.Outcome)
			}
			r.all(offers, page.OK)
			for _, c := range calls {
				<-c
			}
		})
	}
}

func TestOffersMayUseTheWholeBulkhead(t *testing.T) {
	inBubble(t, page.Price, nil, slots(16), func(r *rig) {
		offers := r.fill(16, 100*ms, offer)
		if n := r.client.State().InFlight; n != 16 {
			r.Errorf("%d offers in flight, want 16", n)
		}
		r.all(offers, page.OK)
	})
}

// A page that finds the whole taken up by offers gives its place among the pages back, and waits no longer for both
// than for one.
func TestPagesBehindOffers(t *testing.T) {
	inBubble(t, page.Price, nil, slots(16), func(r *rig) {
		offers := r.fill(16, 140*ms, offer)
		for range 5 {
			_, call := r.ask(pageDeadline, query("p"))
			r.wants(call, page.BulkheadFull, 20*ms)
		}
		for _, c := range offers {
			<-c
		}
		pages := r.fill(12, 50*ms)
		if n := r.client.State().InFlight; n != 12 {
			r.Errorf("%d pages in flight, want 12", n)
		}
		r.all(pages, page.OK)
	})
	inBubble(t, page.Price, nil, slots(16), func(r *rig) {
		short := r.fill(12, 15*ms)
		long := r.fill(4, 100*ms, offer)
		late := r.asks(pageDeadline, query("p"))
		time.Sleep(14 * ms)
		for range 12 { // the places that come free in a moment go to offers
			long = append(long, r.asks(pageDeadline, query("p", offer)))
		}
		r.wants(<-late, page.BulkheadFull, 20*ms)
		r.all(short, page.OK)
		r.all(long, page.OK)
	})
}

// Pages that ask again as soon as they are refused take no offer with them.
func TestAnOfferThatAsksForItselfJoinsNoOtherPage(t *testing.T) {
	inBubble(t, page.Price, nil, func(s *downstreams.Settings) { s.Bulkhead = 4 }, func(r *rig) {
		r.becomes(after(120*ms, 200, "fine"))
		for i := range 3 {
			r.asks(pageDeadline, query(fmt.Sprint("other-", i)))
		}
		insists := func() {
			for range 3 {
				r.ask(pageDeadline, query("p"))
			}
		}
		synctest.Wait()
		go insists()
		synctest.Wait()
		offers := r.asks(pageDeadline, query("p", offer))
		synctest.Wait()
		for range 50 {
			go insists()
		}
		r.wants(<-offers, page.OK, 140*ms)
	})
}

// An offer joins a page that asks the same; when that page gets no slot, the offer asks for itself.
func TestAnOfferDoesNotShareAPagesBulkheadFull(t *testing.T) {
	inBubble(t, page.Price, nil, func(s *downstreams.Settings) { s.Bulkhead = 4 }, func(r *rig) {
		r.becomes(after(120*ms, 200, "fine"))
		var busy []<-chan page.Call
		for i := range 3 {
			busy = append(busy, r.asks(pageDeadline, query(fmt.Sprint("busy", i))))
		}
		synctest.Wait()
		asksPage := r.asks(pageDeadline, query("p"))
		synctest.Wait()
		_, call := r.ask(pageDeadline, query("p", offer))
		r.wants(<-asksPage, page.BulkheadFull, 20*ms)
		r.wants(call, page.OK, 140*ms)
		if call.Queued != 20*ms {
			r.Errorf("queued for %v", call.Queued)
		}
		r.all(busy, page.OK)
	})
}

// After ten rounds of everything that can go wrong exactly as many calls can be in flight as before.
func TestSlotsAndPermitsComeBack(t *testing.T) {
	const limit = 8
	abuse := map[string]struct {
		does transport
		ask  func(r *rig)
	}{
		"timeouts":      {hang, func(r *rig) { r.ask(pageDeadline, query("p")) }},
		"page deadline": {hang, func(r *rig) { r.ask(60*ms, query("p")) }},
		"aborts":        {hang, func(r *rig) { r.hangsUp(5*ms, query("p")) }},
		"short":         {hang, func(r *rig) { r.ask(20*ms, query("p", shortened)) }},
		"resets":        {errs(syscall.ECONNRESET), func(r *rig) { r.ask(pageDeadline, query("p")) }},
		"garbage":       {after(0, 200, ""), func(r *rig) { r.ask(pageDeadline, query("p")) }},
		"panics":        {func(*http.Request) (*http.Response, error) { panic("boom") }, func(r *rig) { r.ask(pageDeadline, query("p")) }},
		"decode panics": {after(0, 200, "boom"), func(r *rig) { r.ask(pageDeadline, query("p")) }},
		"body panics": {func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: panicking{}}, nil
		}, func(r *rig) { r.ask(pageDeadline, query("p")) }},
	}
	for _, d := range []page.Dependency{page.Stock, page.Reviews} {
		for _, hedge := range []time.Duration{0, 2 * ms} {
			inBubble(t, d, nil, func(s *downstreams.Settings) { slots(limit)(s); s.HedgeAfter.Delay = hedge }, func(r *rig) {
				for range 10 {
					for _, a := range abuse {
						r.becomes(a.does)
						var wg sync.WaitGroup
						for range 3 * limit {
							wg.Go(func() { a.ask(r) })
						}
						wg.Wait()
					}
				}
				time.Sleep(30 * time.Second)
				r.becomes(ok)
				for range 3 {
					r.ask(pageDeadline, query("p"))
				}
				r.wantsBreaker(page.StateClosed)
				calls := r.fill(limit, 50*ms, offer)
				if n := r.client.State().InFlight; n != limit {
					r.Errorf("%d in flight, want %d", n, limit)
				}
				if _, call := r.ask(pageDeadline, query("p", offer)); call.Outcome != page.BulkheadFull {
					r.Errorf("one more was %v", call.Outcome)
				}
				r.all(calls, page.OK)
			})
		}
	}
}

type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic("boom in body") }
func (panicking) Close() error             { return nil }

func TestPanicsAreLoggedAndLeakNothing(t *testing.T) {
	inBubble(t, page.Reviews, func(*http.Request) (*http.Response, error) { panic("secret host db:5432") }, nil, func(r *rig) {
		_, call := r.client.Ask(context.Background(), query("p"))
		r.wants(call, page.UpstreamError, 0)
		synctest.Wait()
		log := r.log.String()
		for _, want := range []string{"level=ERROR", "downstream=reviews", `panic="secret host db:5432"`, "attempt.go"} {
			if !strings.Contains(log, want) {
				r.Errorf("the log lacks %s: %s", want, log)
			}
		}
	})
}

// Whatever becomes of an answer, its body is closed.
func TestEveryBodyIsClosed(t *testing.T) {
	var opened, closed atomic.Int64
	counts := func(t transport) transport {
		return func(req *http.Request) (*http.Response, error) {
			resp, err := t(req)
			if err == nil {
				opened.Add(1)
				resp.Body = countingCloser{resp.Body, &closed}
			}
			return resp, err
		}
	}
	for _, does := range []transport{ok, down, after(0, 204, ""), after(0, 200, ""), after(0, 200, "boom"), after(0, 200, strings.Repeat("x", 2<<20))} {
		inBubble(t, page.Catalog, counts(does), nil, func(r *rig) { r.ask(pageDeadline, query("p")) })
	}
	if opened.Load() != 6 || closed.Load() != 6 {
		t.Errorf("%d bodies were opened and %d closed", opened.Load(), closed.Load())
	}
}

type countingCloser struct {
	io.ReadCloser
	closed *atomic.Int64
}

func (c countingCloser) Close() error {
	c.closed.Add(1)
	return c.ReadCloser.Close()
}

// However small the bulkhead, as long as it can be divided, an offer finds a slot that pages cannot take.
func TestASmallBulkheadKeepsOneForOffers(t *testing.T) {
	for _, limit := range []int{2, 3, 4, 5} {
		inBubble(t, page.Stock, nil, slots(limit), func(r *rig) {
			pages := r.fill(limit+2, 100*ms)
			_, call := r.ask(pageDeadline, query("p", offer))
			r.wants(call, page.OK, 100*ms)
			for _, c := range pages {
				<-c
			}
		})
	}
}

// An offer that joined a page in the queue has waited with it, and waits no longer than the rest.
func TestAnOfferWaitsForASlotOnce(t *testing.T) {
	inBubble(t, page.Stock, nil, func(s *downstreams.Settings) { s.Bulkhead = 4 }, func(r *rig) {
		r.becomes(after(120*ms, 200, "fine"))
		for i := range 3 {
			r.asks(pageDeadline, query(fmt.Sprint("page-", i)))
		}
		r.asks(pageDeadline, query("offer", offer))
		synctest.Wait()
		r.asks(pageDeadline, query("p"))
		synctest.Wait()
		_, call := r.ask(pageDeadline, query("p", offer))
		r.wants(call, page.BulkheadFull, 20*ms)
	})
}
