package tracing_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"example.com/bff/internal/page"
	"example.com/bff/internal/tracing"
)

func environ(pairs ...string) map[string]string {
	env := map[string]string{}
	for _, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		env[name] = value
	}
	return env
}

func TestOffUnlessThereIsAnEndpoint(t *testing.T) {
	for _, env := range []map[string]string{
		nil,
		environ("OTEL_SERVICE_NAME=shop", "OTEL_TRACES_SAMPLER=always_on"),
		environ("OTEL_EXPORTER_OTLP_ENDPOINT= "),
		environ(endpoint, "OTEL_SDK_DISABLED=TRUE"),
		environ(endpoint, "OTEL_TRACES_EXPORTER=none"),
		environ("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=http://collector:4318"),
	} {
		traces, err := tracing.New(tracing.Options{Env: env})
		if traces != nil || err != nil {
			t.Errorf("%v: %v %v", env, traces, err)
		}
	}
}

// What is off is not there: nothing is wrapped.
func TestOffCostsNothing(t *testing.T) {
	var off *tracing.Tracing
	mux, transport := http.NewServeMux(), &http.Transport{}
	if off.Handler(mux) != http.Handler(mux) {
		t.Error("the handler is wrapped")
	}
	if off.Transport(transport) != http.RoundTripper(transport) || off.Attempts(page.Price) != nil {
		t.Error("the transport is wrapped")
	}
	q, rec := &page.Query{}, &page.Record{}
	ask := tracing.Source(off, page.Price, func(context.Context, *page.Query) (int, page.Call) { return 0, page.Call{} })
	ctx := t.Context()
	if n := testing.AllocsPerRun(100, func() { ask(ctx, q); off.Served(ctx, rec) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	off.Close(ctx)
}

func TestMistakes(t *testing.T) {
	const header = "OTEL_EXPORTER_OTLP_HEADERS"
	for pair, named := range map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT=collector:4318":                   "",
		"OTEL_EXPORTER_OTLP_ENDPOINT=grpc://collector:4317":            "",
		"OTEL_EXPORTER_OTLP_ENDPOINT=http://":                          "",
		"OTEL_EXPORTER_OTLP_ENDPOINT=http://me:hunter2@collector:4318": "",
		"OTEL_EXPORTER_OTLP_ENDPOINT=http://collector/?key=hunter2":    "",
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=:hunter2":                  "",
		"OTEL_EXPORTER_OTLP_PROTOCOL=grpc":                             "",
		"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=grpc":                      "",
		"OTEL_EXPORTER_OTLP_COMPRESSION=brotli":                        "",
		"OTEL_EXPORTER_OTLP_TIMEOUT=10s":                               "",
		"OTEL_EXPORTER_OTLP_TIMEOUT=0":                                 "",
		"OTEL_EXPORTER_OTLP_CERTIFICATE=/nowhere/hunter2":              "",
		"OTEL_EXPORTER_OTLP_CLIENT_KEY=/nowhere/hunter2":               "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE",
		header + "=hunter2":                                            "",
		header + "=key=%zz":                                            "",
		header + "==hunter":                                            "",
		"OTEL_RESOURCE_ATTRIBUTES=hunter2":                             "",
		"OTEL_TRACES_EXPORTER=zipkin":                                  "",
		"OTEL_TRACES_SAMPLER=sometimes":                                "",
		"OTEL_TRACES_SAMPLER_ARG=1.5":                                  "",
		"OTEL_TRACES_SAMPLER_ARG=NaN":                                  "",
		"OTEL_BSP_MAX_QUEUE_SIZE=0":                                    "",
		"OTEL_BSP_MAX_QUEUE_SIZE=10000000":                             "",
		"OTEL_BSP_MAX_EXPORT_BATCH_SIZE=-1":                            "",
		"OTEL_BSP_SCHEDULE_DELAY=soon":                                 "",
		"OTEL_BSP_EXPORT_TIMEOUT=999999999999":                         "",
	} {
		if named == "" {
			named, _, _ = strings.Cut(pair, "=")
		}
		env := environ(endpoint, pair, "OTEL_EXPORTER_OTLP_COMPRESSION=lz4")
		if strings.Contains(pair, "COMPRESSION") {
			env = environ(endpoint, pair)
		}
		traces, err := tracing.New(tracing.Options{Env: env})
		if err == nil || !strings.Contains(err.Error(), named+" ") || !strings.Contains(err.Error(), "COMPRESSION must be one of gzip, none") {
			t.Errorf("%s: %v", pair, err)
			traces.Close(t.Context())
			continue
		}
		if strings.Contains(err.Error(), "hunter") {
			t.Errorf("a secret is told: %v", err)
		}
	}
}
