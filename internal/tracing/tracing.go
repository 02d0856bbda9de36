// Package tracing tells OpenTelemetry what the service does: a span for each page and offer, one for each call in it, and
// one for each attempt of a call. It does so from outside, by wrapping: what it wraps knows no tracing.
//
// It promises that it is off, and costs nothing, unless an OTLP endpoint is configured; that a page never waits for the
// collector, which may be slow or dead; that what it keeps is bounded; that Close ends all it started; and that nothing of
// the process is changed: there is no global provider and no global propagator.
package tracing

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

const (
	// flushTime bounds the wait for the collector when the service ends: there are others who need that time.
	flushTime   = 2 * time.Second
	idleTimeout = 30 * time.Second
)

// Options are what tracing works with.
type Options struct {
	Env     map[string]string // the OTEL_ variables; the process's own environment is not asked
	Version string            // of this build
	Dial    func(ctx context.Context, network, addr string) (net.Conn, error)
	Logger  *slog.Logger // told, once a minute at most, that spans could not be delivered
}

// Tracing makes spans and sends them. A nil one is off: its wrappers return what they were to wrap. Close it.
type Tracing struct {
	tracer   trace.Tracer
	batches  sdktrace.SpanProcessor
	delivery *delivery
	client   *http.Client
}

// New reads the environment and starts what sends spans. It is nil when tracing is off. The error names every variable
// that cannot be used, and no value: some are secrets.
func New(o Options) (*Tracing, error) {
	s, mistakes := read(o.Env)
	if s == nil || len(mistakes) > 0 {
		return nil, joined(mistakes)
	}
	client := newClient(s, o.Dial)
	exporter, err := otlptracehttp.New(context.Background(), s.exporter(client)...)
	if err != nil {
		return nil, fmt.Errorf("tracing: %w", err)
	}
	described, err := s.resource(o.Version)
	if err != nil {
		return nil, fmt.Errorf("tracing: %w", err)
	}
	d := newDelivery(exporter, o.Logger)
	batches := sdktrace.NewBatchSpanProcessor(d, s.batches...)
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithSpanProcessor(batches),
		sdktrace.WithSampler(s.sampler),
		sdktrace.WithResource(described),
		sdktrace.WithoutPanicRecording(), // http.ErrAbortHandler is none, and defects are in the log
	)
	return &Tracing{tracer: provider.Tracer("example.com/bff"), batches: batches, delivery: d, client: client}, nil
}

// Close sends what is left and ends everything, when ctx does or after two seconds at the latest. What could not be sent
// by then is in the log.
func (t *Tracing) Close(ctx context.Context) {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, flushTime)
	defer cancel()
	// The provider's own Shutdown does nothing at all once ctx has ended, and would leave a goroutine behind.
	_ = t.batches.Shutdown(ctx)
	t.delivery.close()
	t.client.CloseIdleConnections()
}

// newClient is for the collector alone. It follows no redirect: the headers hold credentials.
func newClient(s *settings, dial func(ctx context.Context, network, addr string) (net.Conn, error)) *http.Client {
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	return &http.Client{
		Timeout:       s.timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext:         dial,
			TLSClientConfig:     s.tls,
			TLSHandshakeTimeout: s.timeout,
			IdleConnTimeout:     idleTimeout,
		},
	}
}

// exporter is every option that the exporter would otherwise take from the process's environment.
func (s *settings) exporter(client *http.Client) []otlptracehttp.Option {
	return []otlptracehttp.Option{
		otlptracehttp.WithEndpointURL(s.endpoint),
		otlptracehttp.WithHeaders(s.headers),
		otlptracehttp.WithCompression(s.compression),
		otlptracehttp.WithEncoding(s.encoding),
		otlptracehttp.WithTLSClientConfig(nil), // the client's counts
		otlptracehttp.WithTimeout(s.timeout),
		otlptracehttp.WithHTTPClient(client),
	}
}

// resource says which service, build and instance the spans are of.
func (s *settings) resource(version string) (*resource.Resource, error) {
	described := map[string]string{
		"service.name": "bff", "service.version": version, "service.instance.id": rand.Text(),
	}
	for name, value := range s.attributes {
		described[name] = value
	}
	attributes := make([]attribute.KeyValue, 0, len(described))
	for name, value := range described {
		attributes = append(attributes, attribute.String(name, value))
	}
	return resource.New(context.Background(), resource.WithTelemetrySDK(), resource.WithAttributes(attributes...))
}
