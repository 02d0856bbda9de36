package tracing_test

import (
	"strings"
	"testing"

	"example.com/bff/fakes"
)

// A trace that nobody records goes on as it came; one that has a flag of a later specification is continued.
func TestSampling(t *testing.T) {
	unsampled := strings.TrimSuffix(sampled, "01") + "00"
	for name, tt := range map[string]struct {
		env      string
		came     string
		recorded bool
		goes     string // on to the downstreams; empty: from our span
	}{
		"the caller does":                {"", sampled, true, ""},
		"the caller does not":            {"", unsampled, false, unsampled},
		"a later flag":                   {"", strings.TrimSuffix(sampled, "01") + "8d", true, ""},
		"a random id":                    {"", strings.TrimSuffix(sampled, "01") + "02", false, strings.TrimSuffix(sampled, "01") + "02"},
		"never, whatever the caller":     {"OTEL_TRACES_SAMPLER=always_off", sampled, false, sampled},
		"always, whatever the caller":    {"OTEL_TRACES_SAMPLER=always_on", unsampled, true, ""},
		"a share of none, but of theirs": {"OTEL_TRACES_SAMPLER=parentbased_traceidratio", sampled, true, ""},
		"a share of none":                {"OTEL_TRACES_SAMPLER=traceidratio", sampled, false, sampled},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w := up(t, nil, 10*ms, tt.env, "OTEL_TRACES_SAMPLER_ARG=0")
				w.Get("/products/p-1001", "Traceparent", tt.came, "Tracestate", "one=1")
				w.end(t)
				got := w.sent("stock", 0)
				if recorded := len(w.names()) > 0; recorded != tt.recorded {
					t.Fatalf("%v", w.names())
				}
				if tt.recorded {
					tt.goes = "00-" + trace + "-" + w.one(t, "GET stock").id() + "-01"
				}
				if got.Get("Traceparent") != tt.goes || got.Get("Tracestate") != "one=1" {
					t.Errorf("%v, want %s", got, tt.goes)
				}
				if s := w.World.Log.String(); !strings.Contains(s, `"trace_id":"`+trace+`"`) {
					t.Errorf("the log: %s", s)
				}
			})
		})
	}
}

// Whoever is asked after us must not begin a trace of their own either.
func TestWhatIsNotSampledHereIsNotBelow(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := up(t, nil, 10*ms, "OTEL_TRACES_SAMPLER=always_off")
		w.Get("/products/p-1001")
		w.end(t)
		got := w.sent("stock", 0).Get("Traceparent")
		if len(got) != len(sampled) || !strings.HasSuffix(got, "-00") || len(w.names()) > 0 {
			t.Errorf("%q %v", got, w.names())
		}
	})
}

func TestOffPassesTheTraceOnAsItCame(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := up(t, nil, 10*ms, "OTEL_SDK_DISABLED=true")
		w.Get("/products/p-1001", "Traceparent", sampled, "Tracestate", "one=1")
		w.Get("/products/p-1002")
		w.end(t)
		for _, name := range fakes.Names() {
			if got := w.sent(name, 0); got.Get("Traceparent") != sampled || got.Get("Tracestate") != "one=1" {
				t.Errorf("%v", got)
			}
			if got := w.sent(name, 1); got["Traceparent"] != nil {
				t.Errorf("%v", got)
			}
		}
		if len(w.names()) > 0 {
			t.Errorf("%v", w.names())
		}
	})
}
