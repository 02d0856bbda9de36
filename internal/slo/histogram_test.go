package slo_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.com/bff/internal/page"
	"example.com/bff/internal/slo"
)

const traceID = "4bf92f3577b34da6a3ce929d0e0e4736"

func TestTheLatencyBucketHoldsHalfASecond(t *testing.T) {
	m := newMetrics()
	for _, d := range []time.Duration{500 * time.Millisecond, 500*time.Millisecond + 1, 450 * time.Millisecond, 300 * time.Millisecond} {
		m.Served(&page.Record{Client: "web", Market: "de", Duration: d})
	}
	series := scrape(t, m)
	for le, want := range map[string]float64{"0.3": 1, "0.45": 2, "0.5": 3, "+Inf": 4} {
		name := `bff_page_duration_seconds_bucket{client="web",outcome="full",le="` + le + `"}`
		if series[name] != want {
			t.Errorf("%s is %v, want %v", name, series[name], want)
		}
	}
}

func TestABucketPointsToATrace(t *testing.T) {
	m := newMetrics()
	m.Served(&page.Record{Client: "web", Market: "de", Duration: 420 * time.Millisecond, TraceID: traceID, Sampled: true})
	body := get(t, m.Handler(), "application/openmetrics-text; version=1.0.0")
	want := `bff_page_duration_seconds_bucket{client="web",outcome="full",le="0.45"} 1 # {trace_id="` + traceID + `"} 0.42`
	if !strings.Contains(body, want) {
		t.Errorf("no exemplar like %s", want)
	}
	if !strings.HasSuffix(body, "# EOF\n") {
		t.Error("not a whole OpenMetrics exposition")
	}
}

// A trace that nobody keeps is no use to who looks for it.
func TestATraceThatIsNotSampledIsNoExemplar(t *testing.T) {
	m := newMetrics()
	m.Served(&page.Record{Client: "web", Market: "de", TraceID: traceID})
	if body := get(t, m.Handler(), "application/openmetrics-text"); strings.Contains(body, "trace_id") {
		t.Error("it became an exemplar")
	}
}

func TestWhatIsNoTraceIDIsNoExemplar(t *testing.T) {
	for _, id := range []string{"", "short", strings.ToUpper(traceID), traceID + "0", strings.Repeat("\xff", 32), strings.Repeat("a", 200)} {
		m := newMetrics()
		m.Served(&page.Record{Client: "web", Market: "de", TraceID: id, Sampled: true})
		if body := get(t, m.Handler(), "application/openmetrics-text"); strings.Contains(body, "trace_id") {
			t.Errorf("%q became an exemplar", id)
		}
	}
}

func TestNativeHistogramsStandBesideTheClassicOnes(t *testing.T) {
	registry := prometheus.NewRegistry()
	m := slo.New(slo.Options{Clients: []string{"web"}, Registry: registry})
	m.Served(&page.Record{Client: "web", Duration: 123 * time.Millisecond})
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() != "bff_page_duration_seconds" {
			continue
		}
		for _, metric := range family.GetMetric() {
			h := metric.GetHistogram()
			if h.GetSampleCount() == 1 && (len(h.GetPositiveSpan()) == 0 || len(h.GetBucket()) == 0) {
				t.Errorf("classic buckets: %d, native spans: %d", len(h.GetBucket()), len(h.GetPositiveSpan()))
			}
		}
		return
	}
	t.Error("no such histogram")
}

// TestAScraperCanHaveNativeHistograms asks as Prometheus does that takes them: they are told in protobuf alone.
func TestAScraperCanHaveNativeHistograms(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	r.Header.Set("Accept", "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited")
	w := httptest.NewRecorder()
	newMetrics().Handler().ServeHTTP(w, r)
	if got := w.Header().Get("Content-Type"); w.Code != http.StatusOK || !strings.HasPrefix(got, "application/vnd.google.protobuf") {
		t.Errorf("%d, %s", w.Code, got)
	}
}
