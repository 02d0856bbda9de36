// Package livecheck is the service as it is watched: two real instances over TCP, the fakes behind them, and a real
// Prometheus with the shipped configuration and rules, their time 20 times shorter.
//
// It promises that the alert which wakes somebody fires when a critical downstream breaks and clears when it is well
// again, that every panel of the shipped dashboards has something to show, and that what the runbook asks is answered.
package livecheck

import (
	"testing"
	"time"

	"example.com/bff/fakes"
)

// patience bounds each wait. What is waited for takes seconds; a busy machine may take its time.
const patience = 3 * time.Minute

// scrapeEvery is longer than the test's Prometheus takes from one scrape to the next.
const scrapeEvery = 4 * time.Second

// page is the alert that wakes somebody: two days' pace over an hour, and still going on.
var page = map[string]string{
	"alertname": "BffAvailabilityBurn", "severity": "page", "window": "1h", "scope": "service",
}

func TestAsItIsWatched(t *testing.T) {
	s := openShop(t)
	p := startPrometheus(t, s.admins)
	if p == nil {
		return
	}
	since := time.Now()
	s.visit(t)

	t.Run("the page fires and clears", func(t *testing.T) {
		eventually(t, "some good pages are counted", func() bool {
			return p.value(t, `slo:bff_valid:increase1h{slo="availability"}`) >= 20
		})
		if p.fires(t, page) {
			t.Fatal("it fires although nothing is wrong")
		}
		s.fault(t, "catalog", fakes.Fault{Status: 500})
		eventually(t, "the page fires", func() bool { return p.fires(t, page) })
		s.heal(t, "catalog")
		eventually(t, "the page clears, while pages are counted", func() bool {
			return !p.fires(t, page) && p.value(t, `slo:bff_valid:increase5m{slo="availability"}`) > 0
		})
	})

	for query, what := range stormy {
		eventually(t, "Prometheus has seen "+what, func() bool {
			if p.value(t, "max_over_time("+query+"[10m])") > 0 { // on a slow machine a scrape may fail
				return true
			}
			s.storm(t) // on a slow machine not each of them is all that it is meant to be
			time.Sleep(scrapeEvery)
			return false
		})
	}
	t.Run("the runbook's questions", func(t *testing.T) {
		for _, query := range asked(t) {
			p.tellsSomething(t, query)
		}
	})
	for _, q := range questions(t) {
		t.Run(q.where, func(t *testing.T) {
			var answer []series
			eventually(t, q.Expr+" shows something", func() bool {
				answer = p.answer(t, q, since)
				return someFinite(answer)
			})
			for _, one := range answer {
				if one.Metric["instance"] != "" && !q.perInstance {
					t.Fatalf("%s tells instances apart: %v", q.Expr, one.Metric)
				}
			}
			if q.Exemplar {
				eventually(t, q.Expr+" leads to a trace", func() bool { return p.traces(t, q, since) > 0 })
			}
		})
	}
}

// eventually ends the test unless ok becomes true.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}
