package tracing_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/pem"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
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

// gunzip stands before a collector that knows no compression.
func gunzip(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Content-Encoding") == "gzip" {
			body, err := gzip.NewReader(r.Body)
			if err != nil {
				panic(err)
			}
			r.Body = body
		}
		next.ServeHTTP(w, r)
	})
}

// Over real TCP, each with its own way of saying where the collector is.
func TestSpansArriveAtACollector(t *testing.T) {
	for name, tt := range map[string]struct {
		env  []string // $URL is the collector's
		path string
	}{
		"the base for all signals":  {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=$URL"}, "/v1/traces"},
		"a base with a path":        {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=$URL/otlp/"}, "/otlp/v1/traces"},
		"the very place for traces": {[]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=$URL/here", "OTEL_EXPORTER_OTLP_ENDPOINT=http://nowhere"}, "/here"},
		"traces at the root":        {[]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=$URL"}, "/"},
		"compressed":                {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=$URL", "OTEL_EXPORTER_OTLP_COMPRESSION=gzip"}, "/v1/traces"},
	} {
		t.Run(name, func(t *testing.T) {
			c := &collector{}
			server := httptest.NewServer(gunzip(c))
			defer server.Close()
			env := environ("OTEL_EXPORTER_OTLP_HEADERS=x-key=a%20b,x-other=1", "OTEL_RESOURCE_ATTRIBUTES=service.name=no,k8s.pod.name=bff-1", "OTEL_SERVICE_NAME=shop")
			for _, pair := range tt.env {
				name, value, _ := strings.Cut(pair, "=")
				env[name] = strings.ReplaceAll(value, "$URL", server.URL)
			}
			traces := start(t, tracing.Options{Env: env, Version: "v1.2.3"})
			pages(traces, 3)
			traces.Close(t.Context())

			if len(c.spans) != 3 || len(c.requests) != 1 {
				t.Fatalf("%d spans in %d requests", len(c.spans), len(c.requests))
			}
			r, resource := c.requests[0], c.spans[0].resource
			if r.Method != http.MethodPost || r.URL.Path != tt.path || r.Header.Get("Content-Type") != "application/x-protobuf" ||
				r.Header.Get("X-Key") != "a b" || r.Header.Get("X-Other") != "1" {
				t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
			}
			if resource["service.name"] != "shop" || resource["service.version"] != "v1.2.3" || resource["k8s.pod.name"] != "bff-1" ||
				resource["service.instance.id"] == "" || resource["telemetry.sdk.language"] != "go" {
				t.Errorf("%v", resource)
			}
		})
	}
}

func TestTheServiceIsNamedBFFUnlessTold(t *testing.T) {
	c := &collector{}
	server := httptest.NewServer(c)
	defer server.Close()
	traces := start(t, tracing.Options{Env: environ("OTEL_EXPORTER_OTLP_ENDPOINT=" + server.URL)})
	pages(traces, 1)
	traces.Close(t.Context())
	if name := c.spans[0].resource["service.name"]; name != "bff" {
		t.Errorf("it is named %q", name)
	}
}

func TestACollectorWithACertificateOfItsOwn(t *testing.T) {
	c := &collector{}
	server := httptest.NewTLSServer(c)
	defer server.Close()
	roots := filepath.Join(t.TempDir(), "roots.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(roots, block, 0o600); err != nil {
		t.Fatal(err)
	}
	traces := start(t, tracing.Options{Env: environ("OTEL_EXPORTER_OTLP_ENDPOINT="+server.URL, "OTEL_EXPORTER_OTLP_CERTIFICATE="+roots)})
	pages(traces, 1)
	traces.Close(t.Context())
	if len(c.spans) != 1 {
		t.Errorf("%d spans", len(c.spans))
	}
}

// What the process's environment says does not count beside what was given.
func TestTheProcessIsNotAsked(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://127.0.0.1:1/elsewhere")
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-other=1")
	t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")
	t.Setenv("OTEL_TRACES_SAMPLER", "always_off")
	t.Setenv("OTEL_SERVICE_NAME", "other")
	c := &collector{}
	server := httptest.NewServer(c)
	defer server.Close()
	traces := start(t, tracing.Options{Env: environ("OTEL_EXPORTER_OTLP_ENDPOINT=" + server.URL)})
	pages(traces, 1)
	traces.Close(t.Context())
	if len(c.spans) != 1 || c.spans[0].resource["service.name"] != "bff" || c.requests[0].Header.Get("X-Other") != "" {
		t.Errorf("%v %v", c.spans, c.requests)
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
