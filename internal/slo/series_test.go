package slo_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"example.com/bff/internal/page"
	"example.com/bff/internal/slo"
)

// The words of the contract, written out once more on purpose.
const (
	clients     = "web mobile other"
	markets     = "de fr other"
	outcomes    = "full degraded not_modified not_found invalid unavailable deadline shed shed_background rate_limited cancelled error"
	downstreams = "catalog price stock reviews recommendations"
	callResults = "ok absent timeout upstream_error invalid_response breaker_open bulkhead_full cancelled"
	states      = "closed open half_open"
)

// contract is every series but the buckets: a name, and for each label the values it can have.
var contract = []struct {
	name   string
	labels [][2]string
}{
	{"bff_page_requests_total", [][2]string{{"client", clients}, {"market", markets}, {"outcome", outcomes}}},
	{"bff_offer_requests_total", [][2]string{{"client", clients}, {"market", markets}, {"outcome", outcomes}}},
	{"bff_page_duration_seconds_count", [][2]string{{"client", clients}, {"outcome", outcomes}}},
	{"bff_page_duration_seconds_sum", [][2]string{{"client", clients}, {"outcome", outcomes}}},
	{"bff_page_duration_seconds_bucket", [][2]string{{"client", clients}, {"outcome", outcomes}, {"le", "0.3 0.45 0.5 +Inf"}}},
	{"bff_offer_duration_seconds_count", [][2]string{{"client", clients}, {"outcome", outcomes}}},
	{"bff_offer_duration_seconds_bucket", [][2]string{{"client", clients}, {"outcome", outcomes}, {"le", "0.3 0.45 0.5 +Inf"}}},
	{"bff_downstream_calls_total", [][2]string{{"downstream", downstreams}, {"outcome", callResults}}},
	{"bff_downstream_attempts_total", [][2]string{{"downstream", downstreams}, {"kind", "first retry hedge"}}},
	{"bff_downstream_attempt_duration_seconds_count", [][2]string{{"downstream", downstreams}}},
	{"bff_breaker_state", [][2]string{{"downstream", downstreams}, {"state", states}}},
	{"bff_breaker_transitions_total", [][2]string{{"downstream", downstreams}, {"to", states}}},
	{"bff_bulkhead_in_flight", [][2]string{{"downstream", downstreams}}},
	{"bff_bulkhead_limit", [][2]string{{"downstream", downstreams}}},
	{"bff_retry_budget_tokens", [][2]string{{"downstream", downstreams}}},
	{"bff_coalesced_total", [][2]string{{"downstream", downstreams}}},
	{"bff_price_memory_total", [][2]string{{"op", "get set"}, {"result", "hit miss expired invalid error timeout dropped ok"}}},
	{"bff_stale_price_age_seconds_count", nil},
	{"bff_shed_total", [][2]string{{"reason", "full age deadline override"}, {"priority", "background default critical"}}},
	{"bff_in_flight", nil},
	{"bff_in_flight_limit", nil},
	{"bff_override_active", [][2]string{{"target", downstreams}, {"mode", "open no-retry"}}},
	{"bff_override_active", [][2]string{{"target", "shed"}, {"mode", "background default critical"}}},
	{"bff_rate_limit_passed_total", nil},
	{"bff_log_lines_lost_total", nil},
	{"bff_redis_pool_connections", [][2]string{{"state", "in_use idle"}}},
	{"bff_redis_pool_gets_total", [][2]string{{"result", "hit miss timeout"}}},
}

// combine spells out every series that a name and its labels stand for.
func combine(name string, labels [][2]string) []string {
	sets := []string{""}
	for _, label := range labels {
		var longer []string
		for _, set := range sets {
			for _, value := range strings.Fields(label[1]) {
				longer = append(longer, fmt.Sprintf(`%s,%s="%s"`, set, label[0], value))
			}
		}
		sets = longer
	}
	for i, set := range sets {
		if set == "" {
			sets[i] = name
			continue
		}
		sets[i] = name + "{" + sortLabels(set[1:]) + "}"
	}
	return sets
}

func TestEverySeriesOfTheContractIsThereFromTheStart(t *testing.T) {
	series := scrape(t, newMetrics())
	expected := 0
	for _, row := range contract {
		for _, name := range combine(row.name, row.labels) {
			value, there := series[name]
			want := 0.0
			if row.name == "bff_breaker_state" && strings.Contains(name, `"closed"`) {
				want = 1
			}
			if !there || value != want {
				t.Errorf("%s is %v (there: %v), want %v", name, value, there, want)
			}
			delete(series, name)
			expected++
		}
	}
	if expected < 500 {
		t.Fatalf("only %d series expected: the test itself is broken", expected)
	}
	build := `bff_build_info{goversion="` + runtime.Version() + `",revision="abc",version="1.2.3"}`
	if series[build] != 1 {
		t.Errorf("no %s", build)
	}
	for _, name := range []string{"go_goroutines", "process_open_fds"} {
		if _, there := series[name]; !there {
			t.Errorf("no %s", name)
		}
	}
	for name := range ours(series) {
		if !strings.Contains(name, "_bucket") && !strings.Contains(name, "_sum") && name != build {
			t.Errorf("%s is not in the contract", name)
		}
	}
}

func TestTwoInstancesShareNothing(t *testing.T) {
	one, two := newMetrics(), newMetrics()
	one.Served(&page.Record{Client: "web", Market: "de"})
	const name = `bff_page_requests_total{client="web",market="de",outcome="full"}`
	if scrape(t, one)[name] != 1 || scrape(t, two)[name] != 0 {
		t.Error("a page of one instance was counted by another")
	}
}

func TestNoInputAddsASeries(t *testing.T) {
	small, large := newMetrics(), newMetrics()
	scrape(t, small)
	scrape(t, large) // the scrape counts itself from the second on
	small.Served(&page.Record{Client: "web", Market: "de"})

	for i := range 2000 {
		for _, result := range []page.Result{page.Full, page.Degraded, page.NotFound} {
			large.Served(hostile(i, result))
		}
	}
	for i := range 1000 + 500 { // unknown paths and invented methods, should they ever be told
		large.Served(hostile(i, page.Invalid))
	}
	if a, b := len(scrape(t, small)), len(scrape(t, large)); a != b {
		t.Errorf("%d series after a small run, %d after a large one", a, b)
	}
	if got := scrape(t, large)[`bff_page_requests_total{client="other",market="other",outcome="full"}`]; got != 2000 {
		t.Errorf("%v strangers counted, want 2000", got)
	}
}

func hostile(i int, result page.Result) *page.Record {
	word := fmt.Sprintf("%d\"} 1\nforged{\xff", i)
	return &page.Record{
		Resource: page.PageResource, Result: result, Client: word, Market: word, ID: word, RequestID: word, TraceID: word,
		Defect: word, Duration: time.Duration(i) * time.Millisecond,
		Shed: page.ShedReason(i % 5), Priority: page.Priority(i % page.NumPriorities),
	}
}

func TestOtherIsAlwaysAMember(t *testing.T) {
	m := slo.New(slo.Options{Clients: []string{"other", "web", "web"}})
	m.Served(&page.Record{Client: "", Market: "nowhere"})
	series := scrape(t, m)
	if got := series[`bff_page_requests_total{client="other",market="other",outcome="full"}`]; got != 1 {
		t.Errorf("a page without client and market was counted %v times as other", got)
	}
}
