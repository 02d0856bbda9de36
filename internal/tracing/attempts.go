package tracing

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"syscall"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"example.com/bff/internal/page"
)

// Attempts begins the spans of one downstream's attempts. Each lasts until the attempt was judged, and tells its outcome.
func (t *Tracing) Attempts(d page.Dependency) func(context.Context, page.AttemptKind) (context.Context, func(page.Outcome)) {
	if t == nil {
		return nil
	}
	name, which := "GET "+d.String(), downstream(d)
	return func(ctx context.Context, kind page.AttemptKind) (context.Context, func(page.Outcome)) {
		of, ok := ctx.Value(callKey{}).(*call)
		if !ok {
			return ctx, func(page.Outcome) {}
		}
		ctx, span := t.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
			which, attribute.String("bff.attempt", kind.String()), semconv.HTTPRequestResendCount(int(of.attempts.Add(1))-1),
		))
		return ctx, func(o page.Outcome) { judged(span, o) }
	}
}

// judged ends an attempt's span.
func judged(span trace.Span, o page.Outcome) {
	span.SetAttributes(attribute.String("bff.outcome", o.String()))
	if o.Failed() && o != page.Cancelled {
		span.SetStatus(codes.Error, o.String())
	}
	if o == page.InvalidResponse {
		span.SetAttributes(semconv.ErrorTypeKey.String(o.String()))
	}
	span.End()
}

// Transport wraps what exchanges with a downstream: an attempt's span is told of the exchange, and the downstream to
// continue from that span.
func (t *Tracing) Transport(next http.RoundTripper) http.RoundTripper {
	if t == nil {
		return next
	}
	return transport{next}
}

type transport struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx := r.Context()
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return t.next.RoundTrip(r)
	}
	span.SetAttributes(asked(r)...)
	told := r.WithContext(ctx)
	told.Header = from(r.Header, span.SpanContext())
	resp, err := t.next.RoundTrip(told)
	if err != nil {
		broke(ctx, span, err)
		return nil, err
	}
	span.SetAttributes(semconv.HTTPResponseStatusCode(resp.StatusCode))
	answered := answers(resp.StatusCode)
	if !answered {
		span.SetAttributes(semconv.ErrorTypeKey.String(strconv.Itoa(resp.StatusCode)))
	}
	resp.Body = &body{resp.Body, ctx, span, answered}
	return resp, nil
}

// asked tells no URL: the template may hold credentials.
func asked(r *http.Request) []attribute.KeyValue {
	attributes := append(make([]attribute.KeyValue, 0, 3),
		semconv.HTTPRequestMethodKey.String(r.Method), semconv.ServerAddress(r.URL.Hostname()))
	if port, err := strconv.Atoi(r.URL.Port()); err == nil {
		attributes = append(attributes, semconv.ServerPort(port))
	}
	return attributes
}

// answers tells whether a status is an answer, be it that there is nothing.
func answers(status int) bool {
	return status == http.StatusOK || status == http.StatusNoContent || status == http.StatusNotFound
}

// body tells the span of the attempt that it came with what breaks it.
type body struct {
	io.ReadCloser
	ctx      context.Context
	span     trace.Span
	answered bool // the status did not already say why there is no answer
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF && b.answered {
		broke(b.ctx, b.span, err)
	}
	return n, err
}

// broke notes why there was no whole answer.
func broke(ctx context.Context, span trace.Span, err error) {
	span.SetAttributes(semconv.ErrorTypeKey.String(classify(ctx, err)))
}

const cancelled = "cancelled"

// classify puts an error into one of a few words: its text may hold anything.
func classify(ctx context.Context, err error) string {
	var network net.Error
	switch {
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return "timeout"
	case ctx.Err() != nil:
		return cancelled
	case errors.As(err, &network) && network.Timeout():
		return "timeout"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "reset"
	}
	return semconv.ErrorTypeOther.Value.AsString()
}
