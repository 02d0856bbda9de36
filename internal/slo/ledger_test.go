package slo_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/internal/page"
	"example.com/bff/internal/slo"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func of(t *testing.T, report slo.Report, objective string) slo.ObjectiveReport {
	t.Helper()
	for _, o := range report.Objectives {
		if o.Name == objective {
			return o
		}
	}
	t.Fatalf("no objective %s", objective)
	return slo.ObjectiveReport{}
}

func TestABurnRateForgetsWithItsWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := slo.NewLedger([]string{"web"})
		for i := range 100 {
			r := page.Record{Client: "web"}
			if i < 10 {
				r.Result = page.Unavailable
			}
			l.Served(&r)
		}
		// A tenth of the pages failed; a thousandth may.
		for _, c := range []struct {
			after              time.Duration
			m5, m30, hour, six float64
		}{
			{0, 100, 100, 100, 100},
			{5 * time.Minute, 100, 100, 100, 100},
			{11 * time.Second, 0, 100, 100, 100},
			{25 * time.Minute, 0, 0, 100, 100},
			{30 * time.Minute, 0, 0, 0, 100},
			{5 * time.Hour, 0, 0, 0, 0},
			{100 * time.Hour, 0, 0, 0, 0},
		} {
			time.Sleep(c.after)
			got := of(t, l.Report(), "availability")
			b := got.BurnRates
			if !near(b["5m"], c.m5) || !near(b["30m"], c.m30) || !near(b["1h"], c.hour) || !near(b["6h"], c.six) {
				t.Errorf("after %v more: %v", c.after, b)
			}
			if got.Good != 90 || got.Valid != 100 || !near(got.BudgetLeft, 1-100) {
				t.Errorf("the totals forget: %+v", got.Standing)
			}
		}
	})
}

func TestNoAverageHidesAClient(t *testing.T) {
	l := slo.NewLedger([]string{"web", "mobile"})
	for range 990 {
		l.Served(&page.Record{Client: "web"})
	}
	for range 10 {
		l.Served(&page.Record{Client: "mobile", Result: page.Unavailable})
	}
	got := of(t, l.Report(), "availability")
	if !near(got.BurnRates["5m"], 10) {
		t.Errorf("overall it burns at %v, want 10: weighed by traffic", got.BurnRates["5m"])
	}
	if web := got.Clients["web"]; web.BudgetLeft != 1 || web.BurnRates["5m"] != 0 || web.Good != 990 {
		t.Errorf("web: %+v", web)
	}
	if mobile := got.Clients["mobile"]; !near(mobile.BurnRates["5m"], 1000) || mobile.Valid != 10 {
		t.Errorf("mobile: %+v", mobile)
	}
	if other := got.Clients["other"]; other.BudgetLeft != 1 || other.Valid != 0 {
		t.Errorf("other: %+v", other)
	}
}

// event is one answer and when it came, since the start.
type event struct {
	at     time.Duration
	record page.Record
}

// history is everything that happened: the independent count.
type history []event

// standing counts again what the ledger counted, of one client or, with "", of all.
func (h history) standing(o *slo.Objective, client string, now time.Duration) slo.Standing {
	count := func(from time.Duration) (good, valid uint64) {
		for _, e := range h {
			verdict := o.Judge(&e.record)
			if e.at < from || verdict == slo.NotCounted || (client != "" && e.record.Client != client) {
				continue
			}
			valid++
			if verdict == slo.Good {
				good++
			}
		}
		return good, valid
	}
	burn := func(good, valid uint64) float64 { return float64(valid-good) / (float64(max(valid, 1)) * o.Budget()) }

	good, valid := count(0)
	s := slo.Standing{Good: good, Valid: valid, BudgetLeft: 1 - burn(good, valid), BurnRates: map[string]float64{}}
	for name, window := range map[string]time.Duration{"5m": 5 * time.Minute, "30m": 30 * time.Minute, "1h": time.Hour, "6h": 6 * time.Hour} {
		// The slot under way began on a multiple of 10 s; the window reaches back from there.
		s.BurnRates[name] = burn(count(now.Truncate(10*time.Second) - window))
	}
	return s
}

func same(a, b slo.Standing) bool {
	for name := range a.BurnRates {
		if !near(a.BurnRates[name], b.BurnRates[name]) {
			return false
		}
	}
	return a.Good == b.Good && a.Valid == b.Valid && near(a.BudgetLeft, b.BudgetLeft)
}

func TestAMonthOfTrafficIsCountedToTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 2))
		names := []string{"web", "mobile", "other"}
		l := slo.NewLedger(names)
		start := time.Now()
		var all history
		for time.Since(start) < slo.Period {
			time.Sleep(time.Duration(random.Int64N(int64(10 * time.Minute))))
			r := page.Record{
				Client: names[random.IntN(3)], Resource: page.Resource(random.IntN(2)),
				Result: page.Result(random.IntN(page.NumResults)), Duration: time.Duration(random.IntN(1000)) * time.Millisecond,
			}
			l.Served(&r)
			all = append(all, event{time.Since(start), r})
		}
		if len(all) < 5000 {
			t.Fatalf("only %d events: the test is too small", len(all))
		}
		report, now := l.Report(), time.Since(start)
		for i := range slo.Objectives {
			o := &slo.Objectives[i]
			got := of(t, report, o.Name)
			if want := all.standing(o, "", now); !same(got.Standing, want) {
				t.Errorf("%s: %+v, want %+v", o.Name, got.Standing, want)
			}
			for _, name := range names {
				if want := all.standing(o, name, now); !same(got.Clients[name], want) {
					t.Errorf("%s of %s: %+v, want %+v", o.Name, name, got.Clients[name], want)
				}
			}
		}
	})
}

func TestTheReportSaysWhatItIsAbout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := slo.NewLedger([]string{"web"})
		l.Served(&page.Record{Client: "web", Result: page.Degraded})
		time.Sleep(90 * time.Second)
		body := get(t, l.Handler(), "*/*")
		var report map[string]any
		if err := json.Unmarshal([]byte(body), &report); err != nil {
			t.Fatal(err)
		}
		if scope, _ := report["scope"].(string); !strings.Contains(scope, "this instance") || !strings.Contains(scope, "since it started") {
			t.Errorf("the scope is %q", scope)
		}
		if report["uptimeSeconds"] != 90.0 {
			t.Errorf("uptime %v", report["uptimeSeconds"])
		}
		quality := report["objectives"].([]any)[2].(map[string]any)
		if quality["name"] != "quality" || quality["objective"] != 0.98 || quality["good"] != 0.0 || quality["valid"] != 1.0 ||
			quality["budgetLeft"] != -49.0 || quality["burnRates"].(map[string]any)["5m"] != 50.0 || quality["bad"].(map[string]any)["1h"] != 1.0 ||
			quality["clients"].(map[string]any)["web"].(map[string]any)["valid"] != 1.0 {
			t.Errorf("%v", quality)
		}
	})
}

func TestTheLedgerIsBoundedAndSafe(t *testing.T) {
	l := slo.NewLedger([]string{"web"})
	m := newMetrics()
	r := &page.Record{Client: "nobody has this name"}
	if allocs := testing.AllocsPerRun(1000, func() { l.Served(r); m.Served(r) }); allocs != 0 {
		t.Errorf("%v allocations to count a page", allocs)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 200 {
				l.Served(r)
				m.Served(r)
			}
		})
		all.Go(func() { l.Report(); scrape(t, m) })
	}
	all.Wait()
	if got := of(t, l.Report(), "availability").Valid; got != 4*200+1001 {
		t.Errorf("%d counted", got)
	}
}
