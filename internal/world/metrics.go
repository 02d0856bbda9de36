package world

import (
	"context"
	"net/http"
	"strconv"
	"strings"
)

// Metrics is one scrape of the service: values by series, as in `bff_in_flight` or `bff_page_requests_total{client="web",…}`
// with the labels in alphabetical order.
type Metrics map[string]float64

// Scrape reads the service's metrics.
func (w *World) Scrape() Metrics {
	w.T.Helper()
	a := w.Do(context.Background(), http.MethodGet, Admin, "/metrics")
	if a.Status != http.StatusOK {
		w.T.Fatalf("the scrape brings %d %v", a.Status, a.Err)
	}
	m := Metrics{}
	for line := range strings.Lines(string(a.Body)) {
		cut := strings.LastIndexByte(line, ' ')
		if line[0] == '#' || cut < 0 {
			continue
		}
		value, err := strconv.ParseFloat(strings.TrimSpace(line[cut:]), 64)
		if err != nil {
			w.T.Fatalf("the scrape has %q", line)
		}
		m[line[:cut]] = value
	}
	return m
}

// Sum adds all series of a name whose labels include all of those given, as in `outcome="full"`.
func (m Metrics) Sum(name string, labels ...string) (sum float64) {
series:
	for series, value := range m {
		n, rest, _ := strings.Cut(series, "{")
		if n != name {
			continue
		}
		for _, label := range labels {
			if !strings.Contains(rest, label) {
				continue series
			}
		}
		sum += value
	}
	return sum
}

// Breaker is the state that a downstream's breaker is in.
func (m Metrics) Breaker(downstream string) string {
	for _, state := range []string{"closed", "open", "half_open"} {
		if m.Sum("bff_breaker_state", `downstream="`+downstream+`"`, `state="`+state+`"`) == 1 {
			return state
		}
	}
	return "none"
}

// InFlight is how many slots of a downstream's bulkhead are held.
func (m Metrics) InFlight(downstream string) float64 {
	return m.Sum("bff_bulkhead_in_flight", `downstream="`+downstream+`"`)
}
