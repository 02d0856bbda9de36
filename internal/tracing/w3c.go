package tracing

import (
	"context"
	"maps"
	"net/http"
	"strings"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

const (
	headerParent = "Traceparent"
	headerState  = "Tracestate"
)

// remote is the span that a request says it came from; it is not valid when there is none, or none that can be read.
func remote(h http.Header) trace.SpanContext {
	ctx := propagation.TraceContext{}.Extract(context.Background(), inbound(h))
	return trace.SpanContextFromContext(ctx)
}

// inbound is a request's header as OpenTelemetry's propagator reads it. Its own carrier would take the first of several
// parents, and the first line alone of a state.
type inbound http.Header

func (h inbound) Get(name string) string {
	lines := h[http.CanonicalHeaderKey(name)]
	if name == "tracestate" {
		return strings.Join(lines, ",")
	}
	if len(lines) != 1 {
		return ""
	}
	return knownFlags(lines[0])
}

func (inbound) Set(string, string) {}
func (inbound) Keys() []string     { return nil }

// knownFlags clears the flags that a later level of the specification may add: the propagator would refuse the whole.
func knownFlags(parent string) string {
	const whole, flags = len("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"), "0123456789abcdef"
	if len(parent) != whole || !strings.HasPrefix(parent, "00-") {
		return parent
	}
	high, low := strings.IndexByte(flags, parent[whole-2]), strings.IndexByte(flags, parent[whole-1])
	if high < 0 || low < 0 {
		return parent
	}
	return parent[:whole-2] + "0" + flags[low&3:low&3+1]
}

// traceparent names a span as W3C Trace Context does.
func traceparent(sc trace.SpanContext) string {
	flags := sc.TraceFlags() & (trace.FlagsSampled | trace.FlagsRandom)
	return "00-" + sc.TraceID().String() + "-" + sc.SpanID().String() + "-" + flags.String()
}

// from is h with sc as the parent. The state stays as it is: this service adds nothing to it.
func from(h http.Header, sc trace.SpanContext) http.Header {
	h = maps.Clone(h)
	h[headerParent] = []string{traceparent(sc)}
	return h
}
