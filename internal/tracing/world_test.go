package tracing_test

import (
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.com/bff/fakes"
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
		has(t, tries[0], map[string]string{"bff.attempt": "first", "bff.outcome": "upstream_error", "http.response.status_code": "503", "error.type": "503", "http.request.resend_count": "0", "server.address": "price"})
		has(t, tries[1], map[string]string{"bff.attempt": "retry", "bff.outcome": "ok", "http.response.status_code": "200", "error.type": "", "http.request.resend_count": "1"})
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
