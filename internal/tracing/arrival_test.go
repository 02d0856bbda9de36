package tracing_test

import (
	"compress/gzip"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"example.com/bff/internal/pipenet"
	"example.com/bff/internal/tracing"
)

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

// Each has its own way of saying where the collector is.
func TestSpansArriveAtACollector(t *testing.T) {
	const traces = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://collector:4318"
	for name, tt := range map[string]struct {
		env  []string
		path string
	}{
		"the base for all signals":  {[]string{endpoint}, "/v1/traces"},
		"a base with a path":        {[]string{endpoint + "/otlp/"}, "/otlp/v1/traces"},
		"the very place for traces": {[]string{traces + "/here", endpoint + "0"}, "/here"},
		"traces at the root":        {[]string{traces}, "/"},
		"compressed":                {[]string{endpoint, "OTEL_EXPORTER_OTLP_COMPRESSION=gzip"}, "/v1/traces"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c, n := &collector{}, pipenet.New()
				n.Serve(t, "collector:4318", gunzip(c))
				env := environ(append(tt.env, "OTEL_EXPORTER_OTLP_HEADERS=x-key=a%20b,x-other=1",
					"OTEL_RESOURCE_ATTRIBUTES=service.name=no,k8s.pod.name=bff-1", "OTEL_SERVICE_NAME=shop")...)
				on := start(t, tracing.Options{Env: env, Dial: n.DialContext, Version: "v1.2.3"})
				pages(on, 3)
				on.Close(t.Context())

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
		})
	}
}

func TestACollectorWithACertificateOfItsOwn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, n := &collector{}, pipenet.New()
		server := &httptest.Server{Listener: n.Listen("example.com:443"), Config: &http.Server{Handler: c}}
		server.StartTLS()
		defer server.Close()
		roots := filepath.Join(t.TempDir(), "roots.pem")
		block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
		if err := os.WriteFile(roots, block, 0o600); err != nil {
			t.Fatal(err)
		}
		env := environ("OTEL_EXPORTER_OTLP_ENDPOINT=https://example.com", "OTEL_EXPORTER_OTLP_CERTIFICATE="+roots)
		traces := start(t, tracing.Options{Env: env, Dial: n.DialContext})
		pages(traces, 1)
		traces.Close(t.Context())
		if len(c.spans) != 1 {
			t.Errorf("%d spans", len(c.spans))
		}
	})
}

// What the process's environment says does not count beside what was given.
func TestTheProcessIsNotAsked(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://127.0.0.1:1/elsewhere")
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-other=1")
	t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")
	t.Setenv("OTEL_TRACES_SAMPLER", "always_off")
	t.Setenv("OTEL_SERVICE_NAME", "other")
	bubble(t, func(t *testing.T) {
		c, n := &collector{}, pipenet.New()
		n.Serve(t, "collector:4318", c)
		traces := start(t, tracing.Options{Env: environ(endpoint), Dial: n.DialContext})
		pages(traces, 1)
		traces.Close(t.Context())
		if len(c.spans) != 1 || c.spans[0].resource["service.name"] != "bff" || c.requests[0].Header.Get("X-Other") != "" {
			t.Errorf("%v %v", c.spans, c.requests)
		}
	})
}

// Over the machine's own network, which may take its time.
func TestTheMachineDials(t *testing.T) {
	came := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { came <- struct{}{} }))
	defer server.Close()
	traces := start(t, tracing.Options{Env: environ("OTEL_EXPORTER_OTLP_ENDPOINT="+server.URL, "OTEL_BSP_SCHEDULE_DELAY=1")})
	defer traces.Close(t.Context())
	pages(traces, 1)
	select {
	case <-came:
	case <-time.After(time.Minute):
		t.Error("no span came")
	}
}
