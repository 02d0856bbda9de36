package tracing_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/internal/pipenet"
	"example.com/bff/internal/tracing"
	"example.com/bff/internal/world"
)

// start fails the test for a mistake, and for tracing that is off.
func start(t *testing.T, o tracing.Options) *tracing.Tracing {
	t.Helper()
	traces, err := tracing.New(o)
	if err != nil || traces == nil {
		t.Fatalf("%v, %v", traces, err)
	}
	return traces
}

// pages makes n spans, as so many requests would.
func pages(traces *tracing.Tracing, n int) {
	h := traces.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for range n {
		h.ServeHTTP(nil, httptest.NewRequest(http.MethodGet, "/products/p", nil))
	}
}

// silent takes requests and answers none until it is closed.
func silent(t *testing.T, n *pipenet.Network) {
	forever := make(chan struct{})
	n.Serve(t, "collector:4318", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-forever:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() { close(forever) })
}

// Close is done with a collector that answers nothing when its context is, or after two seconds; a span more or less
// does not matter then, and neither does a second Close.
func TestCloseWaitsForNoCollector(t *testing.T) {
	for name, tt := range map[string]struct{ patience, took time.Duration }{
		"nobody else waits":       {time.Hour, 2 * time.Second},
		"its context ends before": {300 * ms, 300 * ms},
		"its context has ended":   {0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var log bytes.Buffer
				n := pipenet.New()
				silent(t, n)
				traces := start(t, tracing.Options{
					Env: environ(endpoint), Dial: n.DialContext, Logger: slog.New(slog.NewTextHandler(&log, nil)),
				})
				pages(traces, 1200) // more than two batches
				ctx, cancel := context.WithTimeout(t.Context(), tt.patience)
				defer cancel()
				begun := time.Now()
				traces.Close(ctx)
				if took := time.Since(begun); took != tt.took {
					t.Errorf("took %v, want %v", took, tt.took)
				}
				traces.Close(ctx)
				if lines := strings.Count(log.String(), "not delivered"); lines < 1 || lines > 2 {
					t.Errorf("%d lines:\n%s", lines, &log)
				}
			})
		})
	}
}

// A collector that refuses for an hour is worth a line a minute, in which nothing that it says can begin another.
func TestTheLogIsToldSeldom(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var log bytes.Buffer
		n := pipenet.New()
		n.Serve(t, "collector:4318", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "no\nlevel=ERROR \x1b[31m"+strings.Repeat("x", 1000), http.StatusForbidden)
		}))
		traces := start(t, tracing.Options{
			Env: environ(endpoint), Dial: n.DialContext, Logger: slog.New(slog.NewTextHandler(&log, nil)),
		})
		for range 3600 {
			pages(traces, 1)
			time.Sleep(time.Second)
		}
		traces.Close(t.Context())
		lines := strings.Split(strings.TrimSpace(log.String()), "\n")
		if len(lines) < 30 || len(lines) > 62 {
			t.Fatalf("%d lines", len(lines))
		}
		for _, line := range lines {
			if !strings.Contains(line, "level=WARN msg=\"spans were not delivered\"") || strings.Contains(line, "\x1b") || len(line) > 600 {
				t.Fatalf("%q", line)
			}
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
