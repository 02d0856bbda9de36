package tracing_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/internal/pipenet"
	"example.com/bff/internal/world"
)

// traced is the whole service with a collector, and what its downstreams were sent.
type traced struct {
	*world.World
	*collector
	mu       sync.Mutex
	received map[string][]http.Header
}

// instead answers a downstream's nth request before its fake would, or not.
type instead func(w http.ResponseWriter, r *http.Request, downstream string, n int) bool

// up brings it up; every fake takes the same time.
func up(t *testing.T, instead instead, latency time.Duration, env ...string) *traced {
	t.Helper()
	w := &traced{collector: &collector{}, received: map[string][]http.Header{}}
	w.World = world.Setup{
		Env:   append(env, endpoint),
		Fakes: fakes.Options{Latency: func(string, string) time.Duration { return latency }},
		Wrap: func(name string, next http.Handler) http.Handler {
			return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				w.mu.Lock()
				w.received[name] = append(w.received[name], r.Header.Clone())
				n := len(w.received[name])
				w.mu.Unlock()
				if instead == nil || !instead(rw, r, name, n) {
					next.ServeHTTP(rw, r)
				}
			})
		},
	}.Start(t)
	w.Net.Serve(t, "collector:4318", w.collector)
	return w
}

// end stops the service, so that all its spans are at the collector.
func (w *traced) end(t *testing.T) {
	t.Helper()
	w.Signal(syscall.SIGINT)
	if err := w.Wait(); err != nil {
		t.Fatal(err)
	}
}

func (w *traced) sent(name string, n int) http.Header {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.received[name][n]
}

func TestAPageItsCallsAndTheirAttempts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := up(t, func(w http.ResponseWriter, _ *http.Request, name string, n int) bool {
			refuse := name == "price" && n == 1
			if refuse {
				time.Sleep(5 * ms)
				w.WriteHeader(http.StatusServiceUnavailable)
			}
			return refuse
		}, 10*ms)
		a := w.Get("/products/p-1001", "Traceparent", sampled, "Tracestate", "one=1", "Tracestate", "two=2", "X-Client", "web", "X-Request-Id", "r-1")
		if a.Status != 200 || a.Degraded {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		w.end(t)

		page := w.one(t, "GET /products/{id}")
		if page.trace() != trace || page.parent() != caller || page.TraceState != "one=1,two=2" || page.Kind.String() != "SPAN_KIND_SERVER" || page.failed() {
			t.Errorf("the page's span: %v", page.Span)
		}
		has(t, page, map[string]string{
			"bff.outcome": "full", "http.response.status_code": "200", "http.request.method": "GET", "http.route": "/products/{id}",
			"bff.product_id": "p-1001", "bff.client": "web", "bff.market": "other", "bff.request_id": "r-1", "bff.priority": "default",
			"bff.section.price": "ok", "bff.section.price.reason": "", "bff.section.reviews": "ok", "bff.shed": "",
		})
		if got := len(w.below(page)); got != 5 {
			t.Errorf("%d calls below it: %v", got, w.names())
		}
		for _, name := range fakes.Names() {
			c := w.one(t, "call "+name)
			attempts := w.named("GET " + name)
			if c.parent() != page.id() || len(attempts) != len(w.below(c)) || c.failed() {
				t.Errorf("the call's span: %v\n%v", c.Span, attempts)
			}
			has(t, c, map[string]string{"bff.downstream": name, "bff.outcome": "ok", "bff.coalesced": ""})
			for i, attempt := range attempts {
				if got, want := w.sent(name, i), "00-"+trace+"-"+attempt.id()+"-01"; got.Get("Traceparent") != want {
					t.Errorf("%s was told to continue %v, want %s", name, got["Traceparent"], want)
				}
				if state := w.sent(name, i)["Tracestate"]; len(state) != 1 || state[0] != "one=1, two=2" {
					t.Errorf("%s was told the state %q", name, state)
				}
			}
		}

		has(t, w.one(t, "call price"), map[string]string{"bff.attempts": "2", "bff.tried": "first upstream_error, retry ok"})
		tries := w.named("GET price")
		if len(tries) != 2 || !tries[0].failed() || tries[1].failed() || tries[1].took() != 10*ms || tries[0].Kind.String() != "SPAN_KIND_CLIENT" {
			t.Fatalf("the attempts' spans: %v", tries)
		}
		has(t, tries[0], map[string]string{"bff.attempt": "first", "http.response.status_code": "503", "error.type": "503", "http.request.resend_count": "0", "server.address": "price"})
		has(t, tries[1], map[string]string{"bff.attempt": "retry", "http.response.status_code": "200", "error.type": "", "http.request.resend_count": "1"})
		if s := w.World.Log.String(); !strings.Contains(s, `"trace_id":"`+trace+`"`) {
			t.Errorf("the log: %s", s)
		}
	})
}

func TestWithoutACallerTheTraceBeginsHere(t *testing.T) {
	for name, header := range map[string][]string{
		"none":     {},
		"no form":  {"Traceparent", "00-1", "Tracestate", "one=1"},
		"two":      {"Traceparent", sampled, "Traceparent", sampled, "Tracestate", "one=1"},
		"no state": {"Tracestate", "one=1"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w := up(t, nil, 10*ms)
				w.Get("/products/p-1001/offer", header...)
				w.end(t)
				offer := w.one(t, "GET /products/{id}/offer")
				if offer.parent() != "" || offer.trace() == trace || offer.TraceState != "" {
					t.Errorf("%v", offer.Span)
				}
				has(t, offer, map[string]string{"bff.outcome": "full", "bff.section.price": "", "http.route": "/products/{id}/offer"})
				price := w.one(t, "GET price")
				if got := w.sent("price", 0); got.Get("Traceparent") != "00-"+offer.trace()+"-"+price.id()+"-01" || got["Tracestate"] != nil {
					t.Errorf("%v", got)
				}
				if s := w.World.Log.String(); !strings.Contains(s, `"trace_id":"`+offer.trace()+`"`) {
					t.Errorf("the log has another trace: %s", s)
				}
			})
		})
	}
}

// A trace that nobody records goes on as it came; one that has a flag of a later specification is continued.
func TestSampling(t *testing.T) {
	unsampled := strings.TrimSuffix(sampled, "01") + "00"
	for name, tt := range map[string]struct {
		env      string
		came     string
		recorded bool
		goes     string // on to the downstreams; empty: from our span
	}{
		"the caller does":                {"", sampled, true, ""},
		"the caller does not":            {"", unsampled, false, unsampled},
		"a later flag":                   {"", strings.TrimSuffix(sampled, "01") + "8d", true, ""},
		"a random id":                    {"", strings.TrimSuffix(sampled, "01") + "02", false, strings.TrimSuffix(sampled, "01") + "02"},
		"never, whatever the caller":     {"OTEL_TRACES_SAMPLER=always_off", sampled, false, sampled},
		"always, whatever the caller":    {"OTEL_TRACES_SAMPLER=always_on", unsampled, true, ""},
		"a share of none, but of theirs": {"OTEL_TRACES_SAMPLER=parentbased_traceidratio", sampled, true, ""},
		"a share of none":                {"OTEL_TRACES_SAMPLER=traceidratio", sampled, false, sampled},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w := up(t, nil, 10*ms, tt.env, "OTEL_TRACES_SAMPLER_ARG=0")
				w.Get("/products/p-1001", "Traceparent", tt.came, "Tracestate", "one=1")
				w.end(t)
				got := w.sent("stock", 0)
				if recorded := len(w.names()) > 0; recorded != tt.recorded {
					t.Fatalf("%v", w.names())
				}
				if tt.recorded {
					tt.goes = "00-" + trace + "-" + w.one(t, "GET stock").id() + "-01"
				}
				if got.Get("Traceparent") != tt.goes || got.Get("Tracestate") != "one=1" {
					t.Errorf("%v, want %s", got, tt.goes)
				}
				if s := w.World.Log.String(); !strings.Contains(s, `"trace_id":"`+trace+`"`) {
					t.Errorf("the log: %s", s)
				}
			})
		})
	}
}

// Whoever is asked after us must not begin a trace of their own either.
func TestWhatIsNotSampledHereIsNotBelow(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := up(t, nil, 10*ms, "OTEL_TRACES_SAMPLER=always_off")
		w.Get("/products/p-1001")
		w.end(t)
		got := w.sent("stock", 0).Get("Traceparent")
		if len(got) != len(sampled) || !strings.HasSuffix(got, "-00") || len(w.names()) > 0 {
			t.Errorf("%q %v", got, w.names())
		}
	})
}

func TestOffPassesTheTraceOnAsItCame(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := up(t, nil, 10*ms, "OTEL_SDK_DISABLED=true")
		w.Get("/products/p-1001", "Traceparent", sampled, "Tracestate", "one=1")
		w.Get("/products/p-1002")
		w.end(t)
		for _, name := range fakes.Names() {
			if got := w.sent(name, 0); got.Get("Traceparent") != sampled || got.Get("Tracestate") != "one=1" {
				t.Errorf("%v", got)
			}
			if got := w.sent(name, 1); got["Traceparent"] != nil {
				t.Errorf("%v", got)
			}
		}
		if len(w.names()) > 0 {
			t.Errorf("%v", w.names())
		}
	})
}

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
		failed        bool // the attempt
	}{
		"it hangs":           {downstream: "recommendations", fault: fakes.Fault{Hang: true}, page: "degraded", section: "timeout", call: "timeout", class: "timeout", failed: true},
		"it resets":          {downstream: "recommendations", fault: fakes.Fault{Reset: fakes.ResetBody}, page: "degraded", section: "upstream_error", call: "upstream_error", class: "reset", failed: true},
		"it is not there":    {downstream: "recommendations", refuses: true, page: "degraded", section: "upstream_error", call: "upstream_error", class: "refused", failed: true},
		"its answer is none": {downstream: "reviews", fault: fakes.Fault{Oversize: true}, page: "degraded", section: "invalid_response", call: "invalid_response"},
		"it drips":           {downstream: "reviews", fault: fakes.Fault{DripMs: 40}, page: "degraded", section: "timeout", call: "timeout", class: "timeout", failed: true},
		"stock fails":        {downstream: "stock", fault: fakes.Fault{Status: 500}, page: "unavailable", call: "upstream_error", class: "500", failed: true},
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
				has(t, attempt, map[string]string{"error.type": tt.class})
				if page.failed() != (tt.page == "unavailable") || !c.failed() || attempt.failed() != tt.failed {
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
		has(t, tries[0], map[string]string{"bff.attempt": "first", "error.type": "cancelled"})
		has(t, tries[1], map[string]string{"bff.attempt": "hedge", "error.type": "", "http.response.status_code": "200"})
		if tries[0].failed() || tries[1].failed() {
			t.Errorf("%v", tries)
		}
	})
}

// A page takes the same with a collector that is silent, and the service ends with exit code 0, two seconds late at
// most, whatever is in the queue.
func TestADeadCollectorCostsAPageNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Setup{
			Env:   []string{endpoint, "OTEL_BSP_MAX_QUEUE_SIZE=64"},
			Fakes: fakes.Options{Latency: func(string, string) time.Duration { return 10 * ms }},
		}.Start(t)
		silent(t, w.Net)
		for i, a := range w.Every(20*ms, 4*time.Second, func(i int) world.Answer { return w.Get(fmt.Sprintf("/products/p-%d", i)) }) {
			if a.Status != 200 || a.Took != 10*ms {
				t.Fatalf("page %d took %v: %d %s", i, a.Took, a.Status, a.Body)
			}
		}
		time.Sleep(time.Minute)
		w.Get("/products/p-1")
		begun := time.Now()
		w.Signal(syscall.SIGINT)
		if err := w.Wait(); err != nil || time.Since(begun) > 2*time.Second {
			t.Errorf("it ended after %v with %v", time.Since(begun), err)
		}
		if lines := strings.Count(w.Log.String(), "spans were not delivered"); lines < 1 || lines > 3 {
			t.Errorf("%d lines", lines)
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
