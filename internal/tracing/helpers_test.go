package tracing_test

import (
	"encoding/hex"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	collectorpb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	ms       = time.Millisecond
	trace    = "4bf92f3577b34da6a3ce929d0e0e4736"
	caller   = "00f067aa0ba902b7"
	sampled  = "00-" + trace + "-" + caller + "-01"
	endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318"
)

// bubble runs a test in virtual time.
func bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, test)
}

// span is one that the collector was sent.
type span struct {
	*tracepb.Span
	resource map[string]string
}

func (s span) trace() string  { return hex.EncodeToString(s.TraceId) }
func (s span) id() string     { return hex.EncodeToString(s.SpanId) }
func (s span) parent() string { return hex.EncodeToString(s.ParentSpanId) }
func (s span) failed() bool   { return s.GetStatus().GetCode() == tracepb.Status_STATUS_CODE_ERROR }
func (s span) took() time.Duration {
	return time.Duration(s.EndTimeUnixNano - s.StartTimeUnixNano)
}

// is an attribute as text; empty when the span has none by that name.
func (s span) is(name string) string { return texts(s.Attributes)[name] }

func texts(attributes []*commonpb.KeyValue) map[string]string {
	all := map[string]string{}
	for _, a := range attributes {
		all[a.Key] = text(a.Value)
	}
	return all
}

func text(v *commonpb.AnyValue) string {
	if list := v.GetArrayValue(); list != nil {
		var words []string
		for _, v := range list.Values {
			words = append(words, text(v))
		}
		return strings.Join(words, ", ")
	}
	if s, ok := v.Value.(*commonpb.AnyValue_StringValue); ok {
		return s.StringValue
	}
	_, value, _ := strings.Cut(v.String(), ":")
	return value
}

// collector is an OTLP/HTTP collector that keeps what it is sent.
type collector struct {
	mu       sync.Mutex
	spans    []span
	requests []*http.Request
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var batch collectorpb.ExportTraceServiceRequest
	body, err := io.ReadAll(r.Body)
	if err != nil || proto.Unmarshal(body, &batch) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests = append(c.requests, r)
	for _, resource := range batch.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			for _, s := range scope.Spans {
				c.spans = append(c.spans, span{s, texts(resource.Resource.Attributes)})
			}
		}
	}
}

// named are the spans by that name, in the order in which they began.
func (c *collector) named(name string) []span {
	c.mu.Lock()
	defer c.mu.Unlock()
	var found []span
	for _, s := range c.spans {
		if s.Name == name {
			found = append(found, s)
		}
	}
	slices.SortFunc(found, func(a, b span) int { return int(a.StartTimeUnixNano) - int(b.StartTimeUnixNano) })
	return found
}

// one is the only span by that name.
func (c *collector) one(t *testing.T, name string) span {
	t.Helper()
	found := c.named(name)
	if len(found) != 1 {
		t.Fatalf("%d spans are named %q: %v", len(found), name, c.names())
	}
	return found[0]
}

func (c *collector) names() (names []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.spans {
		names = append(names, s.Name)
	}
	return names
}

// below are the spans whose parent is s.
func (c *collector) below(s span) (children []span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, child := range c.spans {
		if child.parent() == s.id() {
			children = append(children, child)
		}
	}
	return children
}

// has fails the test for each attribute that is another; an empty one must not be there.
func has(t *testing.T, s span, attributes map[string]string) {
	t.Helper()
	for name, want := range attributes {
		if got := s.is(name); got != want {
			t.Errorf("%s: %s is %q, want %q", s.Name, name, got, want)
		}
	}
}
