package tracing_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"example.com/bff/internal/page"
	"example.com/bff/internal/pipenet"
	"example.com/bff/internal/tracing"
)

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

var errBroken = errors.New("broken")

// Neither the inbound nor the outbound request is changed: they belong to others.
func TestRequestsAreNotChanged(t *testing.T) {
	bubble(t, func(t *testing.T) {
		n := pipenet.New()
		c := &collector{}
		n.Serve(t, "collector:4318", c)
		traces := start(t, tracing.Options{Env: environ(endpoint), Dial: n.DialContext})
		out := httptest.NewRequest(http.MethodGet, "http://price/p", nil)
		out.Header.Set("Traceparent", sampled)
		transport := traces.Transport(roundTrip(func(r *http.Request) (*http.Response, error) {
			if r.Header.Get("Traceparent") == sampled {
				t.Error("the downstream is told the caller's span")
			}
			return nil, errBroken
		}))
		ask := tracing.Source(traces, page.Price, func(ctx context.Context, _ *page.Query) (page.Quote, page.Call) {
			ctx, end := traces.Attempts(page.Price)(ctx, page.First)
			if _, err := transport.RoundTrip(out.WithContext(ctx)); !errors.Is(err, errBroken) {
				t.Errorf("%v", err)
			}
			end(page.UpstreamError)
			return page.Quote{}, page.Call{Asked: true, Outcome: page.UpstreamError}
		})
		in := httptest.NewRequest(http.MethodGet, "/products/p", nil)
		in.Header.Set("Tracestate", "one=1")
		traces.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			ask(r.Context(), &page.Query{})
		})).ServeHTTP(nil, in)
		traces.Close(t.Context())

		if in.Header.Get("Traceparent") != "" || in.Header.Get("Tracestate") != "one=1" || out.Header.Get("Traceparent") != sampled {
			t.Errorf("%v %v", in.Header, out.Header)
		}
		has(t, c.one(t, "GET price"), map[string]string{"error.type": "_OTHER"})
	})
}

// What is asked outside of a traced page is not traced, and costs no header.
func TestWithoutAPageThereIsNoCall(t *testing.T) {
	bubble(t, func(t *testing.T) {
		traces := start(t, tracing.Options{Env: environ(endpoint), Dial: pipenet.New().DialContext})
		defer traces.Close(t.Context())
		asked := httptest.NewRequest(http.MethodGet, "http://price/p", nil)
		transport := traces.Transport(roundTrip(func(r *http.Request) (*http.Response, error) {
			if r != asked {
				t.Error("it is another request")
			}
			return nil, errBroken
		}))
		ctx, end := traces.Attempts(page.Price)(t.Context(), page.First)
		if ctx != t.Context() {
			t.Error("there is a span")
		}
		_, _ = transport.RoundTrip(asked)
		end(page.UpstreamError)
	})
}

// As OpenTelemetry has it, an address has no port: backends group by it.
func TestAnAddressHasNoPort(t *testing.T) {
	for host, want := range map[string][2]string{
		"price": {"price", ""}, "price:8443": {"price", "8443"}, "[::1]:81": {"::1", "81"},
	} {
		bubble(t, func(t *testing.T) {
			n := pipenet.New()
			c := &collector{}
			n.Serve(t, "collector:4318", c)
			traces := start(t, tracing.Options{Env: environ(endpoint), Dial: n.DialContext})
			transport := traces.Transport(roundTrip(func(*http.Request) (*http.Response, error) { return nil, errBroken }))
			ask := tracing.Source(traces, page.Price, func(ctx context.Context, _ *page.Query) (page.Quote, page.Call) {
				ctx, end := traces.Attempts(page.Price)(ctx, page.First)
				_, err := transport.RoundTrip(httptest.NewRequest(http.MethodGet, "http://"+host+"/p", nil).WithContext(ctx))
				end(page.UpstreamError)
				return page.Quote{}, page.Call{Asked: err != nil, Outcome: page.UpstreamError}
			})
			traces.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				ask(r.Context(), &page.Query{})
			})).ServeHTTP(nil, httptest.NewRequest(http.MethodGet, "/products/p", nil))
			traces.Close(t.Context())
			has(t, c.one(t, "GET price"), map[string]string{"server.address": want[0], "server.port": want[1]})
		})
	}
}

func TestAPanicPassesThrough(t *testing.T) {
	bubble(t, func(t *testing.T) {
		n := pipenet.New()
		c := &collector{}
		n.Serve(t, "collector:4318", c)
		traces := start(t, tracing.Options{Env: environ(endpoint), Dial: n.DialContext})
		func() {
			defer func() {
				if v := recover(); v != http.ErrAbortHandler {
					t.Errorf("%v", v)
				}
			}()
			traces.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })).
				ServeHTTP(nil, httptest.NewRequest(http.MethodGet, "/products/p", nil))
		}()
		traces.Close(t.Context())
		if events := c.one(t, "GET /products/{id}").Events; len(events) > 0 {
			t.Errorf("%v", events)
		}
	})
}
