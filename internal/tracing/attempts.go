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

// Transport wraps what exchanges with one downstream: each exchange of a traced call becomes a span, from before the dial
// until the body is closed, and the downstream is told to continue from it. again is what a call's second attempt is.
func (t *Tracing) Transport(d page.Dependency, again page.AttemptKind, next http.RoundTripper) http.RoundTripper {
	if t == nil {
		return next
	}
	return &transport{t.tracer, "GET " + d.String(), downstream(d), again, next}
}

type transport struct {
	tracer     trace.Tracer
	name       string
	downstream attribute.KeyValue
	again      page.AttemptKind
	next       http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx := r.Context()
	of, ok := ctx.Value(callKey{}).(*call)
	if !ok {
		return t.next.RoundTrip(r)
	}
	_, span := t.tracer.Start(ctx, t.name, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(t.begun(of, r)...))
	told := r.WithContext(ctx)
	told.Header = from(r.Header, span.SpanContext())
	resp, err := t.next.RoundTrip(told)
	if err != nil {
		broke(ctx, span, err)
		span.End()
		return nil, err
	}
	span.SetAttributes(semconv.HTTPResponseStatusCode(resp.StatusCode))
	answered := answers(resp.StatusCode)
	if !answered {
		failed(span, strconv.Itoa(resp.StatusCode))
	}
	resp.Body = &body{resp.Body, ctx, span, answered}
	return resp, nil
}

func (t *transport) begun(of *call, r *http.Request) []attribute.KeyValue {
	n, kind := int(of.attempts.Add(1))-1, page.First
	if n > 0 {
		kind = t.again
	}
	begun := append(make([]attribute.KeyValue, 0, 6), // no URL: the template may hold credentials
		t.downstream, attribute.String("bff.attempt", kind.String()), semconv.HTTPRequestResendCount(n),
		semconv.HTTPRequestMethodKey.String(r.Method), semconv.ServerAddress(r.URL.Hostname()),
	)
	if port, err := strconv.Atoi(r.URL.Port()); err == nil {
		begun = append(begun, semconv.ServerPort(port))
	}
	return begun
}

// answers tells whether a status is an answer, be it that there is nothing.
func answers(status int) bool {
	return status == http.StatusOK || status == http.StatusNoContent || status == http.StatusNotFound
}

// body ends the span of the attempt that it came with.
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

func (b *body) Close() error {
	defer b.span.End()
	return b.ReadCloser.Close()
}

// broke notes why there was no whole answer. One that nobody waited for any more is no failure.
func broke(ctx context.Context, span trace.Span, err error) {
	switch class := classify(ctx, err); class {
	case cancelled:
		span.SetAttributes(semconv.ErrorTypeKey.String(class))
	default:
		failed(span, class)
	}
}

func failed(span trace.Span, class string) {
	span.SetAttributes(semconv.ErrorTypeKey.String(class))
	span.SetStatus(codes.Error, class)
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
