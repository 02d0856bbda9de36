package slo_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/bff/internal/slo"
)

func newMetrics() *slo.Metrics {
	return slo.New(slo.Options{Clients: []string{"web", "mobile"}, Markets: []string{"de", "fr"}, Version: "1.2.3", Revision: "abc"})
}

// get asks the handler in the way of a scraper that accepts the format.
func get(t *testing.T, h http.Handler, accept string) string {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Accept", accept)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	return w.Body.String()
}

// scrape reads every series and its value.
func scrape(t *testing.T, m *slo.Metrics) map[string]float64 {
	t.Helper()
	series := make(map[string]float64)
	for line := range strings.Lines(get(t, m.Handler(), "text/plain")) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		at := strings.LastIndexByte(line, ' ')
		value, err := strconv.ParseFloat(line[at+1:], 64)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		series[line[:at]] = value
	}
	return series
}

// ours are the series of this service, without those of the runtime and the scrape itself.
func ours(series map[string]float64) map[string]float64 {
	series = maps.Clone(series)
	maps.DeleteFunc(series, func(name string, _ float64) bool { return !strings.HasPrefix(name, "bff_") })
	return series
}

// sortLabels puts a="1",b="2" in the order of the exposition; le comes last there.
func sortLabels(labels string) string {
	pairs := strings.Split(labels, ",")
	slices.SortFunc(pairs, func(a, b string) int {
		if aLast, bLast := strings.HasPrefix(a, "le="), strings.HasPrefix(b, "le="); aLast != bLast {
			if aLast {
				return 1
			}
			return -1
		}
		return strings.Compare(a, b)
	})
	return strings.Join(pairs, ",")
}
