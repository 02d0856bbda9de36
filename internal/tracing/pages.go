package tracing

import (
	"context"
	"net/http"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"example.com/bff/internal/page"
)

const (
	pageRoute  = "/products/{id}"
	offerRoute = "/products/{id}/offer"
)

// Handler wraps the public routes: each GET and HEAD of a page or an offer becomes a span, what is refused before any
// work too. It continues the trace that the request came with. Beyond it the request looks as if it came from the span,
// so that the record's trace id is the span's, and so is what downstreams are told. A trace that is not sampled goes on
// as it came.
func (t *Tracing) Handler(next http.Handler) http.Handler {
	if t == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		route := routeOf(r)
		if route == "" {
			next.ServeHTTP(w, r)
			return
		}
		parent := remote(r.Header)
		ctx, span := t.tracer.Start(trace.ContextWithRemoteSpanContext(r.Context(), parent), r.Method+" "+route,
			trace.WithSpanKind(trace.SpanKindServer),
			trace.WithAttributes(semconv.HTTPRequestMethodKey.String(r.Method), semconv.HTTPRoute(route)))
		defer span.End()
		if span.IsRecording() || !parent.IsValid() {
			r = r.WithContext(ctx)
			r.Header = from(r.Header, span.SpanContext())
			if !parent.IsValid() {
				delete(r.Header, headerState) // it belonged to no parent
			}
		}
		next.ServeHTTP(w, r)
	})
}

// routeOf is that of a page or an offer, and empty for everything else.
func routeOf(r *http.Request) string {
	id, ok := strings.CutPrefix(r.URL.EscapedPath(), "/products/")
	id, offer := strings.CutSuffix(id, "/offer")
	switch {
	case !ok, strings.Contains(id, "/"), r.Method != http.MethodGet && r.Method != http.MethodHead:
		return ""
	case offer:
		return offerRoute
	}
	return pageRoute
}

// Served tells a page's span what the page came to. ctx is that of the request.
func (t *Tracing) Served(ctx context.Context, r *page.Record) {
	if t == nil {
		return
	}
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	span.SetAttributes(told(r)...)
	if r.Result == page.Internal || r.Status >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, r.Result.String())
	}
}

// told is what a record says, under the names that its log line uses.
func told(r *page.Record) []attribute.KeyValue {
	attributes := append(make([]attribute.KeyValue, 0, 24),
		attribute.String("bff.outcome", r.Result.String()),
		attribute.String("bff.client", r.Client),
		attribute.String("bff.market", r.Market),
		attribute.String("bff.priority", r.Priority.String()),
		attribute.String("bff.request_id", r.RequestID),
		millis("bff.allowed_ms", r.Allowed),
	)
	add := func(told bool, a attribute.KeyValue) {
		if told {
			attributes = append(attributes, a)
		}
	}
	add(r.Status != 0, semconv.HTTPResponseStatusCode(r.Status))
	add(r.ID != "", attribute.String("bff.product_id", r.ID))
	add(r.Queued > 0, millis("bff.queued_ms", r.Queued))
	add(r.Shed != page.NotShed, attribute.String("bff.shed", r.Shed.String()))
	add(r.Recall.Asked, attribute.String("bff.memory", r.Recall.Result.String()))
	for i, note := range r.Notes {
		section := "bff.section." + page.Dependency(i).Section()
		add(r.HasNotes, attribute.String(section, note.Status.String()))
		add(r.HasNotes && note.Degrades(), attribute.String(section+".reason", note.Reason.String()))
	}
	return attributes
}

func millis(name string, d time.Duration) attribute.KeyValue {
	return attribute.Float64(name, float64(d.Microseconds())/1000)
}
