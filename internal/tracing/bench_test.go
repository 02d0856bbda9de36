package tracing_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/bff/internal/page"
	"example.com/bff/internal/tracing"
)

// What a page with five calls of one attempt each costs beside what it costs without traces.
func BenchmarkPage(b *testing.B) {
	for name, env := range map[string][]string{
		"off":       {},
		"unsampled": {"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1", "OTEL_TRACES_SAMPLER=always_off"},
		"sampled":   {"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1"},
	} {
		b.Run(name, func(b *testing.B) {
			traces, err := tracing.New(tracing.Options{Env: environ(env...)})
			if err != nil {
				b.Fatal(err)
			}
			defer traces.Close(b.Context())
			r := httptest.NewRequest(http.MethodGet, "/products/p", nil)
			r.Header.Set("Traceparent", sampled)
			h := traces.Handler(onePage(traces))
			b.ReportAllocs()
			for b.Loop() {
				h.ServeHTTP(nil, r)
			}
		})
	}
}

func onePage(traces *tracing.Tracing) http.HandlerFunc {
	var sources [page.NumDependencies]page.Source[int]
	for i, d := range page.Dependencies {
		transport := traces.Transport(roundTrip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(""))}, nil
		}))
		attempts := traces.Attempts(d)
		if attempts == nil {
			attempts = func(ctx context.Context, _ page.AttemptKind) (context.Context, func(page.Outcome)) {
				return ctx, func(page.Outcome) {}
			}
		}
		out := httptest.NewRequest(http.MethodGet, "http://"+d.String()+"/p", nil)
		sources[i] = tracing.Source(traces, d, func(ctx context.Context, _ *page.Query) (int, page.Call) {
			ctx, end := attempts(ctx, page.First)
			resp, _ := transport.RoundTrip(out.WithContext(ctx))
			resp.Body.Close()
			end(page.OK)
			return 0, page.Call{Asked: true, Attempts: []page.Attempt{{Duration: 1}}}
		})
	}
	return func(_ http.ResponseWriter, r *http.Request) {
		for _, ask := range sources {
			ask(r.Context(), &page.Query{})
		}
		traces.Served(r.Context(), &page.Record{Status: http.StatusOK, HasNotes: true, ID: "p"})
	}
}
