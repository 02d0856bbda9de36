package slo_test

import (
	"fmt"
	"testing"
	"time"

	"example.com/bff/internal/page"
	"example.com/bff/internal/slo"
)

// classification is the contract's, written out once more on purpose: what a quick answer does to availability, latency,
// quality and, of an offer, to the offers' availability. + good, - bad, . not counted.
var classification = map[page.Result]string{
	page.Full:           "++++",
	page.Degraded:       "++-+",
	page.NotModified:    "++++",
	page.NotFound:       "++++",
	page.Invalid:        "....",
	page.Unavailable:    "-..-",
	page.Deadline:       "....",
	page.Shed:           "-..-",
	page.ShedBackground: "....",
	page.RateLimited:    "....",
	page.ClientLeft:     "....",
	page.Internal:       "-..-",
}

var marks = map[slo.Verdict]string{slo.Good: "+", slo.Bad: "-", slo.NotCounted: "."}

func TestEachResultDoesToEachObjectiveWhatTheContractSays(t *testing.T) {
	if len(classification) != page.NumResults {
		t.Fatalf("%d results classified of %d", len(classification), page.NumResults)
	}
	for result, want := range classification {
		got := ""
		for i := range slo.Objectives {
			o := &slo.Objectives[i]
			got += marks[o.Judge(&page.Record{Resource: o.Resource, Result: result})]
		}
		if got != want {
			t.Errorf("%s: %s, want %s", result, got, want)
		}
	}
}

func TestAnObjectiveJudgesItsOwnResourceAlone(t *testing.T) {
	for i := range slo.Objectives {
		o := &slo.Objectives[i]
		other := &page.Record{Resource: page.OfferResource - o.Resource, Result: page.Full}
		if got := o.Judge(other); got != slo.NotCounted {
			t.Errorf("%s counts an answer of %s", o.Name, other.Resource)
		}
	}
}

func TestASlowAnswerIsBadForLatencyAlone(t *testing.T) {
	for _, c := range []struct {
		took time.Duration
		want string
	}{{500 * time.Millisecond, "+++"}, {500*time.Millisecond + 1, "+-+"}} {
		got := ""
		for i := range 3 {
			got += marks[slo.Objectives[i].Judge(&page.Record{Duration: c.took})]
		}
		if got != c.want {
			t.Errorf("%v: %s, want %s", c.took, got, c.want)
		}
	}
}

func TestTheTableIsTheContracts(t *testing.T) {
	got := ""
	for _, o := range slo.Objectives {
		got += fmt.Sprintf("%s %s %v %v\n", o.Name, o.Resource, o.Target, o.Budget())
	}
	const want = "availability page 0.999 0.001\nlatency page 0.99 0.01\nquality page 0.98 0.02\noffer_availability offer 0.9995 0.0005\n"
	if got != want || slo.Period != 30*24*time.Hour {
		t.Errorf("got\n%s over %v", got, slo.Period)
	}
}

// TestRecordsBecomeTheNumbersThatTheRulesRead serves each result a different number of times and reads the counters as
// the rules do: by outcome, and by the bucket of half a second.
func TestRecordsBecomeTheNumbersThatTheRulesRead(t *testing.T) {
	m, ledger := newMetrics(), slo.NewLedger([]string{"web", "mobile"})
	serve := func(r page.Record, times int) {
		for range times {
			m.Served(&r)
			ledger.Served(&r)
		}
	}
	for result := range page.Result(page.NumResults) {
		serve(page.Record{Client: "web", Market: "de", Result: result}, 1<<result)
		serve(page.Record{Client: "mobile", Market: "fr", Result: result, Resource: page.OfferResource}, 1<<result)
	}
	serve(page.Record{Client: "web", Market: "de", Duration: time.Second}, 5)

	series := scrape(t, m)
	count := func(resource, client, market string, mark byte, objective int) (n uint64) {
		for result, of := range classification {
			if of[objective] == mark {
				n += uint64(series[fmt.Sprintf(`bff_%s_requests_total{client="%s",market="%s",outcome="%s"}`, resource, client, market, result)])
			}
		}
		return n
	}
	var quick uint64
	for result, of := range classification {
		if of[1] == '+' {
			quick += uint64(series[fmt.Sprintf(`bff_page_duration_seconds_bucket{client="web",outcome="%s",le="0.5"}`, result)])
		}
	}
	type numbers struct{ good, valid uint64 }
	answered := count("page", "web", "de", '+', 0)
	want := map[string]numbers{
		"availability":       {answered, answered + count("page", "web", "de", '-', 0)},
		"latency":            {quick, answered},
		"quality":            {count("page", "web", "de", '+', 2), answered},
		"offer_availability": {count("offer", "mobile", "fr", '+', 3), count("offer", "mobile", "fr", '+', 3) + count("offer", "mobile", "fr", '-', 3)},
	}
	for _, o := range ledger.Report().Objectives {
		if got := (numbers{o.Good, o.Valid}); got != want[o.Name] {
			t.Errorf("%s: the ledger has %v, the scrape %v", o.Name, got, want[o.Name])
		}
	}
	// 1+2+4+8 answered and 5 slow ones; unavailable, shed and error are 32, 128 and 2048.
	if want["availability"] != (numbers{20, 20 + 2208}) || want["latency"] != (numbers{15, 20}) || want["quality"] != (numbers{18, 20}) {
		t.Errorf("the scrape says %v", want)
	}
}
