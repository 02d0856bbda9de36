package tracing_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/internal/pipenet"
	"example.com/bff/internal/world"
)

func TestWhatIsRefusedHasASpanAsWell(t *testing.T) {
	for name, tt := range map[string]struct {
		path, method string
		header       []string
		outcome      string
		status       string
		failed       bool
	}{
		"a bad id":          {"/products/a%20b", "GET", nil, "invalid", "400", false},
		"no id":             {"/products/", "GET", nil, "invalid", "400", false},
		"no time left":      {"/products/p", "GET", []string{"X-Request-Timeout-Ms", "10"}, "deadline", "503", true},
		"no such product":   {"/products/missing-1", "HEAD", nil, "not_found", "404", false},
		"another method":    {"/products/p", "POST", nil, "", "", false},
		"another path":      {"/products/p/reviews", "GET", nil, "", "", false},
		"the health":        {"/readyz", "GET", nil, "", "", false},
		"what is no page's": {"/problems/not-found", "GET", nil, "", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w := up(t, nil, 10*ms)
				w.Do(t.Context(), tt.method, world.Public, tt.path, tt.header...)
				w.end(t)
				if tt.outcome == "" {
					if len(w.names()) > 0 {
						t.Errorf("%v", w.names())
					}
					return
				}
				s := w.one(t, tt.method+" /products/{id}")
				has(t, s, map[string]string{"bff.outcome": tt.outcome, "http.response.status_code": tt.status})
				if s.failed() != tt.failed {
					t.Errorf("%v", s.Status)
				}
			})
		})
	}
}

func TestAShedPageHasASpan(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := up(t, nil, 100*ms, "BFF_MAX_IN_FLIGHT=1")
		w.All(10, func(i int) world.Answer { return w.Get(fmt.Sprintf("/products/p-%d", i)) })
		w.end(t)
		pages := w.named("GET /products/{id}")
		shed := slices.IndexFunc(pages, func(s span) bool { return s.is("bff.outcome") == "shed" })
		if len(pages) != 10 || shed < 0 || !pages[shed].failed() || pages[shed].is("bff.shed") == "" || len(w.below(pages[shed])) > 0 {
			t.Errorf("%v", pages)
		}
	})
}

func TestFailuresAreTold(t *testing.T) {
	for name, tt := range map[string]struct {
		downstream    string
		fault         fakes.Fault
		refuses       bool
		page, section string // outcomes
		call, class   string
	}{
		"it hangs":           {downstream: "recommendations", fault: fakes.Fault{Hang: true}, page: "degraded", section: "timeout", call: "timeout", class: "timeout"},
		"it resets":          {downstream: "recommendations", fault: fakes.Fault{Reset: fakes.ResetBody}, page: "degraded", section: "upstream_error", call: "upstream_error", class: "reset"},
		"it is not there":    {downstream: "recommendations", refuses: true, page: "degraded", section: "upstream_error", call: "upstream_error", class: "refused"},
		"its answer is none": {downstream: "reviews", fault: fakes.Fault{Oversize: true}, page: "degraded", section: "invalid_response", call: "invalid_response", class: "invalid_response"},
		"it drips":           {downstream: "reviews", fault: fakes.Fault{DripMs: 40}, page: "degraded", section: "timeout", call: "timeout", class: "timeout"},
		"stock fails":        {downstream: "stock", fault: fakes.Fault{Status: 500}, page: "unavailable", call: "upstream_error", class: "500"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w := up(t, nil, 10*ms)
				w.Fault(tt.downstream, tt.fault)
				w.Net.SetFault(tt.downstream+":80", pipenet.Fault{Refuse: tt.refuses, Latency: 5 * ms})
				w.Get("/products/p-1001")
				w.end(t)
				page, c, attempt := w.one(t, "GET /products/{id}"), w.one(t, "call "+tt.downstream), w.one(t, "GET "+tt.downstream)
				has(t, page, map[string]string{"bff.outcome": tt.page, "bff.section." + tt.downstream + ".reason": tt.section})
				has(t, c, map[string]string{"bff.outcome": tt.call, "bff.tried": "first " + tt.call})
				has(t, attempt, map[string]string{"error.type": tt.class, "bff.outcome": tt.call})
				if page.failed() != (tt.page == "unavailable") || !c.failed() || !attempt.failed() {
					t.Errorf("%v %v %v", page.Status, c.Status, attempt.Status)
				}
			})
		})
	}
}

func TestARememberedPriceAndAnOpenBreaker(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := up(t, nil, 10*ms)
		w.Get("/products/p-1001")
		w.Fault("price", fakes.Fault{Status: 500})
		for range 21 {
			w.Get("/products/p-1001")
		}
		w.end(t)
		pages, calls := w.named("GET /products/{id}"), w.named("call price")
		has(t, pages[21], map[string]string{"bff.section.price": "stale", "bff.section.price.reason": "breaker_open", "bff.memory": "hit"})
		has(t, calls[21], map[string]string{"bff.outcome": "breaker_open", "bff.attempts": "0", "bff.tried": ""})
		if calls[21].is("bff.retry_after_ms") == "" || len(w.below(calls[21])) > 0 {
			t.Errorf("%v", calls[21])
		}
	})
}

func TestOneWhoJoinedHasNoAttempts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := up(t, nil, 50*ms)
		w.All(2, func(i int) world.Answer {
			time.Sleep(time.Duration(i) * 10 * ms)
			return w.Get("/products/p-1001")
		})
		w.end(t)
		calls := w.named("call stock")
		led, joined := calls[0], calls[1]
		if len(w.below(led)) != 1 || len(w.below(joined)) != 0 {
			t.Errorf("%d and %d attempts", len(w.below(led)), len(w.below(joined)))
		}
		has(t, led, map[string]string{"bff.coalesced": ""})
		has(t, joined, map[string]string{"bff.coalesced": "true", "bff.outcome": "ok", "bff.attempts": "1"})
	})
}

func TestAHedgeAndItsLoser(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := up(t, func(_ http.ResponseWriter, r *http.Request, name string, n int) bool {
			hang := name == "catalog" && n == 1
			if hang {
				<-r.Context().Done()
			}
			return hang
		}, 10*ms, "BFF_CATALOG_HEDGE_AFTER=30ms")
		w.Get("/products/p-1001")
		w.end(t)
		tries := w.named("GET catalog")
		if len(tries) != 2 {
			t.Fatalf("%v", tries)
		}
		has(t, tries[0], map[string]string{"bff.attempt": "first", "error.type": "cancelled", "bff.outcome": "cancelled"})
		has(t, tries[1], map[string]string{"bff.attempt": "hedge", "bff.outcome": "ok", "error.type": "", "http.response.status_code": "200"})
		if tries[0].failed() || tries[1].failed() {
			t.Errorf("%v", tries)
		}
	})
}

// A client that leaves early ends its page's span, and what it had begun.
func TestAClientThatLeaves(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := up(t, nil, 100*ms)
		ctx, cancel := context.WithTimeout(t.Context(), 50*ms)
		defer cancel()
		w.Do(ctx, http.MethodGet, world.Public, "/products/p-1001")
		time.Sleep(time.Second)
		w.end(t)
		page := w.one(t, "GET /products/{id}")
		has(t, page, map[string]string{"bff.outcome": "cancelled", "http.response.status_code": ""})
		has(t, w.one(t, "GET stock"), map[string]string{"error.type": "cancelled"})
		if page.failed() || w.one(t, "call stock").failed() || len(page.Events) > 0 {
			t.Errorf("%v", page)
		}
	})
}

// What the status said is not overwritten by what befell the rest of a body that nobody wants.
func TestAFailedAnswerThatDoesNotEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := up(t, func(w http.ResponseWriter, r *http.Request, name string, _ int) bool {
			endless := name == "reviews"
			if endless {
				w.WriteHeader(http.StatusInternalServerError)
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			}
			return endless
		}, 10*ms)
		w.Get("/products/p-1001")
		w.end(t)
		has(t, w.one(t, "GET reviews"), map[string]string{"error.type": "500", "http.response.status_code": "500"})
	})
}
