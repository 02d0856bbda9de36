package tracing

import (
	"crypto/tls"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// settings are what the OTEL_ variables come to.
type settings struct {
	endpoint    string
	headers     map[string]string
	timeout     time.Duration
	compression otlptracehttp.Compression
	encoding    otlptracehttp.Encoding
	tls         *tls.Config

	attributes map[string]string // of the resource
	sampler    sdktrace.Sampler
	batches    []sdktrace.BatchSpanProcessorOption
}

const defaultSampler = "parentbased_always_on"

// samplers are those of the specification that need no remote configuration.
var samplers = map[string]func(ratio float64) sdktrace.Sampler{
	"always_on":                func(float64) sdktrace.Sampler { return sdktrace.AlwaysSample() },
	"always_off":               func(float64) sdktrace.Sampler { return sdktrace.NeverSample() },
	"traceidratio":             sdktrace.TraceIDRatioBased,
	defaultSampler:             func(float64) sdktrace.Sampler { return sdktrace.ParentBased(sdktrace.AlwaysSample()) },
	"parentbased_always_off":   func(float64) sdktrace.Sampler { return sdktrace.ParentBased(sdktrace.NeverSample()) },
	"parentbased_traceidratio": func(r float64) sdktrace.Sampler { return sdktrace.ParentBased(sdktrace.TraceIDRatioBased(r)) },
}

var encodings = map[string]otlptracehttp.Encoding{
	"http/protobuf": otlptracehttp.EncodingProtobuf,
	"http/json":     otlptracehttp.EncodingJSON,
}

var compressions = map[string]otlptracehttp.Compression{
	"none": otlptracehttp.NoCompression,
	"gzip": otlptracehttp.GzipCompression,
}

// read is nil when the variables leave tracing off.
func read(values map[string]string) (*settings, []Mistake) {
	env := &environment{values: values}
	if env.off() {
		return nil, nil
	}
	s := &settings{
		endpoint:    env.endpoint(),
		headers:     env.pairs(env.otlp("HEADERS")),
		timeout:     env.millis(env.otlp("TIMEOUT"), 10_000),
		compression: oneOf(env, env.otlp("COMPRESSION"), compressions, "none"),
		encoding:    oneOf(env, env.otlp("PROTOCOL"), encodings, "http/protobuf"),
		tls:         env.tls(),
		attributes:  env.pairs("OTEL_RESOURCE_ATTRIBUTES"),
		sampler:     oneOf(env, "OTEL_TRACES_SAMPLER", samplers, defaultSampler)(env.share("OTEL_TRACES_SAMPLER_ARG")),
		batches:     env.batches(),
	}
	if name := env.get("OTEL_SERVICE_NAME"); name != "" {
		s.attributes["service.name"] = name
	}
	return s, env.mistakes
}

// Check tells what is wrong with the OTEL_ variables that count here.
func Check(values map[string]string) []Mistake {
	_, mistakes := read(values)
	return mistakes
}

// off tells whether nothing is to be traced.
func (e *environment) off() bool {
	exporter := oneOf(e, "OTEL_TRACES_EXPORTER", map[string]bool{"otlp": true, "none": false}, "otlp")
	disabled := strings.EqualFold(e.get("OTEL_SDK_DISABLED"), "true")
	return disabled || !exporter || e.get(e.otlp("ENDPOINT")) == ""
}

// endpoint is where spans are posted. The variable for all signals names a base; the one for traces the place itself.
func (e *environment) endpoint() string {
	name := e.otlp("ENDPOINT")
	u, err := url.Parse(e.get(name))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" {
		e.wrong(name, "must be http:// or https:// with a host, and without user information or a query; "+
			"credentials go into OTEL_EXPORTER_OTLP_HEADERS")
		return ""
	}
	if name != tracesPrefix+"ENDPOINT" {
		u = u.JoinPath("v1/traces")
	}
	return u.String()
}

// batches bound what waits for the collector: when the queue is full, spans are dropped and nobody waits.
func (e *environment) batches() []sdktrace.BatchSpanProcessorOption {
	queue := e.number("OTEL_BSP_MAX_QUEUE_SIZE", 2048, 1, 1<<16)
	return []sdktrace.BatchSpanProcessorOption{
		sdktrace.WithMaxQueueSize(queue),
		sdktrace.WithMaxExportBatchSize(min(queue, e.number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512, 1, 1<<13))),
		sdktrace.WithBatchTimeout(e.millis("OTEL_BSP_SCHEDULE_DELAY", 5_000)),
		sdktrace.WithExportTimeout(e.millis("OTEL_BSP_EXPORT_TIMEOUT", 30_000)),
	}
}
