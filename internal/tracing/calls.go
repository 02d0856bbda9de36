package tracing

import (
	"context"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"example.com/bff/internal/page"
)

// call is in the context of a traced call, for its attempts to find.
type call struct{ attempts atomic.Int32 }

type callKey struct{}

// Source wraps src: each call of a traced page becomes a span. The attempts are in the trace of the page that began the
// call; one that joined it has a span that says so, and no attempts below.
func Source[T any](t *Tracing, d page.Dependency, src page.Source[T]) page.Source[T] {
	if t == nil {
		return src
	}
	name := "call " + d.String()
	which := trace.WithAttributes(downstream(d))
	return func(ctx context.Context, q *page.Query) (T, page.Call) {
		if !trace.SpanFromContext(ctx).IsRecording() {
			return src(ctx, q)
		}
		ctx, span := t.tracer.Start(ctx, name, which)
		defer span.End()
		v, c := src(context.WithValue(ctx, callKey{}, &call{}), q)
		span.SetAttributes(came(&c)...)
		if c.Outcome.Failed() && c.Outcome != page.Cancelled {
			span.SetStatus(codes.Error, c.Outcome.String())
		}
		return v, c
	}
}

// came is what a call came to.
func came(c *page.Call) []attribute.KeyValue {
	attributes := append(make([]attribute.KeyValue, 0, 6),
		attribute.String("bff.outcome", c.Outcome.String()),
		attribute.Int("bff.attempts", len(c.Attempts)),
	)
	if len(c.Attempts) > 0 {
		attributes = append(attributes, attribute.StringSlice("bff.tried", tried(c.Attempts)))
	}
	if c.Coalesced {
		attributes = append(attributes, attribute.Bool("bff.coalesced", true))
	}
	if c.Queued > 0 {
		attributes = append(attributes, millis("bff.queued_ms", c.Queued))
	}
	if c.RetryAfter > 0 {
		attributes = append(attributes, millis("bff.retry_after_ms", c.RetryAfter))
	}
	return attributes
}

// tried tells how each attempt was judged, like "first timeout"; one may still run, when nobody waits for it.
func tried(attempts []page.Attempt) []string {
	words := make([]string, len(attempts))
	for i, a := range attempts {
		words[i] = a.Kind.String() + " running"
		if a.Duration > 0 {
			words[i] = a.Kind.String() + " " + a.Outcome.String()
		}
	}
	return words
}

func downstream(d page.Dependency) attribute.KeyValue {
	return attribute.String("bff.downstream", d.String())
}
